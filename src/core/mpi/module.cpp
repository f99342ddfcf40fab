// The module that holds MPI: see olem/ranks.h.
#include <mpi.h>

#include <algorithm>
#include <vector>

#include "core/ranks_door.h"

namespace olem::internal {
namespace {

// As MPI_DOUBLE_INT has it.
struct Owned {
  double value;
  int owner;
};

struct Reduction {
  std::vector<Owned> pairs;
  double* values = nullptr;
  std::uint32_t* owners = nullptr;
  std::size_t started = 0;  // pairs whose reduction was begun
  MPI_Request request = MPI_REQUEST_NULL;
};

Reduction reduction;

// MPI counts in int, and buffers of a size that fits into caches travel as fast as larger ones.
constexpr std::size_t kPiece = 1 << 22;

void start_piece() {
  const std::size_t count = std::min(kPiece, reduction.pairs.size() - reduction.started);
  MPI_Iallreduce(MPI_IN_PLACE, reduction.pairs.data() + reduction.started, static_cast<int>(count), MPI_DOUBLE_INT,
                 MPI_MINLOC, MPI_COMM_WORLD, &reduction.request);
  reduction.started += count;
}

int join(int* rank, int* size, int* local_size) {
  int granted = 0;
  if (MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &granted) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, rank);
  MPI_Comm_size(MPI_COMM_WORLD, size);
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &local);
  MPI_Comm_size(local, local_size);
  MPI_Comm_free(&local);
  return 0;
}

void leave() { MPI_Finalize(); }

void start_smallest(double* values, std::uint32_t* owners, std::size_t count) {
  reduction.pairs.resize(count);
  for (std::size_t i = 0; i < count; ++i) reduction.pairs[i] = {values[i], static_cast<int>(owners[i])};
  reduction.values = values;
  reduction.owners = owners;
  reduction.started = 0;
  start_piece();
}

int smallest_ended() {
  int ended = 0;
  MPI_Test(&reduction.request, &ended, MPI_STATUS_IGNORE);
  if (ended == 0) return 0;
  if (reduction.started < reduction.pairs.size()) {
    start_piece();
    return 0;
  }
  for (std::size_t i = 0; i < reduction.pairs.size(); ++i) {
    reduction.values[i] = reduction.pairs[i].value;
    reduction.owners[i] = static_cast<std::uint32_t>(reduction.pairs[i].owner);
  }
  reduction.pairs = {};
  return 1;
}

void broadcast(int from, char* data, std::size_t size) {
  constexpr std::size_t kMost = 1 << 30;
  for (std::size_t at = 0; at < size; at += kMost) {
    MPI_Bcast(data + at, static_cast<int>(std::min(kMost, size - at)), MPI_CHAR, from, MPI_COMM_WORLD);
  }
}

void send(int rank, const char* text, std::size_t size) {
  MPI_Send(text, static_cast<int>(size), MPI_CHAR, rank, 0, MPI_COMM_WORLD);
}

long long waiting(int* from) {
  int flag = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &flag, &status);
  if (flag == 0) return -1;
  int size = 0;
  MPI_Get_count(&status, MPI_CHAR, &size);
  *from = status.MPI_SOURCE;
  return size;
}

void take(int from, char* text, std::size_t size) {
  MPI_Recv(text, static_cast<int>(size), MPI_CHAR, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void abort_all(int exit_code) { MPI_Abort(MPI_COMM_WORLD, exit_code); }

}  // namespace
}  // namespace olem::internal

extern "C" __attribute__((visibility("default"))) const olem::internal::RanksDoor* olem_ranks_door() {
  using namespace olem::internal;
  static const RanksDoor kDoor = {join, leave,   start_smallest, smallest_ended, broadcast,
                                  send, waiting, take,           abort_all};
  return &kDoor;
}

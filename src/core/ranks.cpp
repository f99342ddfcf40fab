#include "olem/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "core/ranks_door.h"
#include "olem/error.h"

namespace olem {

using namespace internal;

namespace {

const RanksDoor* open_door() {
  // Global, because the parts that MPI itself loads look for its symbols.
  void* const module = ::dlopen("libolem_mpi.so", RTLD_NOW | RTLD_GLOBAL);
  void* const symbol = module != nullptr ? ::dlsym(module, kRanksDoorSymbol) : nullptr;
  if (symbol == nullptr) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("mpirun started several processes, but this olem cannot use MPI ({}). Build it where "
                            "libopenmpi-dev is installed, or run it without mpirun.",
                            ::dlerror()));
  }
  return reinterpret_cast<RanksDoorFunction>(symbol)();
}

}  // namespace

bool Ranks::expected() {
  // Of OpenMPI's mpirun, of launchers that speak PMI, and of srun with PMIx. An interactive job has some of them
  // with 1.
  for (const char* const name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 1) return true;
  }
  return false;
}

Ranks::Ranks() : door_(open_door()), exceptions_(std::uncaught_exceptions()) {
  if (door_->join(&rank_, &size_, &local_size_) != 0) {
    throw Error(ErrorCategory::kResource, "MPI could not be started; see its messages above.");
  }
}

Ranks::~Ranks() {
  if (std::uncaught_exceptions() == exceptions_) door_->leave();
}

void Ranks::smallest(std::span<double> values, std::span<std::uint32_t> owners, const Context& context) const {
  // Waiting ranks look more and more rarely, so that they take little from others on the same core.
  constexpr auto kLongest = std::chrono::microseconds(1000);
  auto pause = std::chrono::microseconds(1);
  door_->start_smallest(values.data(), owners.data(), values.size());
  while (door_->smallest_ended() == 0) {
    context.check_interrupt();
    std::this_thread::sleep_for(pause);
    pause = std::min(kLongest, 2 * pause);
  }
  const std::size_t bytes = values.size() * (sizeof(double) + sizeof(std::uint32_t));
  traffic_.given += bytes;
  traffic_.got += bytes;
}

void Ranks::exchange(std::string own, const std::function<void(int from, std::string_view text)>& take,
                     const Context& context) const {
  // A broadcast waits with all its might and for nothing else, so all come together before the first of them.
  double value = 0.0;
  std::uint32_t owner = 0;
  smallest({&value, 1}, {&owner, 1}, context);
  traffic_.given += own.size();
  for (int from = 0; from < size_; ++from) {
    std::uint64_t size = own.size();
    door_->broadcast(from, reinterpret_cast<char*>(&size), sizeof(size));
    if (from == rank_) {
      door_->broadcast(from, own.data(), own.size());
      continue;
    }
    context.require_memory(size, "What another rank made");
    std::string text(size, '\0');
    door_->broadcast(from, text.data(), text.size());
    traffic_.got += text.size();
    take(from, text);
  }
}

void Ranks::send(int rank, std::string_view message) const { door_->send(rank, message.data(), message.size()); }

std::optional<Ranks::Message> Ranks::receive() const {
  Message message;
  const long long size = door_->waiting(&message.from);
  if (size < 0) return std::nullopt;
  message.text.resize(static_cast<std::size_t>(size));
  door_->take(message.from, message.text.data(), message.text.size());
  return message;
}

void Ranks::abort(int exit_code) const {
  door_->abort(exit_code);
  std::_Exit(exit_code);
}

}  // namespace olem

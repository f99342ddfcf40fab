#pragma once

#include <cstddef>
#include <cstdint>

namespace olem::internal {

// What the module that holds MPI offers. Plain functions, so that module and program need to agree on nothing else.
struct RanksDoor {
  int (*join)(int* rank, int* size, int* local_size);  // 0 when it worked
  void (*leave)();
  // Starts the reduction; 1 when it has ended, 0 while it goes on. The arrays must stay until then.
  void (*start_smallest)(double* values, std::uint32_t* owners, std::size_t count);
  int (*smallest_ended)();
  // The bytes of rank `from` to all others, which wait for them.
  void (*broadcast)(int from, char* data, std::size_t size);
  void (*send)(int rank, const char* text, std::size_t size);
  // The size of the next message, or -1 when there is none; then take() copies it out.
  long long (*waiting)(int* from);
  void (*take)(int from, char* text, std::size_t size);
  void (*abort)(int exit_code);
};

// The one symbol of the module.
inline constexpr const char* kRanksDoorSymbol = "olem_ranks_door";
using RanksDoorFunction = const RanksDoor* (*)();

}  // namespace olem::internal

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem {

namespace internal {
struct RanksDoor;
}

// The processes that mpirun started together. MPI lives in a module of its own, which is loaded by the first object of
// this class and never otherwise: a process that was started alone pays nothing for it. One object per process; its
// functions are for the thread that made it.
class Ranks {
 public:
  // Whether the environment says that mpirun (or srun) started this process and others with it.
  static bool expected();

  // Joins the others. Throws a usage error when this olem was built without MPI or its module is not beside it.
  Ranks();
  // Waits for the others to leave, too, unless an exception is on its way.
  ~Ranks();
  Ranks(const Ranks&) = delete;
  Ranks& operator=(const Ranks&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  bool is_root() const { return rank_ == 0; }
  // How many of the ranks run on this machine.
  int local_size() const { return local_size_; }

  // Every rank gets, for each position, the smallest of the ranks' values and the owner that came with it; of equal
  // values the smallest owner. All ranks must call it, with spans of one length. Ends with the context's interruption.
  void smallest(std::span<double> values, std::span<std::uint32_t> owners, const Context& context) const;

  // Gives `own` to all other ranks, and what they give, by rank, to take(rank, text). All ranks must call it. Ends with
  // the context's interruption.
  void exchange(std::string own, const std::function<void(int from, std::string_view text)>& take,
                const Context& context) const;

  void send(int rank, std::string_view message) const;
  struct Message {
    int from = 0;
    std::string text;
  };
  std::optional<Message> receive() const;  // nothing when there is none yet

  // Bytes that exchange() and smallest() gave to other ranks so far, and that came from them.
  struct Traffic {
    std::size_t given = 0;
    std::size_t got = 0;
  };
  const Traffic& traffic() const { return traffic_; }

  // Ends every rank with this exit code.
  [[noreturn]] void abort(int exit_code) const;

 private:
  const internal::RanksDoor* door_ = nullptr;
  int rank_ = 0;
  int size_ = 1;
  int local_size_ = 1;
  int exceptions_ = 0;
  mutable Traffic traffic_;
};

}  // namespace olem

#pragma once

#include <Eigen/Dense>
#include <cstddef>
#include <optional>
#include <vector>

#include "olem/decision.h"
#include "olem/rehearsal.h"
#include "simulate/streams.h"

namespace olem::internal {

// A model of a stream along its true graph that is kept up to date and decided with as `olem update` and `olem decide
// --target` do it: fitted to the first rows, with linear samplers, then updated whenever that many rows have come
// since. Levers that were altered in a row count as set by hand in it.
class UpdatedStream {
 public:
  static constexpr std::size_t kFitted = 30;  // rows
  static constexpr std::size_t kChunk = 10;   //

  explicit UpdatedStream(const LinearStream& stream);

  void add(const Eigen::VectorXd& row, const std::vector<std::size_t>& altered, const Context& context);

  // For a context, which stands among the noises of a round, with this target. Nothing before the first fit.
  std::optional<Decision> decide(const Eigen::VectorXd& noise, double target, const Context& context) const;

 private:
  Table waiting_table() const;

  const LinearStream& stream_;
  GraphFile graph_;
  Task task_;
  std::vector<std::vector<double>>
      waiting_;  // rows that no model has seen, indicators of the levers behind the variables
  std::optional<RehearsalModel> model_;
};

}  // namespace olem::internal

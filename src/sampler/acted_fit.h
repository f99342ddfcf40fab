#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "olem/sampler_set.h"
#include "olem/task_rows.h"

namespace olem::internal::sampling {

// Of rows in which a variable was set and of the others: with fewer of either the two are not compared.
inline constexpr std::size_t kLeastSetRows = 50;

// What a task says about the rows that one variable is fitted to.
struct RowUse {
  std::span<const unsigned char> own;  // rows in which the variable itself was set; empty: none
  struct Lever {
    std::size_t condition = 0;           // the one that was set in some rows
    std::span<const unsigned char> set;  //
    std::vector<std::size_t> before;     // conditions that come before it
  };
  std::vector<Lever> levers;
  std::size_t least_set_rows = kLeastSetRows;
  std::span<const std::size_t> groups;  // empty: there are none
  std::size_t group_count = 0;
  std::span<const double> weights;

  bool plain() const { return own.empty() && levers.empty() && groups.empty() && weights.empty(); }
};

// Of the variable given these others. `before`: the conditions of each of `conditions` that was set itself.
RowUse row_use(const TaskRows& rows, const std::string& variable, std::span<const std::string> conditions,
               const std::vector<std::vector<std::string>>& before);

// fit_kind on these rows: without those in which the variable was set; with the effects of levers from rows in which
// they were set as far as the other rows contradict them; with an intercept for each group. `like`: a sampler of the
// same variables whose choices are kept (refit_kind), or null.
std::shared_ptr<const ConditionalSampler> fit_on_rows(const SamplerKind& kind, const SamplerData& data,
                                                      const SamplerOptions& options, const RowUse& use,
                                                      const ConditionalSampler* like, const Context& context);

// One sampler of those from several completed tables: make_mixture, with the mean of the terms that variables share.
std::shared_ptr<const ConditionalSampler> combine_tables(std::vector<std::shared_ptr<const ConditionalSampler>> models);

}  // namespace olem::internal::sampling

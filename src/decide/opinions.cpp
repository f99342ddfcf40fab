#include "decide/opinions.h"

#include "decide/ensemble.h"
#include "olem/parallel.h"

namespace olem::internal {

std::vector<Opinion> opinions_on(const DecisionProblem& problem, const Decision& decision,
                                 const DecisionOptions& options, const Context& context) {
  std::vector<Opinion> opinions;
  if (!problem.opinions) return opinions;
  const std::vector<ModelMember>& learners = problem.opinions->list;
  opinions.resize(learners.size());
  std::vector<std::optional<double>> values;
  for (const Alteration& alteration : decision.alterations) values.push_back(alteration.value);
  const std::vector<std::optional<double>> nothing(values.size());
  std::vector<AlterationRule> rules;
  if (decision.sequence) rules = decision.sequence->rules;
  const Context serial = context.serial();
  parallel_for(context, 0, learners.size(), 1, [&](std::size_t i, std::size_t) {
    const auto noise = static_cast<std::uint64_t>(DrawStream::kOpinions) + i;
    opinions[i] = {learners[i].learner,
                   success_by(problem, learners[i].samplers, values, rules, noise, options, serial),
                   success_by(problem, learners[i].samplers, nothing, {}, noise, options, serial)};
  });
  return opinions;
}

}  // namespace olem::internal

// What to change so that calcification of a reef ends up where it is wanted: 2_fit_and_decide examples/bermuda/data.csv
#include <olem/olem.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "Usage: 2_fit_and_decide DATA.csv\n"), 2;
  try {
    const olem::Context context;
    const olem::Table table = olem::read_table(argv[1], {}, context).table;

    olem::Task task;
    task.context = {"Light", "Temp", "Sal"};  // observed before the decision
    task.alterable = {{"DIC", -1.0, 1.0}, {"TA", -1.0, 1.0}, {"Omega", -1.0, 1.0}};
    task.outcome = {"NEC"};
    task.desired = olem::Region::box({{"NEC", 0.5, 2.0}});

    olem::RehearsalOptions learning;
    learning.samplers.sampler = "linear";  // the default, auto, finds nonlinear functions too and takes longer
    const olem::RehearsalModel model = olem::fit_rehearsal(task, table, learning, std::nullopt, context);

    const olem::Decision decision =
        olem::decide(model, {{"Light", 1.3}, {"Temp", 0.41}, {"Sal", -0.51}}, olem::DecisionOptions(), context);
    for (const olem::Alteration& alteration : decision.alterations) {
      if (alteration.value) std::printf("set %s to %.3f\n", alteration.name.c_str(), *alteration.value);
    }
    std::printf("probability of success: %.3f (%.3f to %.3f); without action: %.3f\n", decision.success_probability,
                decision.success_low, decision.success_high, decision.without_action);
  } catch (const olem::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return olem::exit_code(error.category());
  }
}

// Learns a task once and decides for many contexts from the file: 3_model_file TASK.json MODEL
#include <olem/olem.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "Usage: 3_model_file TASK.json MODEL\n"), 2;
  try {
    olem::Context context;
    context.seed = 7;
    const olem::Task task = olem::read_task(argv[1]);
    const olem::Table table = olem::read_table(olem::data_path(task), {}, context).table;
    olem::RehearsalOptions learning;
    learning.samplers.sampler = "linear";
    olem::write_model(argv[2], olem::fit_rehearsal(task, table, learning, std::nullopt, context), true);

    // From here on, perhaps in another program, the file is all that is needed.
    const olem::RehearsalModel model = olem::read_model(argv[2], context);
    std::vector<olem::DecisionProblem> problems;
    for (const double light : {-1.0, 0.0, 1.0}) {
      std::vector<olem::NamedValue> observed = model.task.observed;
      for (olem::NamedValue& value : observed) {
        if (value.name == "Light") value.value = light;
      }
      problems.push_back(olem::decision_problem(model, observed));
    }
    for (const olem::Decision& decision : olem::decide_all(problems, olem::DecisionOptions(), context)) {
      for (const olem::NamedValue& value : decision.context)
        std::printf("%s = %.2f  ", value.name.c_str(), value.value);
      std::printf("success %.3f instead of %.3f\n", decision.success_probability, decision.without_action);
    }
  } catch (const olem::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return olem::exit_code(error.category());
  }
}

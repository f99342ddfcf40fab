// The causal order of the columns of a table, and how sure each step of it is: 1_order DATA.csv
#include <olem/olem.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "Usage: 1_order DATA.csv\n"), 2;
  try {
    const olem::Context context;  // every core, seed 0, no messages
    const olem::ReadResult read = olem::read_table(argv[1], {}, context);

    olem::OrderOptions options;  // OLEM+ with its defaults; options.method names another learner
    options.olem_plus.units = olem::ColumnUnits::kArbitrary;  // each column has a unit of its own
    // What is known of the order goes here: olem::Precedence({.before = {{"Raf", "Mek"}}}, read.table.names()).
    const olem::OrderResult result = olem::learn_order(read.table, options, olem::Precedence(), context);

    for (const std::string& name : result.order)
      std::printf("%s%s", name == result.order.front() ? "" : " > ", name.c_str());
    std::printf("\n\n");
    for (const olem::OrderStep& step : result.steps) {
      if (step.runner_up.empty()) continue;
      std::printf("%-5s after %-5s by %.3f +- %.3f %s\n", step.sink.c_str(), step.runner_up.c_str(),
                  step.gap.value_or(0.0), step.gap_standard_error.value_or(0.0), step.decided ? "" : "(not decided)");
    }
    for (const olem::Warning& warning : result.summary.warnings) std::printf("Warning: %s\n", warning.text.c_str());
  } catch (const olem::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return olem::exit_code(error.category());
  }
}

// Whether intervals cover: the acceptance table of docs/methods/uncertainty.md on tasks whose truth is known, with
// members against one fit (quick) on the same tasks.
//   interval_bench run PART [tasks=N] [first=N] [contexts=2] [seed=N] [threads=N] [method=olem+] [file=ROWS.csv]
//   interval_bench table ROWS.csv...
// PART: bermuda300, or SETTING300 and SETTING1000 with SETTING of SynLrBeta, SynLrExp, SynNlrBeta, SynNlrExp, or
// mixed500. `run` prints one line per decision as it is made (and appends it to the file), so that parts, and tasks of
// a part, can be run one by one; `table` makes the table from all lines that it is given. Seconds of CPU are those of
// the process; run with one thread to compare them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "decision_tasks.h"
#include "mixed_decisions.h"
#include "olem/decision.h"
#include "olem/simulate.h"

namespace olem::bench {
namespace {

constexpr std::size_t kIntervalTrials = 20000;

struct Arguments {
  std::string part = "bermuda300";
  std::size_t tasks = 2;
  std::size_t first = 0;
  std::size_t contexts = 2;
  std::uint64_t seed = 26;
  int threads = 1;
  std::string method = "olem+";
  std::string sampler;  // empty: the default
  std::string file;
};

// One decision, with members and by one fit.
struct Line {
  std::string part;
  std::string method;
  std::uint64_t task = 0;
  std::size_t context = 0;
  double idle = 0.0;  // true
  double quick_true = 0.0;
  double quick_claimed = 0.0;
  double quick_low = 0.0;
  double quick_high = 0.0;
  double truth = 0.0;
  double claimed = 0.0;
  double low = 0.0;
  double high = 0.0;
  double low_80 = 0.0;
  double high_80 = 0.0;
  double draws = 0.0;
  double rows = 0.0;
  double order = 0.0;
  double extrapolation = 0.0;
  double differs = 0.0;
  double quick_cpu = 0.0;  // of fit and all decisions of the task, over their number
  double cpu = 0.0;
  double breakdown = 0.0;

  static constexpr const char* kHeader =
      "part,method,task,context,idle,quick_true,quick_claimed,quick_low,quick_high,true,claimed,low,high,low_80,high_"
      "80,"
      "draws,rows,order,extrapolation,differs,quick_cpu,cpu,breakdown";
  std::vector<double*> numbers() {
    return {&idle,          &quick_true, &quick_claimed, &quick_low, &quick_high, &truth, &claimed,
            &low,           &high,       &low_80,        &high_80,   &draws,      &rows,  &order,
            &extrapolation, &differs,    &quick_cpu,     &cpu,       &breakdown};
  }
};

std::string text_of(Line line) {
  std::string text = fmt::format("{},{},{},{}", line.part, line.method, line.task, line.context);
  for (const double* number : line.numbers()) text += fmt::format(",{:.6g}", *number);
  return text;
}

Line parse_line(const std::string& text) {
  Line line;
  std::istringstream in(text);
  std::string word;
  std::getline(in, line.part, ',');
  std::getline(in, line.method, ',');
  std::getline(in, word, ',');
  line.task = std::stoull(word);
  std::getline(in, word, ',');
  line.context = std::stoull(word);
  for (double* number : line.numbers()) {
    std::getline(in, word, ',');
    *number = std::stod(word);
  }
  return line;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// What the two runs of one task have in common.
struct IntervalTask {
  Task task;
  Table table;
  std::vector<std::vector<NamedValue>> contexts;
  std::function<double(std::size_t context, const std::vector<NamedValue>& alterations)> success;
};

std::vector<Line> run_task(const IntervalTask& made, const Arguments& arguments, std::uint64_t index) {
  std::vector<Line> lines(made.contexts.size());
  Context context;
  context.seed = index;
  context.threads = arguments.threads;
  for (const bool quick : {true, false}) {
    RehearsalOptions options;
    options.order.method = arguments.method;
    if (arguments.method == "olem") options.levers = LeverRule::kLearned;
    if (!arguments.sampler.empty()) options.samplers.sampler = arguments.sampler;
    if (!quick) options.members.emplace();
    const double start = cpu_seconds();
    const RehearsalModel model = fit_rehearsal(made.task, made.table, options, std::nullopt, context);
    const double fitted = cpu_seconds();
    std::vector<Decision> decisions;
    for (const std::vector<NamedValue>& observed : made.contexts)
      decisions.push_back(decide(decision_problem(model, observed), DecisionOptions(), context));
    // Of the fit and one decision.
    const double cpu = fitted - start + (cpu_seconds() - fitted) / static_cast<double>(decisions.size());
    for (std::size_t r = 0; r < decisions.size(); ++r) {
      const Decision& decision = decisions[r];
      std::vector<NamedValue> set;
      for (const Alteration& alteration : decision.alterations) {
        if (alteration.value) set.push_back({alteration.name, *alteration.value});
      }
      Line& line = lines[r];
      const double truth = made.success(r, set);
      if (quick) {
        line.idle = made.success(r, {});
        line.quick_true = truth;
        line.quick_claimed = decision.success_probability;
        line.quick_low = decision.success_low;
        line.quick_high = decision.success_high;
        line.quick_cpu = cpu;
        continue;
      }
      line.part = arguments.part;
      line.method = arguments.method;
      line.task = index;
      line.context = r;
      line.truth = truth;
      line.claimed = decision.success_probability;
      line.low = decision.success_low;
      line.high = decision.success_high;
      line.cpu = cpu;
      line.breakdown =
          decision.hidden_cause && decision.hidden_cause->breakdown ? *decision.hidden_cause->breakdown : 1.0;
      if (!decision.uncertainty) continue;
      line.low_80 = decision.uncertainty->low_80;
      line.high_80 = decision.uncertainty->high_80;
      line.draws = decision.uncertainty->draws;
      line.rows = decision.uncertainty->rows;
      line.order = decision.uncertainty->order;
      line.extrapolation = decision.uncertainty->extrapolation;
      line.differs = decision.uncertainty->chosen_by_members ? 1.0 : 0.0;
    }
  }
  return lines;
}

IntervalTask continuous_task(const Arguments& arguments, std::uint64_t index) {
  const std::size_t digits = arguments.part.find_first_of("0123456789");
  const std::string name = arguments.part.substr(0, digits);
  const int rows = std::atoi(arguments.part.substr(digits).c_str());
  for (const Setting& setting : settings_of(name == "bermuda" ? "bermuda" : "auf", arguments.seed, rows)) {
    if (setting.name != name && name != "bermuda") continue;
    auto simulation = std::make_shared<Simulation>(setting.make(index));
    IntervalTask made;
    made.task = decision_task(*simulation);
    made.table = simulation->data;
    const Table& contexts = simulation->task->contexts;
    for (std::size_t r = 0; r < arguments.contexts; ++r) {
      std::vector<NamedValue>& observed = made.contexts.emplace_back();
      for (std::size_t k = 0; k < contexts.columns(); ++k) observed.push_back({contexts.name(k), contexts.at(r, k)});
    }
    made.success = [simulation, observed = made.contexts](std::size_t r, const std::vector<NamedValue>& alterations) {
      return true_success(*simulation, observed[r], alterations, kIntervalTrials);
    };
    return made;
  }
  fmt::print(stderr, "There is no part {}.\n", arguments.part);
  std::exit(2);
}

IntervalTask mixed_task(const Arguments& arguments, std::uint64_t index) {
  MixedSimulationOptions options;
  options.rows = std::atoi(arguments.part.substr(5).c_str());
  options.rounds = static_cast<int>(arguments.contexts);
  Context seeded;
  seeded.seed = arguments.seed;
  auto simulation = std::make_shared<MixedSimulation>(random_mixed_task(options, index, seeded));
  IntervalTask made;
  made.task = parse_task(task_json(*simulation).dump(), "task");
  made.table = simulation->data;
  for (const TrueDecision& round : simulation->best) made.contexts.push_back(round.observed);
  made.success = [simulation](std::size_t r, const std::vector<NamedValue>& alterations) {
    std::vector<NamedValue> possible = alterations;
    for (NamedValue& value : possible) {
      const auto lever = std::find_if(simulation->task.alterable.begin(), simulation->task.alterable.end(),
                                      [&](const MixedLever& one) { return one.name == value.name; });
      value.value = internal::possible_value(*lever, value.value);
    }
    return evaluate_decision(simulation->model, simulation->task, simulation->best[r].observed, possible,
                             kIntervalTrials, 4, serial_context());
  };
  return made;
}

int run_part(const Arguments& arguments) {
  std::ofstream out;
  if (!arguments.file.empty()) {
    const bool is_new = !std::ifstream(arguments.file).good();
    out.open(arguments.file, std::ios::app);
    if (is_new) out << Line::kHeader << "\n";
  }
  for (std::size_t t = arguments.first; t < arguments.first + arguments.tasks; ++t) {
    const IntervalTask made =
        arguments.part.starts_with("mixed") ? mixed_task(arguments, t) : continuous_task(arguments, t);
    for (const Line& line : run_task(made, arguments, t)) {
      fmt::print("{}\n", text_of(line));
      if (out.is_open()) out << text_of(line) << "\n" << std::flush;
    }
    std::fflush(stdout);
  }
  return 0;
}

struct Counts {
  double n = 0, cover = 0, cover_80 = 0, below = 0, width = 0, gain = 0, gain_squares = 0, high = 0, higher = 0,
         worse = 0, off = 0, ratio = 0, differs = 0, quick_cover = 0, quick_width = 0, quick_higher = 0,
         quick_worse = 0, quick_off = 0;

  void add(const Line& line) {
    n += 1;
    cover += line.low <= line.truth && line.truth <= line.high;
    cover_80 += line.low_80 <= line.truth && line.truth <= line.high_80;
    below += line.truth < line.low;
    width += line.high - line.low;
    gain += line.truth - line.quick_true;
    gain_squares += (line.truth - line.quick_true) * (line.truth - line.quick_true);
    high += line.claimed - line.truth > 0.1;
    higher += line.claimed - line.truth > 0.2;
    worse += line.truth < line.idle - 0.01;
    off += line.claimed - line.truth;
    ratio += line.cpu / line.quick_cpu;
    differs += line.differs;
    quick_cover += line.quick_low <= line.quick_true && line.quick_true <= line.quick_high;
    quick_width += line.quick_high - line.quick_low;
    quick_higher += line.quick_claimed - line.quick_true > 0.2;
    quick_worse += line.quick_true < line.idle - 0.01;
    quick_off += line.quick_claimed - line.quick_true;
  }

  std::string row(const std::string& name) const {
    const double mean = gain / n;
    const double error = n > 1 ? std::sqrt(std::max(0.0, gain_squares / n - mean * mean) / (n - 1)) : 0.0;
    return fmt::format(
        "| {} | {:.0f} | {:.1f} ({:.1f}) | {:.1f} | {:.1f} | {:.3f} ({:.3f}) | {:+.4f} ± {:.4f} | {:.1f} | {:.1f} "
        "({:.1f}) | "
        "{:.1f} ({:.1f}) | {:+.4f} ({:+.4f}) | {:.0f} | {:.1f} |\n",
        name, n, 100 * cover / n, 100 * quick_cover / n, 100 * cover_80 / n, 100 * below / n, width / n,
        quick_width / n, mean, error, 100 * high / n, 100 * higher / n, 100 * quick_higher / n, 100 * worse / n,
        100 * quick_worse / n, off / n, quick_off / n, 100 * differs / n, ratio / n);
  }
};

int print_table(int argc, char** argv) {
  std::map<std::string, Counts> rows;
  Counts all;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::string text;
    while (std::getline(in, text)) {
      if (text.empty() || text.starts_with("part,")) continue;
      const Line line = parse_line(text);
      rows[line.part + (line.method == "olem+" ? "" : ", " + line.method)].add(line);
      const std::size_t digits = line.part.find_first_of("0123456789");
      const std::string name = line.part.substr(0, digits);
      const std::string family = name.starts_with("SynLr") ? "SynLr" : name;
      rows["= " + family + (line.method == "olem+" ? "" : ", " + line.method)].add(line);
      if (name != "mixed") all.add(line);
    }
  }
  fmt::print(
      "Percents of decisions; in brackets by one fit on the same tasks.\n\n"
      "| part | decisions | 95 % covers | 80 % covers | truth below | width of 95 % | gain in true success | claimed - "
      "true > .1 | > .2 | worse than no action | mean of claimed - true | other decision | CPU ratio |\n| --- | --- | "
      "--- "
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const auto& [name, counts] : rows) fmt::print("{}", counts.row(name));
  if (all.n > 0) fmt::print("{}", all.row("all but mixed"));
  return 0;
}

}  // namespace
}  // namespace olem::bench

int main(int argc, char** argv) {
  using namespace olem::bench;
  if (argc > 2 && std::string(argv[1]) == "table") return print_table(argc, argv);
  if (argc < 3 || std::string(argv[1]) != "run") {
    fmt::print(stderr,
               "interval_bench run PART [tasks=N] [first=N] [contexts=N] [seed=N] [threads=N] [method=NAME] "
               "[sampler=NAME] [file=FILE]\ninterval_bench table FILE...\n");
    return 2;
  }
  Arguments arguments;
  arguments.part = argv[2];
  for (int i = 3; i < argc; ++i) {
    const std::string word = argv[i];
    const std::string key = word.substr(0, word.find('='));
    const std::string value = word.substr(word.find('=') + 1);
    if (key == "tasks") arguments.tasks = std::stoul(value);
    if (key == "first") arguments.first = std::stoul(value);
    if (key == "contexts") arguments.contexts = std::stoul(value);
    if (key == "seed") arguments.seed = std::stoull(value);
    if (key == "threads") arguments.threads = std::atoi(value.c_str());
    if (key == "method") arguments.method = value;
    if (key == "sampler") arguments.sampler = value;
    if (key == "file") arguments.file = value;
  }
  return run_part(arguments);
}

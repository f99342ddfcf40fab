#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "data_options.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/options.h"
#include "olem/task.h"
#include "olem/text.h"
#include "session.h"
#include "spelling.h"
#include "values.h"

namespace olem::app {

namespace {

using Names = std::vector<std::string>;

struct InitArguments {
  CommonOptions common;
  DataOptions data;
  Names levers;
  Names outcomes;
  Names context;
};

constexpr std::size_t kCommentWidth = 100;

// What a draft is made from.
struct Draft {
  Table table;
  std::vector<Column> about;  // of each column, as the table or its numbers say
  std::vector<Problem> problems;
  Json reading = Json::object();  // the options that are needed to read the table again
  Names left_out;                 // columns that stand in reading
  Names levers;
  Names outcomes;
  Names context;
  std::string data;                        // path for the task
  std::map<std::string, double> at_least;  // of outcomes, where somebody said so
};

std::string json_word(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool has_name(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<double> sorted_cells(const Table& table, std::size_t column) {
  std::vector<double> cells(table.column(column).begin(), table.column(column).end());
  std::sort(cells.begin(), cells.end());
  return cells;
}

// The cell below which this share lies: a value that was observed.
double observed_quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(std::lround(share * static_cast<double>(sorted.size() - 1)))];
}

// With the digits that matter beside the width of the column, as a person would write it.
double shortened(double value, double width) {
  if (!(width > 0.0) || !std::isfinite(width)) return value;
  constexpr int kDigits = 3;
  const int decimals = kDigits - static_cast<int>(std::ceil(std::log10(width)));
  if (decimals < 0 || decimals > 15) return value;
  return std::stod(fmt::format("{:.{}f}", value, decimals));
}

bool is_number_name(const ColumnLevel& level) { return level.name == fmt::format("{}", level.value); }

// The most frequent value.
double mode_of(const std::vector<double>& sorted) {
  double best = sorted.front();
  std::size_t most = 0;
  for (std::size_t first = 0; first < sorted.size();) {
    std::size_t last = first;
    while (last < sorted.size() && sorted[last] == sorted[first]) ++last;
    if (last - first > most) {
      most = last - first;
      best = sorted[first];
    }
    first = last;
  }
  return best;
}

class DraftText {
 public:
  explicit DraftText(const Draft& draft) : draft_(draft) {}

  std::string text() {
    const bool complete = !draft_.levers.empty() && !draft_.outcomes.empty();
    comment("",
            fmt::format("A task for olem, drafted from {} ({} rows, {} columns). Everything here is a guess from the "
                        "data: read it, change it, and check it with olem check. Text behind // is a comment.",
                        draft_.table.source(), draft_.table.rows(), draft_.table.columns()));
    if (!complete)
      comment("",
              "To be filled in: which columns can be set (\"alterable\"), which are to change (\"outcome\"), and where "
              "they are wanted (\"desired\"). Until then this is no task that olem decide could answer.");
    text_ += "{\n";
    add_data();
    add_columns();
    add_context();
    add_levers();
    add_outcomes();
    add_followers();
    add_rows();
    text_ += "}\n";
    return text_;
  }

 private:
  // A name may hold what would end the line.
  void comment(const std::string& indent, std::string words) {
    for (char& c : words) {
      if (static_cast<unsigned char>(c) < ' ') c = ' ';
    }
    text_ += wrap_text(words, kCommentWidth, indent + "// ");
  }

  // The lines of one key; what stands before the next entry gets a comma.
  void entry(const std::string& lines, const std::string& remark = "") {
    if (entry_end_ > 0) text_.insert(entry_end_, ",");
    text_ += lines;
    entry_end_ = text_.size();
    if (!remark.empty()) text_ += "  // " + remark;
    text_ += "\n";
  }

  // Comments must not be ended by a name.
  static std::string shown(const std::string& name) {
    const std::string text = json_word(name);
    return text.substr(1, text.size() - 2);
  }

  const Column& about(std::size_t j) const { return draft_.about[j]; }

  std::string range_words(std::size_t j) const {
    const std::vector<double> cells = sorted_cells(draft_.table, j);
    if (!has_levels(about(j).type)) return fmt::format("{:.4g} to {:.4g}", cells.front(), cells.back());
    std::vector<std::string> names;
    for (const ColumnLevel& level : about(j).levels) names.push_back(shown(level.name));
    constexpr std::size_t kShown = 6;
    const bool many = names.size() > kShown;
    if (many) names.resize(kShown);
    return fmt::format("{}{}", fmt::join(names, ", "), many ? ", ..." : "");
  }

  void add_data() {
    if (draft_.data.empty()) {
      comment("  ", "To be filled in: the path of the table, such as \"data\": \"table.csv\",");
    } else {
      entry(fmt::format("  \"data\": {}", json_word(draft_.data)));
    }
    if (!draft_.reading.empty()) {
      text_ += "\n";
      if (!draft_.left_out.empty())
        comment("  ",
                "How the table is read. Columns that look like identifiers, points in time, constants or copies are "
                "left out.");
      else
        comment("  ", "How the table is read.");
      entry(fmt::format("  \"reading\": {}", draft_.reading.dump(-1, ' ', false, Json::error_handler_t::replace)));
    }
    std::vector<const Problem*> told;
    for (const Problem& problem : draft_.problems) {
      if (problem.severity != Severity::kNote) told.push_back(&problem);
    }
    if (told.empty()) return;
    text_ += "\n";
    comment("  ", "What olem check says about the table:");
    for (const Problem* problem : told)
      comment("  ", fmt::format("* {}: {} {}", problem->code, problem->text,
                                remedy_text(problem->remedies, advice_spelling())));
    for (const Problem* problem : told) add_codes(*problem);
  }

  // The line that reads codes for "missing" as what they are.
  void add_codes(const Problem& problem) {
    const auto remedy = std::find_if(problem.remedies.begin(), problem.remedies.end(),
                                     [](const Remedy& one) { return one.option == "na" && !one.value.empty(); });
    if (problem.code != "sentinel" || remedy == problem.remedies.end()) return;
    Json reading = draft_.reading;
    Names words = reading.contains("na") ? reading["na"].get<Names>() : Names{};
    for (const std::string& word : names_in(remedy->value, "na")) words.push_back(word);
    reading["na"] = words;
    if (!reading.contains("missing")) reading["missing"] = "impute";
    comment("  ", fmt::format("To read the codes for \"missing\" as missing cells, which are drawn given the others{}:",
                              draft_.reading.empty() ? "" : ", put this line in the place of the other \"reading\""));
    text_ += fmt::format("  // \"reading\": {},\n", reading.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void add_columns() {
    text_ += "\n";
    comment("  ", "What each column is taken for. To change a type, write for example: \"columns\": { " +
                      json_word(draft_.table.name(0)) + ": \"category\" },");
    std::size_t width = 0;
    for (const std::string& name : draft_.table.names()) width = std::max(width, display_width(shown(name)));
    for (std::size_t j = 0; j < draft_.table.columns(); ++j) {
      const std::string name = shown(draft_.table.name(j));
      const bool unused = has_name(draft_.left_out, draft_.table.name(j));
      text_ += fmt::format("  //   {}{}  {:<8}  {}{}\n", name, std::string(width - display_width(name), ' '),
                           column_type_name(about(j).type), range_words(j), unused ? "; left out" : "");
    }
  }

  void add_context() {
    text_ += "\n";
    comment("  ", "Known before the decision is made.");
    std::vector<std::string> names;
    for (const std::string& name : draft_.context) names.push_back(json_word(name));
    entry(fmt::format("  \"context\": [{}]", fmt::join(names, ", ")));
    if (names.empty()) return;
    text_ += "\n";
    comment("  ",
            "What was observed of the context: the medians (most frequent values) of the columns. Put the case at hand "
            "here, or give it with --context NAME=VALUE.");
    std::vector<std::string> values;
    for (const std::string& name : draft_.context) {
      const std::size_t j = draft_.table.index(name);
      const std::vector<double> cells = sorted_cells(draft_.table, j);
      const bool levels = has_levels(about(j).type);
      const double value =
          levels ? mode_of(cells) : shortened(observed_quantile(cells, 0.5), cells.back() - cells.front());
      std::string written = fmt::format("{}", value);
      if (levels) {
        for (const ColumnLevel& level : about(j).levels) {
          if (level.value == value && !is_number_name(level)) written = json_word(level.name);
        }
      }
      values.push_back(fmt::format("{}: {}", json_word(name), written));
    }
    entry(fmt::format("  \"observed\": {{ {} }}", fmt::join(values, ", ")));
  }

  void add_rows() {
    const std::string lever = draft_.levers.empty() ? "\"LEVER\"" : json_word(draft_.levers.front());
    text_ += "\n";
    comment(
        "  ",
        fmt::format("What is known of the rows, if anything: in which of them somebody set a lever from outside, "
                    "which group each belongs to, how often it counts, when it was. Name the columns, for example: "
                    "\"set_by_hand\": {{ {}: \"WAS_SET\" }}, \"group\": \"BRANCH\", \"weight\": \"WEIGHT\", \"time\": "
                    "\"WEEK\",",
                    lever));
  }

  std::pair<double, double> domain(std::size_t j) const {
    const std::vector<double> cells = sorted_cells(draft_.table, j);
    if (is_discrete(about(j).type)) return {cells.front(), cells.back()};
    constexpr double kTail = 0.05;
    double low = observed_quantile(cells, kTail);
    double high = observed_quantile(cells, 1.0 - kTail);
    if (!(low < high)) return {cells.front(), cells.back()};
    const double width = high - low;
    return {shortened(low, width), shortened(high, width)};
  }

  static std::string level_text(const ColumnLevel& level) {
    return is_number_name(level) ? fmt::format("{}", level.value) : json_word(level.name);
  }

  std::string domain_text(std::size_t j) const {
    if (has_levels(about(j).type)) {
      std::vector<std::string> levels;
      for (const ColumnLevel& level : about(j).levels) levels.push_back(level_text(level));
      return fmt::format("{}: {{ \"values\": [{}] }}", json_word(draft_.table.name(j)), fmt::join(levels, ", "));
    }
    const auto [low, high] = domain(j);
    return fmt::format("{}: [{}, {}]", json_word(draft_.table.name(j)), low, high);
  }

  void add_levers() {
    text_ += "\n";
    if (draft_.levers.empty()) {
      comment("  ", "What can be set, each with its least and greatest value. Keep the columns that you can set:");
      std::string domains;
      for (std::size_t j = 0; j < draft_.table.columns(); ++j) {
        if (!is_free(j)) continue;
        domains += fmt::format("  //   {},\n", domain_text(j));
      }
      text_ += "  // \"alterable\": {\n" + domains + "  // },\n";
      return;
    }
    comment("  ",
            "What can be set, each with its least and greatest value: from the 5 % to the 95 % quantile of the data, "
            "or all values of a discrete column. Beyond them the answer would be a guess.");
    std::string lines = "  \"alterable\": {\n";
    for (std::size_t k = 0; k < draft_.levers.size(); ++k) {
      const std::size_t j = draft_.table.index(draft_.levers[k]);
      lines += fmt::format("    {}{}\n", domain_text(j), k + 1 < draft_.levers.size() ? "," : "");
    }
    entry(lines + "  }");
  }

  bool is_free(std::size_t j) const {
    const std::string& name = draft_.table.name(j);
    return !has_name(draft_.left_out, name) && !has_name(draft_.levers, name) && !has_name(draft_.outcomes, name) &&
           !has_name(draft_.context, name);
  }

  struct Wanted {
    std::string range;
    std::string meaning;
  };

  Wanted wanted(std::size_t j) const {
    const std::string name = shown(draft_.table.name(j));
    const std::vector<double> cells = sorted_cells(draft_.table, j);
    if (const auto said = draft_.at_least.find(draft_.table.name(j)); said != draft_.at_least.end())
      return {fmt::format("[{}, null]", said->second), fmt::format("{} is at least {}", name, said->second)};
    const Column& column = about(j);
    if (has_levels(column.type) && column.levels.size() > 1) {
      const ColumnLevel& last = column.levels.back();
      return {level_text(last), fmt::format("{} is {}", name, shown(last.name))};
    }
    constexpr double kUpperQuartile = 0.75;
    const double width = cells.back() - cells.front();
    const double least = shortened(observed_quantile(cells, kUpperQuartile), width);
    return {fmt::format("[{}, null]", least),
            fmt::format("{} is at least {}, which a quarter of the rows reach", name, least)};
  }

  void add_outcomes() {
    text_ += "\n";
    if (draft_.outcomes.empty()) {
      comment("  ", "What is to change, and where it is wanted; null leaves a side open. Keep one column or a few:");
      text_ += "  // \"outcome\": [\"NAME\"],\n  // \"desired\": {\n";
      for (std::size_t j = 0; j < draft_.table.columns(); ++j) {
        if (!is_free(j)) continue;
        const Wanted goal = wanted(j);
        text_ += fmt::format("  //   {}: {},  // {}\n", json_word(draft_.table.name(j)), goal.range, goal.meaning);
      }
      text_ += "  // }\n";
      return;
    }
    comment("  ",
            "What is to change, and where it is wanted; null leaves a side open. The numbers are a guess: put your own "
            "goal here.");
    std::vector<std::string> names;
    for (const std::string& name : draft_.outcomes) names.push_back(json_word(name));
    entry(fmt::format("  \"outcome\": [{}]", fmt::join(names, ", ")));
    std::string lines = "  \"desired\": {\n";
    for (std::size_t k = 0; k < draft_.outcomes.size(); ++k) {
      const Wanted goal = wanted(draft_.table.index(draft_.outcomes[k]));
      lines += fmt::format("    {}: {}{}  // {}\n", json_word(draft_.outcomes[k]), goal.range,
                           k + 1 < draft_.outcomes.size() ? "," : "", goal.meaning);
    }
    entry(lines + "  }");
  }

  void add_followers() {
    if (draft_.levers.empty() || draft_.outcomes.empty()) return;
    std::vector<std::string> names;
    for (std::size_t j = 0; j < draft_.table.columns(); ++j) {
      if (is_free(j)) names.push_back(shown(draft_.table.name(j)));
    }
    if (names.empty()) return;
    text_ += "\n";
    comment("  ",
            fmt::format("Columns without a role are taken to lie between the levers and the outcomes, so that setting "
                        "a lever may change them: {}. Those that are known before belong in \"context\".",
                        fmt::join(names, ", ")));
  }

  const Draft& draft_;
  std::string text_;
  std::size_t entry_end_ = 0;
};

// Names that stand in one word, separated by commas as in other options; a column whose name has a comma is that
// column.
Names single_names(const Table& table, const Names& words, const std::string& option) {
  Names names;
  for (const std::string& word : words) {
    const Names parts = table.find(word) ? Names{word} : names_in(word, option);
    names.insert(names.end(), parts.begin(), parts.end());
  }
  return names;
}

// Every name once, and only columns of the table; one role each.
void check_role_names(const Table& table, const Draft& draft) {
  std::map<std::string, std::string> role_of;
  const auto check = [&](const Names& names, const std::string& option) {
    for (const std::string& name : names) {
      if (!table.find(name)) {
        const std::string near = closest_name(name, table.names());
        throw Error::of_option(option, fmt::format("{} has no column '{}'.{}", table.source(), name,
                                                   near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
      }
      const auto [place, added] = role_of.emplace(name, option);
      if (added) continue;
      throw Error::of_option(option,
                             place->second == option
                                 ? fmt::format("'{}' is given twice.", name)
                                 : fmt::format("'{}' is given as {} too. A column has one role.", name, place->second));
    }
  };
  check(draft.levers, "lever");
  check(draft.outcomes, "outcome");
  check(draft.context, "context");
}

// Questions at a terminal; what is asked goes to standard error, so that the task can go to a file.
class Interview {
 public:
  Interview(Draft& draft, const Session& session) : draft_(draft), session_(session) {}

  void hold() {
    list_columns();
    if (draft_.outcomes.empty()) {
      const std::string guess = last_free_column();
      draft_.outcomes = ask_columns("What is to change (outcome)?", guess.empty() ? Names{} : Names{guess});
    }
    if (draft_.levers.empty()) draft_.levers = ask_columns("What can you set (levers)?", {});
    if (draft_.context.empty()) draft_.context = ask_columns("What is known before you decide (context)?", {});
    for (const std::string& name : draft_.outcomes) ask_goal(name);
  }

 private:
  bool is_free(const std::string& name) const {
    return !has_name(draft_.left_out, name) && !has_name(draft_.levers, name) && !has_name(draft_.outcomes, name) &&
           !has_name(draft_.context, name);
  }

  std::string last_free_column() const {
    for (std::size_t j = draft_.table.columns(); j-- > 0;) {
      if (is_free(draft_.table.name(j))) return draft_.table.name(j);
    }
    return "";
  }

  void list_columns() const {
    std::string text = fmt::format("{}: {} rows\n", draft_.table.source(), draft_.table.rows());
    for (std::size_t j = 0; j < draft_.table.columns(); ++j) {
      text += fmt::format("{:>4}  {} ({})\n", j + 1, draft_.table.name(j), column_type_name(draft_.about[j].type));
    }
    print_message(text + "Answer with names or numbers, separated by commas; Enter takes what stands in brackets.\n");
  }

  std::optional<std::string> answer(const std::string& question) const {
    print_message(question + " ");
    std::string line;
    const bool read = static_cast<bool>(std::getline(std::cin, line));
    session_.context().check_interrupt();
    if (!read) return std::nullopt;
    return line;
  }

  Names ask_columns(const std::string& question, const Names& guess) const {
    while (true) {
      const auto line =
          answer(fmt::format("{} [{}]", question, guess.empty() ? "none" : fmt::format("{}", fmt::join(guess, ", "))));
      if (!line || line->find_first_not_of(" \t\r") == std::string::npos) return guess;
      Names names;
      std::string wrong;
      for (const std::string& word : names_in(*line, "columns")) {
        const std::string name = column_called(word);
        if (name.empty() || has_name(names, name) || !is_free(name)) wrong = word;
        names.push_back(name);
      }
      if (wrong.empty()) return names;
      print_message(fmt::format("'{}' is no column that is free for this.\n", wrong));
    }
  }

  std::string column_called(const std::string& word) const {
    if (draft_.table.find(word)) return word;
    if (word.size() > 6 || word.empty() || word.find_first_not_of("0123456789") != std::string::npos) return "";
    const auto number = static_cast<std::size_t>(std::stoul(word));
    return number >= 1 && number <= draft_.table.columns() ? draft_.table.name(number - 1) : "";
  }

  void ask_goal(const std::string& name) {
    const std::size_t j = draft_.table.index(name);
    if (has_levels(draft_.about[j].type)) return;
    const std::vector<double> cells = sorted_cells(draft_.table, j);
    constexpr double kUpperQuartile = 0.75;
    const double guess = shortened(observed_quantile(cells, kUpperQuartile), cells.back() - cells.front());
    while (true) {
      const auto line = answer(fmt::format("At least which value of {} is wanted? [{}]", name, guess));
      if (!line || line->find_first_not_of(" \t\r") == std::string::npos) return;
      try {
        std::size_t used = 0;
        const double value = std::stod(*line, &used);
        if (std::isfinite(value) && line->find_first_not_of(" \t\r", used) == std::string::npos) {
          draft_.at_least[name] = value;
          return;
        }
      } catch (const std::exception&) {  // said below
      }
      print_message(fmt::format("'{}' is not a number.\n", *line));
    }
  }

  Draft& draft_;
  const Session& session_;
};

// The path of the table as the task names it: from the folder of the task.
std::string path_from_task(const std::string& data, const std::string& task) {
  if (data == "-") return "";
  if (std::filesystem::path(data).is_absolute()) return data;
  const std::filesystem::path folder = std::filesystem::path(task).parent_path();
  if (folder.empty()) return data;
  return std::filesystem::proximate(data, folder).string();
}

// Columns without which the task is sound, for "reading"; those with a role stay.
void leave_out_columns(Draft& draft) {
  const auto has_role = [&](const std::string& name) {
    return has_name(draft.levers, name) || has_name(draft.outcomes, name) || has_name(draft.context, name);
  };
  for (const Problem& problem : draft.problems) {
    Names candidates;
    if (problem.code == "identifier" || problem.code == "date" || problem.code == "constant")
      candidates = problem.columns;
    // Of two copies one must go: the later, unless it has a role.
    if (problem.code == "equal" || problem.code == "proportional" || problem.code == "affine")
      candidates = {has_role(problem.columns.back()) ? problem.columns.front() : problem.columns.back()};
    for (const std::string& name : candidates) {
      if (!has_role(name) && !has_name(draft.left_out, name)) draft.left_out.push_back(name);
    }
  }
  if (draft.left_out.size() >= draft.table.columns()) draft.left_out.clear();
}

// The options that worked, as far as they are not what everybody has.
Json reading_of(const DataOptions& options, const ReadResult& read, const Draft& draft) {
  Json reading = to_json(read.used);
  const auto is = [&](const char* key, const Json& value) { return reading.contains(key) && reading[key] == value; };
  if (is("delimiter", ",")) reading.erase("delimiter");
  if (is("decimal", ".")) reading.erase("decimal");
  if (is("header", "true") || is("header", true)) reading.erase("header");
  if (options.constant != "error") reading["constant"] = options.constant;
  Names dropped = read.used.drop_columns;
  dropped.insert(dropped.end(), draft.left_out.begin(), draft.left_out.end());
  if (!dropped.empty()) reading["drop_columns"] = dropped;
  return reading.is_null() ? Json::object() : reading;
}

void take_roles(const Draft& draft, ReadFacts& facts) {
  facts.outcomes = draft.outcomes;
  facts.roles.clear();
  for (const auto* names : {&draft.levers, &draft.outcomes, &draft.context})
    facts.roles.insert(facts.roles.end(), names->begin(), names->end());
}

// What learning would still refuse about the table, whose superfluous columns are left out.
std::string remaining_fault(const Draft& draft, const ReadFacts& facts, const Session& session) {
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < draft.table.columns(); ++j) {
    if (!has_name(draft.left_out, draft.table.name(j))) kept.push_back(j);
  }
  for (const Problem& problem :
       check_table(draft.table.with_columns(kept), session.context(), CheckDepth::kCheap, &facts)) {
    if (problem.severity == Severity::kError)
      return problem.text + " " + remedy_text(problem.remedies, session.spelling());
  }
  return "";
}

int run_init(const InitArguments& arguments) {
  const std::string file = arguments.common.output;
  CommonOptions common = arguments.common;
  common.output.clear();  // the task here, not the JSON
  Session session(common);
  session.reserve_file(file, "-o");
  ReadResult read = read_data(arguments.data, session);
  session.warn(read.warnings);
  complete_table(read, arguments.data, nullptr, 1, session);
  Draft draft;
  draft.table = read.table;
  for (std::size_t j = 0; j < read.table.columns(); ++j) {
    const Column& about = read.table.about(j);
    draft.about.push_back(about.declared || !about.reason.empty() ? about : guess_column(read.table.column(j)));
  }
  draft.levers = single_names(read.table, arguments.levers, "lever");
  draft.outcomes = single_names(read.table, arguments.outcomes, "outcome");
  draft.context = single_names(read.table, arguments.context, "context");
  draft.data = path_from_task(arguments.data.file, file);
  check_role_names(read.table, draft);
  ReadFacts facts = read_facts(read);
  take_roles(draft, facts);
  draft.problems = check_table(read.table, session.context(), CheckDepth::kThorough, &facts);
  leave_out_columns(draft);
  const bool asked =
      arguments.data.file != "-" && isatty(STDIN_FILENO) != 0 && (draft.levers.empty() || draft.outcomes.empty());
  if (asked) {
    Interview(draft, session).hold();
    take_roles(draft, facts);
    leave_out_columns(draft);
  }
  draft.reading = reading_of(arguments.data, read, draft);
  const std::string text = DraftText(draft).text();

  const bool has_roles = !draft.levers.empty() && !draft.outcomes.empty();
  const bool complete = has_roles && !draft.data.empty();
  const std::string fault = has_roles ? remaining_fault(draft, facts, session) : "";
  Json json;
  json["data"] = {{"source", read.table.source()}, {"rows", read.table.rows()}, {"columns", read.table.columns()}};
  json["complete"] = complete;
  json["draft"] = text;
  json["problems"] = Json::array();
  for (const Problem& problem : draft.problems) json["problems"].push_back(to_json(problem, session.spelling()));
  std::string said = text;
  if (!fault.empty() && !common.quiet) print_message(fmt::format("To be mended before a decision: {}\n", fault));
  if (!file.empty()) {
    said = fmt::format("Written: {}.\n", file);
    const std::string word = shell_word(file);
    said += complete    ? fmt::format("Read it, then: olem check {}, olem decide {}\n", word, word)
            : has_roles ? fmt::format("Fill in the path of the table (\"data\"); then: olem check {}, olem decide {}\n",
                                      word, word)
                        : fmt::format(
                              "Fill in what can be set, what is to change and where it is wanted; then: olem check {}\n"
                              "Or name the columns: olem init {} --lever NAME --outcome NAME\n",
                              word, shell_word(arguments.data.file));
  } else if (!has_roles && !common.quiet) {
    print_message(
        "The task lacks levers or outcomes. Fill them in, or name them with --lever NAME and --outcome NAME.\n");
  }
  session.finish("init", json, to_json(arguments.data), said, "", [&] {
    if (!file.empty()) write_file_atomically(file, text, common.force);
  });
  return 0;
}

void add_role(CLI::App& verb, const std::string& flag, Names& names, const std::string& help) {
  verb.add_option(flag, names, help)
      ->type_name("NAMES")
      ->expected(1)
      ->allow_extra_args(false)  // or the next word, which may be TABLE, would be a value too
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->group("Roles");
}

}  // namespace

std::function<int()> fill_init_verb(CLI::App* verb) {
  auto arguments = std::make_shared<InitArguments>();
  add_data_options(*verb, arguments->data, "TABLE");
  add_role(*verb, "--lever", arguments->levers, "columns that can be set, separated by commas; may be repeated");
  add_role(*verb, "--outcome", arguments->outcomes, "columns that are to change, separated by commas; may be repeated");
  add_role(*verb, "--context", arguments->context,
           "columns that are known before the decision, separated by commas; may be repeated");
  add_common_options(*verb, arguments->common, "the task file to write (default: print it)");
  verb->footer(R"(
Examples:
  olem init data.csv -o task.json --lever price --outcome sales --context season,region
  olem init data.csv > task.json
  olem init data.csv --missing drop --drop-columns id -o task.json

The task has comments that say what each guess is and where it comes from. Domains are the 5 % to 95 % quantiles of the
levers; an outcome is wanted at its upper quartile or above; observed values are medians. At a terminal, roles that
are not given are asked for.

Exit codes: 0 done, 2 usage, 3 bad input, 5 file, 6 memory or time, 130 interrupted.)");
  return [arguments] { return run_init(*arguments); };
}

}  // namespace olem::app

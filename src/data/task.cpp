#include "olem/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/json_text.h"
#include "data/csv_number.h"
#include "data/reading.h"
#include "data/task_keys.h"
#include "olem/file.h"
#include "olem/options.h"

namespace olem {

using namespace internal;

namespace {

using Keys = std::vector<std::string>;
using Names = std::vector<std::string>;

const Names kTaskKeys = {"name",        "note",     "data",    "reading",      "columns", "context",
                         "alterable",   "outcome",  "desired", "observed",     "cost",    "max_alterations",
                         "constraints", "sequence", "before",  "known_before", "after",   "ignore",
                         "set_by_hand", "group",    "weight",  "time"};
const Names kDomainKeys = {"min", "max", "step", "values"};
const Names kConstraintKeys = {"weights", "max"};
const Names kCostKeys = {"weight", "datum", "power"};
const Names kStepKeys = {"alter", "then_observe"};
const Names kColumnKeys = {"type", "levels", "unit", "label"};

Names reading_keys() {
  Names keys = read_option_keys();
  keys.emplace_back("constant");
  return keys;
}

std::string quoted(const Names& names) {
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(fmt::format("\"{}\"", name));
  if (items.size() == 1) return items.front();
  return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

// What a task calls what people know by another word.
std::string key_for(std::string_view word) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"lever", "alterable"}, {"levers", "alterable"}, {"goal", "desired"},
      {"target", "desired"},  {"targets", "desired"},  {"drop", "ignore"},
      {"exclude", "ignore"},  {"table", "data"},       {"file", "data"},
  };
  for (const auto& [other, key] : kWords) {
    if (word == other) return std::string(key);
  }
  return "";
}

// The document together with its text, so that a complaint has a line.
class TaskReader {
 public:
  TaskReader(std::string_view text, const std::string& source)
      : text_(text), source_(source), document_(parse_json_text(text, source)) {}

  Task read() const {
    if (!document_.is_object())
      fail({}, fmt::format("A task must be one JSON object with keys {}.", quoted(kTaskKeys)));
    check_keys(document_, kTaskKeys, {});
    Task task;
    task.source = source_;
    if (const Json* const data = find("data")) {
      if (!data->is_string()) fail({"data"}, must_be("\"data\"", *data, "the path of a CSV or .npy file in quotes"));
      task.data = data->get<std::string>();
    }
    if (const Json* const text = find("name")) task.name = words(*text, {"name"});
    if (const Json* const text = find("note")) task.note = words(*text, {"note"});
    if (const Json* const object = find("columns")) task.columns = read_columns(*object);
    if (const Json* const object = find("reading")) task.reading = read_reading(*object);
    if (const Json* const list = find("context")) task.context = names(*list, "context");
    if (const Json* const list = find("outcome")) task.outcome = names(*list, "outcome");
    if (const Json* const domains = find("alterable")) task.alterable = read_domains(*domains);
    if (const Json* const desired = find("desired")) task.desired = read_region(*desired, task.outcome);
    if (const Json* const observed = find("observed")) read_observed(*observed, task);
    if (const Json* const cost = find("cost")) read_cost(*cost, task);
    if (const Json* const most = find("max_alterations")) task.max_alterations = read_count(*most);
    if (const Json* const list = find("constraints")) task.constraints = read_constraints(*list);
    if (const Json* const list = find("sequence")) task.sequence = read_sequence(*list);
    if (const Json* const list = find("before")) task.before = read_pairs(*list);
    if (const Json* const list = find("known_before")) task.known_before = names(*list, "known_before");
    if (const Json* const list = find("after")) task.after = names(*list, "after");
    if (const Json* const list = find("ignore")) task.ignore = names(*list, "ignore");
    if (const Json* const object = find("set_by_hand")) task.set_by_hand = read_set_by_hand(*object);
    if (const Json* const text = find("group")) task.group = column_name(*text, "group");
    if (const Json* const text = find("weight")) task.weight = column_name(*text, "weight");
    if (const Json* const text = find("time")) task.time = column_name(*text, "time");
    return task;
  }

 private:
  [[noreturn]] void fail(const Keys& keys, const std::string& message) const {
    const std::size_t line = keys.empty() ? 0 : json_key_line(text_, keys);
    throw Error(ErrorCategory::kData, line == 0 ? fmt::format("{}: {}", source_, message)
                                                : fmt::format("{}, line {}: {}", source_, line, message));
  }

  static std::string must_be(const std::string& what, const Json& value, std::string_view rule) {
    constexpr std::size_t kShown = 60;
    return fmt::format("{} is {}, but must be {}.", what, show_text(value.dump(), kShown), rule);
  }

  const Json* find(const char* key) const {
    const auto entry = document_.find(key);
    return entry == document_.end() ? nullptr : &*entry;
  }

  // `where`: the keys that lead to `object`.
  void check_keys(const Json& object, const Names& known, const Keys& where) const {
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const std::string word = where.empty() ? key_for(key) : "";
      const std::string near = word.empty() ? closest_name(key, known) : word;
      Keys keys = where;
      keys.push_back(key);
      fail(keys, fmt::format("The key \"{}\" is not known.{} The {} {}.", show_text(key),
                             near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", near),
                             known.size() == 1 ? "only key is" : "keys are", quoted(known)));
    }
  }

  Names names(const Json& list, const std::string& key) const {
    constexpr std::string_view kRule = "a list of column names, such as [\"a\", \"b\"]";
    if (!list.is_array()) fail({key}, must_be(fmt::format("\"{}\"", key), list, kRule));
    Names result;
    for (const Json& name : list) {
      if (!name.is_string() || name.get_ref<const std::string&>().empty()) {
        fail({key}, must_be(fmt::format("\"{}\"", key), list, kRule));
      }
      result.push_back(name.get<std::string>());
    }
    return result;
  }

  std::string words(const Json& text, const Keys& keys) const {
    if (!text.is_string()) fail(keys, must_be(fmt::format("\"{}\"", keys.back()), text, "a text in quotes"));
    return text.get<std::string>();
  }

  std::vector<ColumnDeclaration> read_columns(const Json& object) const {
    if (!object.is_object()) {
      fail({"columns"}, must_be("\"columns\"", object,
                                "an object of names and types, such as {\"heating\": \"binary\", \"grade\": {\"type\": "
                                "\"ordinal\", \"levels\": [\"poor\", \"good\"]}}"));
    }
    std::vector<ColumnDeclaration> columns;
    for (const auto& [name, about] : object.items()) columns.push_back(read_column(name, about));
    return columns;
  }

  ColumnDeclaration read_column(const std::string& name, const Json& about) const {
    const Keys keys = {"columns", name};
    ColumnDeclaration column;
    column.name = name;
    if (name.empty()) fail({"columns"}, "\"columns\" holds a column without a name.");
    if (about.is_string()) {
      column.type = read_type(name, about, keys);
      return column;
    }
    if (!about.is_object()) {
      fail(keys, must_be(fmt::format("'{}' in \"columns\"", name), about,
                         "a type in quotes, or an object with \"type\", \"levels\", \"unit\" and \"label\""));
    }
    check_keys(about, kColumnKeys, keys);
    if (about.contains("type")) column.type = read_type(name, about["type"], {"columns", name, "type"});
    if (about.contains("levels")) column.levels = read_levels(name, about["levels"]);
    if (about.contains("unit")) column.unit = words(about["unit"], {"columns", name, "unit"});
    if (about.contains("label")) column.label = words(about["label"], {"columns", name, "label"});
    if (column.type && !has_levels(*column.type) && !column.levels.empty()) {
      fail({"columns", name, "levels"},
           fmt::format("'{}' is declared as {} and with levels, which ordinal, binary and category columns have.", name,
                       column_type_name(*column.type)));
    }
    return column;
  }

  ColumnType read_type(const std::string& name, const Json& type, const Keys& keys) const {
    const Names types = column_type_names();
    const auto found = type.is_string() ? find_column_type(type.get<std::string>()) : std::nullopt;
    if (!found) {
      const std::string near = type.is_string() ? closest_name(type.get<std::string>(), types) : "";
      fail(keys, must_be(fmt::format("The type of '{}'", name), type, fmt::format("one of {}", quoted(types))) +
                     (near.empty() ? "" : fmt::format(" Did you mean \"{}\"?", near)));
    }
    return *found;
  }

  // A level may be written as a number.
  Names read_levels(const std::string& name, const Json& list) const {
    const Keys keys = {"columns", name, "levels"};
    const auto is_level = [](const Json& level) {
      return level.is_number() || (level.is_string() && !level.get_ref<const std::string&>().empty());
    };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_level)) {
      fail(keys, must_be(fmt::format("\"levels\" of '{}'", name), list,
                         "a list of words or numbers, such as [\"poor\", \"good\"]"));
    }
    Names levels;
    for (const Json& level : list) {
      levels.push_back(level.is_string() ? level.get<std::string>() : fmt::format("{}", level.get<double>()));
      if (std::find(levels.begin(), levels.end() - 1, levels.back()) != levels.end() - 1)
        fail(keys, fmt::format("\"levels\" of '{}' holds '{}' twice.", name, show_text(levels.back())));
    }
    return levels;
  }

  // As a user would type it.
  static std::optional<std::string> typed(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number() || value.is_boolean()) return value.dump();
    return std::nullopt;
  }

  // One text, or for a key that may be repeated several: a list with commas, of {"NAME": "TYPE"} NAME=TYPE for each.
  static std::optional<Names> typed_texts(const std::string& key, const Json& value) {
    if (!value.is_array() && !value.is_object()) {
      const std::optional<std::string> text = typed(value);
      return text ? std::optional(Names{*text}) : std::nullopt;
    }
    if (value.is_object() && key != kRepeatedReadingKey) return std::nullopt;
    Names items;
    for (const auto& [name, entry] : value.items()) {
      const std::optional<std::string> text = typed(entry);
      if (!text) return std::nullopt;
      items.push_back(value.is_object() ? name + "=" + *text : *text);
    }
    return key == kRepeatedReadingKey ? items : Names{name_list(items)};
  }

  std::vector<std::pair<std::string, std::string>> read_reading(const Json& object) const {
    if (!object.is_object()) {
      fail({"reading"},
           must_be("\"reading\"", object,
                   "an object of options and values, such as {\"delimiter\": \";\", \"missing\": \"drop\"}"));
    }
    check_keys(object, reading_keys(), {"reading"});
    ReadingOptions options;
    std::vector<std::pair<std::string, std::string>> reading;
    for (const auto& [key, value] : object.items()) {
      const std::optional<Names> texts = typed_texts(key, value);
      if (!texts) {
        fail({"reading", key}, must_be(fmt::format("\"{}\" in \"reading\"", key), value,
                                       "a text, a number, true or false, or a list of names"));
      }
      try {
        for (const std::string& text : *texts) set_reading_option(options, key, text);
      } catch (const Error& error) {
        fail({"reading", key}, fmt::format("\"{}\" in \"reading\": {}", key, error.finding()));
      }
      // The option says that there is a header; a task may say that there is none.
      const bool absent = key == "header" && *texts == Names{"false"};
      for (const std::string& text : *texts) reading.emplace_back(absent ? "no_header" : key, absent ? "true" : text);
    }
    return reading;
  }

  void read_observed(const Json& object, Task& task) const {
    if (!object.is_object()) {
      fail({"observed"},
           must_be("\"observed\"", object, "an object of names and values, such as {\"a\": 0.5, \"b\": \"on\"}"));
    }
    for (const auto& [name, value] : object.items()) {
      if (value.is_number()) {
        task.observed.push_back({name, value.get<double>()});
      } else if (value.is_boolean()) {
        task.observed_words.push_back({name, value.dump()});
      } else if (value.is_string() && !value.get_ref<const std::string&>().empty()) {
        task.observed_words.push_back({name, value.get<std::string>()});
      } else if (value.is_null()) {
        task.unknown.push_back(name);
      } else {
        fail({"observed", name}, must_be(fmt::format("'{}' in \"observed\"", name), value,
                                         "a number, a level in quotes, true or false, or null"));
      }
    }
  }

  std::string column_name(const Json& text, const std::string& key) const {
    if (!text.is_string() || text.get_ref<const std::string&>().empty())
      fail({key}, must_be(fmt::format("\"{}\"", key), text, "the name of a column in quotes"));
    return text.get<std::string>();
  }

  std::vector<SetByHand> read_set_by_hand(const Json& object) const {
    constexpr std::string_view kRule =
        "the name of a column of 0 and 1, or of no and yes, in quotes; true stands for all rows, false for none";
    if (!object.is_object()) {
      fail({"set_by_hand"}, must_be("\"set_by_hand\"", object,
                                    "an object of variables and columns, such as {\"price\": \"price_was_set\"}"));
    }
    std::vector<SetByHand> result;
    for (const auto& [name, column] : object.items()) {
      const bool is_name = column.is_string() && !column.get_ref<const std::string&>().empty();
      if (name.empty() || (!is_name && !column.is_boolean()))
        fail({"set_by_hand", name}, must_be(fmt::format("'{}' in \"set_by_hand\"", name), column, kRule));
      if (is_name) {
        result.push_back({name, column.get<std::string>()});
      } else if (column.get<bool>()) {
        result.push_back({name, ""});
      }
    }
    return result;
  }

  // A weight, or an object with what else belongs to the cost of a lever.
  void read_cost(const Json& object, Task& task) const {
    if (!object.is_object())
      fail({"cost"}, must_be("\"cost\"", object, "an object of names and numbers, such as {\"a\": 0.5}"));
    for (const auto& [name, value] : object.items()) {
      if (value.is_number()) {
        task.cost.push_back({name, value.get<double>()});
        continue;
      }
      if (!value.is_object() || !value.contains("weight")) {
        fail({"cost", name}, must_be(fmt::format("'{}' in \"cost\"", name), value,
                                     "a number, or an object such as {\"weight\": 10, \"datum\": 0, \"power\": 2}"));
      }
      check_keys(value, kCostKeys, {"cost", name});
      for (const auto& [key, number] : value.items()) {
        if (!number.is_number())
          fail({"cost", name, key}, must_be(fmt::format("\"{}\" of the cost of '{}'", key, name), number, "a number"));
      }
      CostForm form{name, std::nullopt, 1};
      if (value.contains("datum")) form.datum = value["datum"].get<double>();
      if (value.contains("power")) {
        const double power = value["power"].get<double>();
        if (power != 1.0 && power != 2.0) {
          fail({"cost", name, "power"}, must_be(fmt::format("\"power\" of the cost of '{}'", name), value["power"],
                                                "1 for the distance or 2 for its square"));
        }
        form.power = static_cast<int>(power);
      }
      task.cost.push_back({name, value["weight"].get<double>()});
      if (form.datum || form.power != 1) task.cost_forms.push_back(form);
    }
  }

  // A list of numbers and words, of which there is at least one.
  void read_values(const Json& list, const Keys& keys, const std::string& what, std::vector<double>& values,
                   Names& words) const {
    const auto is_value = [](const Json& value) {
      return value.is_number() || value.is_boolean() ||
             (value.is_string() && !value.get_ref<const std::string&>().empty());
    };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_value)) {
      fail(keys, must_be(fmt::format("\"values\" of {}", what), list,
                         "a list of numbers or of levels in quotes, such as [\"off\", \"on\"]"));
    }
    for (const Json& value : list) {
      if (value.is_number()) {
        values.push_back(value.get<double>());
      } else {
        words.push_back(value.is_string() ? value.get<std::string>() : value.dump());
      }
    }
  }

  std::vector<LeverDomain> read_domains(const Json& domains) const {
    if (!domains.is_object()) {
      fail({"alterable"}, must_be("\"alterable\"", domains,
                                  "an object that gives every variable its domain, such as {\"dose\": [0, 10]}"));
    }
    std::vector<LeverDomain> result;
    for (const auto& [name, domain] : domains.items()) result.push_back(read_domain(name, domain));
    return result;
  }

  LeverDomain read_domain(const std::string& name, const Json& domain) const {
    const Keys keys = {"alterable", name};
    if (domain.is_object()) {
      check_keys(domain, kDomainKeys, keys);
      LeverDomain lever{.name = name};
      if (domain.contains("values")) {
        if (domain.size() > 1) {
          fail(keys,
               fmt::format("The domain of '{}' has \"values\" and other keys. Give a list, or ends and a step.", name));
        }
        read_values(domain["values"], {"alterable", name, "values"}, fmt::format("'{}'", name), lever.values,
                    lever.words);
        return lever;
      }
      const auto number = [&](const char* key) {
        const Json& value = domain[key];
        if (!value.is_number())
          fail({"alterable", name, key}, must_be(fmt::format("\"{}\" of '{}'", key, name), value, "a number"));
        return value.get<double>();
      };
      if (domain.contains("min") != domain.contains("max") || (domain.contains("step") && !domain.contains("min"))) {
        fail(keys, fmt::format("The domain of '{}' lacks \"{}\". Give \"min\" and \"max\".", name,
                               domain.contains("min") ? "max" : "min"));
      }
      if (domain.contains("min")) {
        lever.low = number("min");
        lever.high = number("max");
      }
      if (domain.contains("step")) {
        lever.step = number("step");
        if (!(lever.step > 0.0))
          fail({"alterable", name, "step"},
               fmt::format("\"step\" of '{}' is {}, but must be above 0.", name, lever.step));
      }
      return lever;
    }
    if (!domain.is_array() || domain.size() != 2 || !domain[0].is_number() || !domain[1].is_number()) {
      fail(keys,
           must_be(fmt::format("The domain of '{}'", name), domain,
                   domain.is_array() && domain.size() == 2 && !domain[0].is_string() && !domain[1].is_string()
                       ? "its least and its greatest value, such as [-1, 1]; both must be given"
                       : "its least and its greatest value, such as [-1, 1], {\"min\": 2, \"max\": 6, \"step\": 1}, "
                         "or {\"values\": [\"off\", \"on\"]}; {} stands for all levels of its column"));
    }
    return {name, domain[0].get<double>(), domain[1].get<double>()};
  }

  Region read_region(const Json& desired, const Names& outcomes) const {
    if (!desired.is_object()) {
      fail({"desired"}, must_be("\"desired\"", desired,
                                "an object of ranges, such as {\"NEC\": [0.5, null]}, of \"M\" and \"d\", or of "
                                "\"centre\" and \"radius\""));
    }
    if (outcomes.empty()) return {};  // nothing to desire; check_task says so
    const auto names_outcome = [&](const char* key) {
      return std::find(outcomes.begin(), outcomes.end(), key) != outcomes.end();
    };
    if ((desired.contains("centre") && !names_outcome("centre")) ||
        (desired.contains("radius") && !names_outcome("radius")))
      return read_ellipse(desired, outcomes);
    const auto matrix = desired.find("M");
    const bool is_outcome = std::find(outcomes.begin(), outcomes.end(), "M") != outcomes.end();
    if (matrix == desired.end() || (is_outcome && !holds_lists(*matrix))) return read_box(desired, outcomes);
    return read_polytope(desired, outcomes);
  }

  static bool holds_lists(const Json& value) {
    return value.is_array() && std::any_of(value.begin(), value.end(), [](const Json& x) { return x.is_array(); });
  }

  Region read_box(const Json& desired, const Names& outcomes) const {
    for (const auto& [name, range] : desired.items()) {
      if (std::find(outcomes.begin(), outcomes.end(), name) == outcomes.end()) {
        const std::string near = closest_name(name, outcomes);
        fail({"desired", name},
             fmt::format("\"desired\" holds '{}', which is not in \"outcome\".{}", name,
                         near.empty() ? fmt::format(" The outcomes are {}.", fmt::join(outcomes, ", "))
                                      : fmt::format(" Did you mean '{}'?", near)));
      }
      const auto is_side = [](const Json& side) { return side.is_number() || side.is_null(); };
      const bool is_range = range.is_array() && range.size() == 2 && is_side(range[0]) && is_side(range[1]);
      const bool is_level = range.is_number() || range.is_boolean() ||
                            (range.is_string() && !range.get_ref<const std::string&>().empty());
      // The ends of an interval are written as a range here.
      if (range.is_object() && !range.contains("min") && !range.contains("max"))
        check_keys(range, {"values"}, {"desired", name});
      if (!is_range && !is_level && !(range.is_object() && range.contains("values"))) {
        fail(
            {"desired", name},
            must_be(fmt::format("What is desired of '{}'", name), range,
                    "a range, such as [0.5, 2] or, for at least 0.5, [0.5, null]; a level, such as \"yes\"; or levels, "
                    "such as {\"values\": [\"good\", \"very good\"]}"));
      }
    }
    std::vector<OutcomeRange> ranges;
    for (const std::string& outcome : outcomes) {
      const auto range = desired.find(outcome);
      if (range == desired.end()) {
        fail({"desired"},
             fmt::format("\"desired\" does not say what is wanted of '{}'. Give its range, or [null, null] "
                         "when it does not matter.",
                         outcome));
      }
      OutcomeRange& wanted = ranges.emplace_back();
      wanted.outcome = outcome;
      if (range->is_object()) {
        read_values((*range)["values"], {"desired", outcome, "values"}, fmt::format("'{}'", outcome), wanted.values,
                    wanted.words);
        continue;
      }
      if (range->is_string()) wanted.words.push_back(range->get<std::string>());
      if (range->is_boolean()) wanted.words.push_back(range->dump());
      if (range->is_number()) wanted.values.push_back(range->get<double>());
      if (!range->is_array()) continue;
      const auto side = [&](std::size_t i) {
        return (*range)[i].is_null() ? std::nullopt : std::optional((*range)[i].get<double>());
      };
      wanted.low = side(0);
      wanted.high = side(1);
    }
    return Region::box(ranges, source_);
  }

  Region read_ellipse(const Json& desired, const Names& outcomes) const {
    check_keys(desired, {"centre", "radius"}, {"desired"});
    if (!desired.contains("centre") || !desired.contains("radius"))
      fail({"desired"}, "\"desired\" has one of \"centre\" and \"radius\", but a ball or an ellipse needs both.");
    const auto is_number = [](const Json& value) { return value.is_number(); };
    const auto is_list = [&](const Json& value) {
      return value.is_array() && std::all_of(value.begin(), value.end(), is_number);
    };
    const Json& centre = desired.at("centre");
    const Json& radius = desired.at("radius");
    if (!is_list(centre))
      fail({"desired", "centre"}, must_be("\"centre\"", centre, "a list of numbers, one for each outcome"));
    if (!radius.is_number() && !is_list(radius)) {
      fail({"desired", "radius"},
           must_be("\"radius\"", radius, "a number, or a list of numbers, one for each outcome"));
    }
    return Region::ellipse(outcomes, centre.get<std::vector<double>>(),
                           radius.is_number() ? std::vector<double>(outcomes.size(), radius.get<double>())
                                              : radius.get<std::vector<double>>(),
                           source_);
  }

  Region read_polytope(const Json& desired, const Names& outcomes) const {
    check_keys(desired, {"M", "d"}, {"desired"});
    const auto bounds = desired.find("d");
    if (bounds == desired.end())
      fail({"desired"}, "\"desired\" has \"M\" but not \"d\". A region M y <= d needs both.");
    const auto is_number = [](const Json& value) { return value.is_number(); };
    const auto is_list = [&](const Json& value) {
      return value.is_array() && std::all_of(value.begin(), value.end(), is_number);
    };
    const Json& matrix = desired.at("M");
    if (!matrix.is_array() || !std::all_of(matrix.begin(), matrix.end(), is_list)) {
      fail({"desired", "M"},
           must_be("\"M\"", matrix, "a list of rows with one number for each outcome, such as [[1, 0], [0, -1]]"));
    }
    if (!is_list(*bounds)) {
      fail({"desired", "d"}, must_be("\"d\"", *bounds, "a list of numbers, one for each row of \"M\""));
    }
    return Region::polytope(outcomes, matrix.get<std::vector<std::vector<double>>>(),
                            bounds->get<std::vector<double>>(), source_);
  }

  int read_count(const Json& value) const {
    constexpr int kMost = 1'000'000;
    if (!value.is_number_integer() || value.get<double>() < 1.0 || value.get<double>() > kMost) {
      fail({"max_alterations"}, must_be("\"max_alterations\"", value, "a whole number of at least 1"));
    }
    return value.get<int>();
  }

  std::vector<AlterationConstraint> read_constraints(const Json& list) const {
    constexpr std::string_view kRule =
        "a list of constraints, such as [{\"weights\": {\"a\": 1, \"b\": 2}, \"max\": 3}]";
    if (!list.is_array()) fail({"constraints"}, must_be("\"constraints\"", list, kRule));
    std::vector<AlterationConstraint> result;
    for (const Json& entry : list) {
      const std::string what = fmt::format("Constraint {}", result.size() + 1);
      const bool complete = entry.is_object() && entry.contains("weights") && entry.contains("max");
      if (!complete) fail({"constraints"}, must_be(what, entry, "an object with \"weights\" and \"max\""));
      check_keys(entry, kConstraintKeys, {"constraints"});
      const Json& weights = entry.at("weights");
      const auto is_number = [](const Json& value) { return value.is_number(); };
      if (!weights.is_object() || weights.empty() || !std::all_of(weights.begin(), weights.end(), is_number)) {
        fail({"constraints"}, must_be(fmt::format("\"weights\" of constraint {}", result.size() + 1), weights,
                                      "an object of names and numbers, such as {\"a\": 1, \"b\": 2}"));
      }
      if (!entry.at("max").is_number()) {
        fail({"constraints"},
             must_be(fmt::format("\"max\" of constraint {}", result.size() + 1), entry.at("max"), "a number"));
      }
      AlterationConstraint& constraint = result.emplace_back();
      for (const auto& [name, weight] : weights.items()) constraint.weights.push_back({name, weight.get<double>()});
      constraint.max = entry.at("max").get<double>();
    }
    return result;
  }

  std::vector<SequenceStep> read_sequence(const Json& list) const {
    constexpr std::string_view kRule =
        "a list of steps, such as [{\"alter\": [\"a\"], \"then_observe\": [\"b\"]}, {\"alter\": [\"c\"]}]";
    const auto is_step = [](const Json& step) { return step.is_object() && !step.empty(); };
    if (!list.is_array() || list.empty() || !std::all_of(list.begin(), list.end(), is_step))
      fail({"sequence"}, must_be("\"sequence\"", list, kRule));
    std::vector<SequenceStep> steps;
    for (const Json& step : list) {
      check_keys(step, kStepKeys, {"sequence"});
      const auto names_of = [&](const char* key) {
        if (!step.contains(key)) return Names{};
        const Json& entry = step[key];
        const auto is_name = [](const Json& name) {
          return name.is_string() && !name.get_ref<const std::string&>().empty();
        };
        if (!entry.is_array() || !std::all_of(entry.begin(), entry.end(), is_name)) {
          fail({"sequence"}, must_be(fmt::format("\"{}\" of step {}", key, steps.size() + 1), entry,
                                     "a list of column names, such as [\"a\", \"b\"]"));
        }
        return entry.get<Names>();
      };
      SequenceStep read{names_of("alter"), names_of("then_observe")};
      steps.push_back(std::move(read));
    }
    return steps;
  }

  std::vector<std::pair<std::string, std::string>> read_pairs(const Json& list) const {
    const std::string rule = "a list of pairs of column names, such as [[\"a\", \"b\"], [\"b\", \"c\"]]";
    if (!list.is_array()) fail({"before"}, must_be("\"before\"", list, rule));
    std::vector<std::pair<std::string, std::string>> pairs;
    for (const Json& entry : list) {
      const bool is_chain = entry.is_array() && entry.size() >= 2 &&
                            std::all_of(entry.begin(), entry.end(), [](const Json& name) { return name.is_string(); });
      if (!is_chain) fail({"before"}, must_be("An entry of \"before\"", entry, "at least two column names in a list"));
      for (std::size_t i = 0; i + 1 < entry.size(); ++i) {
        pairs.emplace_back(entry[i].get<std::string>(), entry[i + 1].get<std::string>());
      }
    }
    return pairs;
  }

  std::string_view text_;
  const std::string& source_;
  Json document_;
};

}  // namespace

Task parse_task(std::string_view text, const std::string& source) { return TaskReader(text, source).read(); }

Task read_task(const std::string& path) { return parse_task(read_file(path), path == "-" ? "standard input" : path); }

void set_reading_option(ReadingOptions& options, const std::string& key, const std::string& text) {
  if (key != "constant") return set_read_option(options.read, key, text);
  if (text != "error" && text != "drop")
    throw Error::of_option(key, fmt::format("'{}' is not one of: error, drop.", show_text(text)));
  options.constant = text == "drop" ? ConstantPolicy::kDrop : ConstantPolicy::kError;
}

ReadingOptions reading_options(const Task& task) {
  ReadingOptions options;
  for (const auto& [key, text] : task.reading) set_reading_option(options, key, text);
  const std::vector<DeclaredType> types = declared_words(task);
  options.read.types.insert(options.read.types.end(), types.begin(), types.end());
  return options;
}

std::vector<DeclaredType> declared_words(const Task& task) {
  std::vector<DeclaredType> types;
  for (const ColumnDeclaration& column : task.columns) {
    const bool by_reading = std::any_of(task.reading.begin(), task.reading.end(), [&](const auto& option) {
      return option.first == kRepeatedReadingKey && option.second.starts_with(column.name + "=");
    });
    // A declared level is one, also where the word would mean a missing value: "none".
    const bool odd_words = std::any_of(column.levels.begin(), column.levels.end(), is_missing_cell);
    if (!by_reading && (column.type == ColumnType::kCategory || column.type == ColumnType::kOrdinal || odd_words))
      types.push_back({column.name, ColumnType::kCategory, {}, odd_words ? column.levels : std::vector<std::string>()});
  }
  const bool declared = std::any_of(task.columns.begin(), task.columns.end(),
                                    [&](const ColumnDeclaration& column) { return column.name == task.group; });
  // Groups are names, however many there are.
  if (!task.group.empty() && !declared) types.push_back({task.group, ColumnType::kCategory, {}, {}});
  return types;
}

Table declare_columns(const Table& table, const Task& task) {
  return declare_columns(table, task, reading_options(task).read);
}

Table declare_columns(const Table& table, const Task& task, const ReadOptions& read) {
  if (task.columns.empty()) return table;
  Names left_out = unused_columns(task);
  left_out.insert(left_out.end(), read.drop_columns.begin(), read.drop_columns.end());
  if (!read.columns.empty()) {
    for (const ColumnDeclaration& column : task.columns) {
      if (std::find(read.columns.begin(), read.columns.end(), column.name) == read.columns.end())
        left_out.push_back(column.name);
    }
  }
  return declare_columns(table, task.columns, task.source, left_out);
}

bool looks_like_task(std::string_view beginning) {
  if (beginning.starts_with("\xEF\xBB\xBF")) beginning.remove_prefix(3);
  while (true) {
    beginning.remove_prefix(std::min(beginning.find_first_not_of(" \t\r\n"), beginning.size()));
    std::string_view end;
    if (beginning.starts_with("//")) end = "\n";
    if (beginning.starts_with("/*")) end = "*/";
    if (end.empty()) return beginning.starts_with("{");
    const std::size_t behind = beginning.find(end, 2);
    if (behind == std::string_view::npos) return false;
    beginning.remove_prefix(behind + end.size());
  }
}

std::vector<std::string> unused_columns(const Task& task) {
  std::vector<std::string> unused = task.after;
  unused.insert(unused.end(), task.ignore.begin(), task.ignore.end());
  return unused;
}

Table without_unused(const Task& task, const Table& table) {
  std::vector<std::string> unused = unused_columns(task);
  const std::vector<std::string> of_rows = row_columns(task);
  unused.insert(unused.end(), of_rows.begin(), of_rows.end());
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (std::find(unused.begin(), unused.end(), table.name(j)) == unused.end()) kept.push_back(j);
  }
  return kept.size() == table.columns() ? table : table.with_columns(kept);
}

std::string data_path(const Task& task) {
  if (task.data.empty()) {
    throw Error(ErrorCategory::kData, fmt::format("{}The task names no table. Give the path of a CSV or .npy file "
                                                  "under the key \"data\".",
                                                  task.source.empty() ? "" : task.source + ": "));
  }
  // Of an absolute path nothing of the folder is left.
  return (std::filesystem::path(task.source).parent_path() / task.data).string();
}

}  // namespace olem

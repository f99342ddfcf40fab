#include "rehearse/model_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "core/json_part.h"
#include "data/column_json.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/sampler_state.h"
#include "sampler/fitted.h"

namespace olem::internal {

namespace {

constexpr std::uint64_t kMostRows = std::uint64_t{1} << 53U;

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// A number that does not exist is null.
Json number_or_null(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const NamedNumbers& numbers) {
  Json json = Json::object();
  for (const auto& [name, value] : numbers) json[name] = value;
  return json;
}

NamedNumbers read_named_numbers(const JsonPart& part) {
  NamedNumbers numbers;
  for (const auto& [name, value] : part.members()) numbers.emplace_back(name, value.number());
  return numbers;
}

Json to_json(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings) {
    json.push_back({{"code", warning.code},
                    {"text", warning.text},
                    {"where", warning.where},
                    {"remedies", to_json(warning.remedies)}});
  }
  return json;
}

std::vector<Warning> read_warnings(const JsonPart& part) {
  std::vector<Warning> warnings;
  for (const JsonPart& entry : part.entries()) {
    if (entry["code"].text() == "unbounded_region") continue;  // up to 0.1; to want at least X is no reason to warn
    Warning& warning =
        warnings.emplace_back(Warning{entry["code"].text(), entry["text"].text(), entry["where"].text()});
    // Up to 0.1 the text had them.
    if (entry.has("remedies")) warning.remedies = read_remedies(entry["remedies"]);
  }
  return warnings;
}

// Without the seconds: equal models have equal files.
Json to_json(const Summary& summary) {
  return {
      {"status", status_name(summary.status)}, {"message", summary.message}, {"warnings", to_json(summary.warnings)}};
}

Status read_status(const JsonPart& part) {
  const std::optional<Status> status = parse_status(part.text());
  if (!status) part.fail("is no status that this olem knows");
  return *status;
}

Summary read_summary(const JsonPart& part) {
  Summary summary;
  summary.status = read_status(part["status"]);
  summary.message = part["message"].text();
  summary.warnings = read_warnings(part["warnings"]);
  return summary;
}

Json evidence_json(const StepEvidence& evidence) {
  return {{"gap_shape", evidence.gap_shape},
          {"gap_shape_standard_error", evidence.gap_shape_standard_error},
          {"gap_scale", evidence.gap_scale},
          {"gap_scale_standard_error", evidence.gap_scale_standard_error},
          {"decided_by", name_of(evidence.decided_by)}};
}

StepEvidence read_evidence(const JsonPart& part) {
  StepEvidence evidence;
  evidence.gap_shape = part["gap_shape"].finite();
  evidence.gap_shape_standard_error = part["gap_shape_standard_error"].finite();
  evidence.gap_scale = part["gap_scale"].finite();
  evidence.gap_scale_standard_error = part["gap_scale_standard_error"].finite();
  evidence.decided_by = decided_by_name(part["decided_by"].text());
  return evidence;
}

Json order_json(const OrderResult& order) {
  Json json;
  json["method"] = order.method;
  json["names"] = order.order;
  json["criterion"] = order.criterion;
  json["steps"] = Json::array();
  for (const OrderStep& step : order.steps) {
    Json& entry = json["steps"].emplace_back(Json{{"sink", step.sink},
                                                  {"runner_up", step.runner_up},
                                                  {"values", to_json(step.values)},
                                                  {"gap", number_or_null(step.gap)},
                                                  {"gap_standard_error", number_or_null(step.gap_standard_error)},
                                                  {"decided", step.decided},
                                                  {"forced", step.forced},
                                                  {"facts", to_json(step.facts)}});
    if (step.evidence) entry["evidence"] = evidence_json(*step.evidence);
  }
  json["inclusions"] = Json::array();
  for (const EdgeInclusion& edge : order.inclusions) {
    json["inclusions"].push_back({{"from", edge.from},
                                  {"to", edge.to},
                                  {"gain", edge.gain},
                                  {"gap", number_or_null(edge.gap)},
                                  {"score", edge.score}});
  }
  json["facts"] = to_json(order.facts);
  if (order.stability) {
    const OrderStability& stability = *order.stability;
    json["stability"] = {{"repetitions", stability.repetitions},
                         {"names", stability.names},
                         {"before", stability.before},
                         {"consensus", stability.consensus},
                         {"adjacent", stability.adjacent}};
  }
  json["summary"] = to_json(order.summary);
  return json;
}

OrderStability read_stability(const JsonPart& part) {
  OrderStability stability;
  stability.repetitions = static_cast<int>(part["repetitions"].count(std::numeric_limits<int>::max()));
  stability.names = part["names"].texts();
  for (const JsonPart& row : part["before"].entries()) stability.before.push_back(row.finite_numbers());
  stability.consensus = part["consensus"].texts();
  stability.adjacent = part["adjacent"].finite_numbers();
  const std::size_t d = stability.names.size();
  const bool square = stability.before.size() == d && std::all_of(stability.before.begin(), stability.before.end(),
                                                                  [&](const auto& row) { return row.size() == d; });
  if (!square || stability.consensus.size() != d || stability.adjacent.size() + 1 != d) {
    part.fail("has parts of different sizes");
  }
  return stability;
}

OrderResult read_order_part(const JsonPart& part) {
  OrderResult order;
  order.method = part["method"].text();
  order.order = part["names"].texts();
  order.criterion = part["criterion"].text();
  for (const JsonPart& entry : part["steps"].entries()) {
    OrderStep& step = order.steps.emplace_back();
    step.sink = entry["sink"].text();
    step.runner_up = entry["runner_up"].text();
    step.values = read_named_numbers(entry["values"]);
    step.gap = entry["gap"].optional_number();
    step.gap_standard_error = entry["gap_standard_error"].optional_number();
    step.decided = entry["decided"].flag();
    step.forced = entry["forced"].flag();
    step.facts = read_named_numbers(entry["facts"]);
    if (entry.has("evidence")) step.evidence = read_evidence(entry["evidence"]);  // since 0.2.0, of olem+
  }
  for (const JsonPart& entry : part["inclusions"].entries()) {
    order.inclusions.push_back({entry["from"].text(), entry["to"].text(), entry["gain"].number(),
                                entry["gap"].optional_number(), entry["score"].number()});
  }
  order.facts = read_named_numbers(part["facts"]);
  if (part.has("stability")) order.stability = read_stability(part["stability"]);
  order.summary = read_summary(part["summary"]);
  return order;
}

Json centre_json(const RegionCentre& centre) {
  return {{"centre", centre.centre},
          {"radius", centre.radius},
          {"means", centre.means},
          {"deviations", centre.deviations},
          {"flat", centre.flat},
          {"from_data_box", centre.from_data_box},
          {"warnings", to_json(centre.warnings)}};
}

RegionCentre read_centre(const JsonPart& part, std::size_t outcomes) {
  RegionCentre centre;
  centre.centre = part["centre"].finite_numbers();
  centre.radius = part["radius"].finite();
  centre.means = part["means"].finite_numbers();
  centre.deviations = part["deviations"].finite_numbers();
  centre.flat = part["flat"].flag();
  centre.from_data_box = part["from_data_box"].flag();
  centre.warnings = read_warnings(part["warnings"]);
  if (centre.centre.size() != outcomes || centre.means.size() != outcomes || centre.deviations.size() != outcomes) {
    part.fail("does not have one number for each outcome");
  }
  return centre;
}

void read_option_values(const JsonPart& part, const OptionSet& set) {
  for (const Option& option : set.options()) {
    if (!part.has(option.name.c_str())) continue;
    const Json& value = part[option.name.c_str()].json();
    option.set_text(value.is_string() ? value.get<std::string>() : value.dump());
  }
}

RehearsalOptions read_options(const JsonPart& part) {
  RehearsalOptions options = rehearsal_defaults("0.1");  // of whatever a file is too old to have
  if (part.has("graph_method")) {
    options.graph.emplace().method = part["graph_method"].text();
  } else {
    options.order.method = part["method"].text();
  }
  options.samplers.sampler = part["sampler"].text();
  options.ignore_stages = part["ignore_stages"].flag();
  options.calibrate = part["calibrate"].flag();
  if (part.has("opinions")) options.opinions = part["opinions"].texts();  // since 0.2.0
  options.keep_rows = part.has("keep_rows") && part["keep_rows"].flag();
  try {
    read_option_values(part, describe(options));
    if (part.has("quick") && !part["quick"].flag()) read_option_values(part, describe(options.members.emplace()));
    read_option_values(part, options.graph ? graph_learner(options.graph->method).describe(*options.graph)
                                           : order_learner(options.order.method).describe(options.order));
    read_option_values(part, sampler_kind(options.samplers.sampler).describe(options.samplers));
  } catch (const Error& error) {
    part.fail(fmt::format("cannot be understood: {}", error.what()));
  }
  return options;
}

Json sampler_json(const ConditionalSampler& sampler, std::vector<double>& numbers) {
  const SamplerState state = sampler.state();
  Json json = {{"kind", state.kind}, {"settings", state.settings}, {"arrays", Json::array()}};
  for (const SamplerState::Array& array : state.arrays) {
    json["arrays"].push_back({{"name", array.name}, {"size", array.values.size()}});
    numbers.insert(numbers.end(), array.values.begin(), array.values.end());
  }
  return json;
}

std::shared_ptr<const ConditionalSampler> restored(const JsonPart& part, const SamplerState& state) {
  try {
    return restore_sampler(state);
  } catch (const Error& error) {
    part.fail(fmt::format("cannot be restored: {}", error.what()));
  }
}

// Takes an array of the sampler off the front of `numbers`.
SamplerState::Array take_array(const std::string& name, const JsonPart& of_size, std::span<const double>& numbers) {
  const std::size_t size = of_size.count(numbers.size());
  const std::span<const double> values = numbers.first(size);
  numbers = numbers.subspan(size);
  return {name, {values.begin(), values.end()}};
}

SamplerState read_state(const JsonPart& part) {
  SamplerState state;
  state.kind = part["kind"].text();
  state.settings = part["settings"].json();
  if (!state.settings.is_object()) part["settings"].fail("is not an object");
  return state;
}

std::shared_ptr<const ConditionalSampler> read_sampler(const JsonPart& part, std::span<const double>& numbers) {
  SamplerState state = read_state(part);
  for (const JsonPart& entry : part["arrays"].entries())
    state.arrays.push_back(take_array(entry["name"].text(), entry["size"], numbers));
  return restored(part, state);
}

// Samplers of members, of which there are many that are alike: names of arrays that an earlier one has are not
// repeated, nor are short arrays that the latest one with these names has, and what else was tried is left out.
// `arrays` is {name: size}, or with `like`, the place of an earlier one, a list of sizes; null: the values are the
// same.
class AlikeSamplers {
 public:
  Json write(const ConditionalSampler& sampler, std::vector<double>& numbers) {
    SamplerState state = sampler.state();
    state.settings.erase("scores");
    std::erase_if(state.arrays, [](const SamplerState::Array& array) { return array.name == "scores"; });
    Json json = {{"kind", state.kind}, {"settings", state.settings}};
    const std::vector<std::string> names = names_of(state);
    const auto known =
        std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout& one) { return one.names == names; });
    if (known == layouts_.end()) {
      json["arrays"] = Json::object();
      for (const SamplerState::Array& array : state.arrays) {
        json["arrays"][array.name] = array.values.size();
        numbers.insert(numbers.end(), array.values.begin(), array.values.end());
      }
      layouts_.push_back({count_, names, std::move(state.arrays)});
    } else {
      json["like"] = known->place;
      json["arrays"] = Json::array();
      for (std::size_t k = 0; k < state.arrays.size(); ++k) {
        const std::vector<double>& values = state.arrays[k].values;
        const bool same = equal_bits(values, known->latest[k].values);
        json["arrays"].push_back(same ? Json() : Json(values.size()));
        if (!same) numbers.insert(numbers.end(), values.begin(), values.end());
      }
      known->latest = std::move(state.arrays);
    }
    ++count_;
    return json;
  }

  std::shared_ptr<const ConditionalSampler> read(const JsonPart& part, std::span<const double>& numbers) {
    SamplerState state = read_state(part);
    if (!part.has("like")) {
      for (const auto& [name, size] : part["arrays"].members()) state.arrays.push_back(take_array(name, size, numbers));
      layouts_.push_back({count_, names_of(state), state.arrays});
    } else {
      const std::size_t like = part["like"].count(kMostRows);
      const auto known =
          std::find_if(layouts_.begin(), layouts_.end(), [&](const Layout& one) { return one.place == like; });
      if (known == layouts_.end()) part["like"].fail("is no earlier sampler with names");
      const std::vector<JsonPart> sizes = part["arrays"].entries();
      if (sizes.size() != known->names.size()) part["arrays"].fail("has another number of arrays than the earlier one");
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        if (!sizes[k].json().is_null()) {
          state.arrays.push_back(take_array(known->names[k], sizes[k], numbers));
          continue;
        }
        if (known->latest[k].values.size() > kMostRepeated) sizes[k].fail("repeats an array that is too long for that");
        state.arrays.push_back(known->latest[k]);
      }
      known->latest = state.arrays;
    }
    ++count_;
    return restored(part, state);
  }

 private:
  // So that a small file cannot ask for much memory.
  static constexpr std::size_t kMostRepeated = 64;

  struct Layout {
    std::size_t place = 0;  // of the first sampler that has it
    std::vector<std::string> names;
    std::vector<SamplerState::Array> latest;
  };

  // 0 and -0 are two numbers.
  static bool equal_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return !a.empty() && a.size() <= kMostRepeated && a.size() == b.size() &&
           std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
  }

  static std::vector<std::string> names_of(const SamplerState& state) {
    std::vector<std::string> names;
    for (const SamplerState::Array& array : state.arrays) names.push_back(array.name);
    return names;
  }

  std::vector<Layout> layouts_;
  std::size_t count_ = 0;
};

Json variable_json(const SamplerVariable& variable, std::vector<double>& numbers) {
  Json json = {{"name", variable.name}, {"mean", variable.mean}, {"sd", variable.sd},
               {"low", variable.low},   {"high", variable.high}, {"conditions", variable.conditions}};
  if (!variable.counts.empty()) json["counts"] = variable.counts;
  if (variable.sampler) json["sampler"] = sampler_json(*variable.sampler, numbers);
  return json;
}

// Its conditions are below `limit`.
SamplerVariable read_variable(const JsonPart& part, std::size_t limit, std::span<const double>& numbers) {
  SamplerVariable variable;
  variable.name = part["name"].text();
  variable.mean = part["mean"].finite();
  variable.sd = part["sd"].finite();
  variable.low = part["low"].finite();
  variable.high = part["high"].finite();
  if (!(variable.sd > 0.0)) part["sd"].fail("is not positive");
  if (variable.low > variable.high) part["low"].fail("is above the greatest value");
  if (part.has("counts")) {
    for (const JsonPart& entry : part["counts"].entries()) variable.counts.push_back(entry.count(kMostRows));
  }
  for (const JsonPart& entry : part["conditions"].entries()) {
    if (limit == 0) entry.fail("is a condition of the first variable, which can have none");
    variable.conditions.push_back(entry.count(limit - 1));
  }
  if (part.has("sampler")) {
    variable.sampler = read_sampler(part["sampler"], numbers);
    if (variable.sampler->conditions() != variable.conditions.size()) {
      part.fail(fmt::format("has {} conditions, but its sampler takes {}", variable.conditions.size(),
                            variable.sampler->conditions()));
    }
  }
  return variable;
}

// Values and places of the rows that were kept, behind the numbers of the samplers.
Json calibration_json(const Calibration& calibration, std::vector<double>& numbers) {
  Json json = to_json(calibration);
  if (calibration.kept.size() == 0) return json;
  json["kept"] = {{"rows", calibration.kept.size()}, {"columns", calibration.kept.names}};
  for (const std::vector<double>& column : calibration.kept.values)
    numbers.insert(numbers.end(), column.begin(), column.end());
  for (const VariableCalibration& variable : calibration.variables)
    numbers.insert(numbers.end(), variable.places.begin(), variable.places.end());
  return json;
}

// Since 0.2.0.
void read_kept_rows(const JsonPart& part, std::span<const double>& numbers, Calibration& calibration) {
  const std::size_t rows = part["rows"].count(calibration.held_out_rows);
  const auto take = [&] {
    if (numbers.size() < rows) part.fail("has fewer numbers than rows");
    std::vector<double> values(numbers.begin(), numbers.begin() + static_cast<std::ptrdiff_t>(rows));
    numbers = numbers.subspan(rows);
    if (!std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); }))
      part.fail("holds a number that is not finite");
    return values;
  };
  calibration.kept.names = part["columns"].texts();
  for (std::size_t k = 0; k < calibration.kept.names.size(); ++k) calibration.kept.values.push_back(take());
  for (VariableCalibration& variable : calibration.variables) variable.places = take();
}

std::vector<ReliabilityBin> read_reliability(const JsonPart& part) {
  std::vector<ReliabilityBin> bins;
  for (const JsonPart& entry : part.entries())
    bins.push_back({entry["forecasts"].count(kMostRows), entry["probability"].finite(), entry["share"].finite()});
  if (bins.size() != kReliabilityBins) part.fail("has the wrong number of bins");
  return bins;
}

// JSON knows no minus infinity, which is what null stands for here.
double log_density(const JsonPart& part) {
  return part.optional_number().value_or(-std::numeric_limits<double>::infinity());
}

Calibration read_calibration(const JsonPart& part, std::span<const double>& numbers) {
  Calibration calibration;
  calibration.summary.status = read_status(part["status"]);
  calibration.summary.message = part["message"].text();
  calibration.training_rows = part["training_rows"].count(kMostRows);
  calibration.held_out_rows = part["held_out_rows"].count(kMostRows);
  for (const auto& [name, entry] : part["variables"].members()) {
    VariableCalibration& variable = calibration.variables.emplace_back();
    variable.name = name;
    variable.log_likelihood = log_density(entry["log_likelihood"]);
    variable.linear_log_likelihood = log_density(entry["linear_log_likelihood"]);
    variable.crps = entry["crps"].number();
    variable.linear_crps = entry["linear_crps"].number();
    const auto coverage = entry["coverage"].members();
    const auto pit = entry["pit"].entries();
    if (coverage.size() != variable.coverage.size() || pit.size() != variable.pit.size())
      entry.fail("has the wrong number of intervals");
    for (std::size_t i = 0; i < coverage.size(); ++i) variable.coverage[i] = coverage[i].second.finite();
    for (std::size_t i = 0; i < pit.size(); ++i) variable.pit[i] = pit[i].count(calibration.held_out_rows);
    if (entry.has("reliability")) variable.reliability = read_reliability(entry["reliability"]);
  }
  if (part.has("kept")) read_kept_rows(part["kept"], numbers, calibration);
  return calibration;
}

// Roles that the variables can play: each known, in one role, and drawn unless it is observed.
void check_roles(const RehearsalModel& model, const JsonPart& task) {
  std::set<std::string> seen;
  const auto check = [&](const std::string& role, const std::string& name, bool drawn) {
    const auto place = model.samplers->find(name);
    if (!place) task.fail(fmt::format("names '{}' as {}, which is no variable of the model", name, role));
    if (!seen.insert(name).second) task.fail(fmt::format("gives '{}' two roles", name));
    if (drawn && !model.samplers->variables[*place].sampler)
      task.fail(fmt::format("names '{}' as {}, but there is no sampler for it", name, role));
  };
  for (const std::string& name : model.task.context) check("context", name, false);
  for (const LeverDomain& domain : model.task.alterable) {
    check("alterable", domain.name, true);
    try {
      resolve_lever(domain, about_column(model.columns, domain.name));
    } catch (const Error&) {
      task.fail(fmt::format("has an impossible domain for '{}'", domain.name));
    }
  }
  for (const std::string& name : model.task.outcome) check("outcome", name, true);
  if (model.task.outcome.empty()) task.fail("has no outcome");
  try {
    std::vector<Column> outcomes;
    for (const std::string& name : model.task.outcome) outcomes.push_back(about_column(model.columns, name));
    model.task.desired.resolved(outcomes);
  } catch (const Error&) {
    task.fail("desires what its outcomes cannot be");
  }
  for (const SamplerVariable& variable : model.samplers->variables) {
    if (!seen.contains(variable.name) && !variable.sampler)
      task.fail(fmt::format("leaves '{}' to be drawn, but there is no sampler for it", variable.name));
  }
}

SamplerSet read_samplers(const JsonPart& part, const Order& order, std::span<const double>& numbers) {
  SamplerSet set;
  std::set<std::string> seen;
  const std::vector<JsonPart> entries = part["variables"].entries();
  for (std::size_t j = 0; j < entries.size(); ++j) {
    set.variables.push_back(read_variable(entries[j], j, numbers));
    const std::string& name = set.variables.back().name;
    if (name.empty() || !seen.insert(name).second) entries[j].fail("has no name, or one that stands twice");
    if (j >= order.size() || order[j] != name) entries[j].fail("does not stand where the order has it");
  }
  if (order.size() != entries.size()) part["variables"].fail("lacks variables of the order");
  set.summary = read_summary(part["summary"]);
  return set;
}

Json context_model_json(const ContextModel& model, std::vector<double>& numbers) {
  Json json = Json::array();
  for (const SamplerVariable& variable : model.variables) json.push_back(variable_json(variable, numbers));
  return json;
}

// Of every context variable, in the order of the task, given all others.
ContextModel read_context_model(const JsonPart& part, const std::vector<std::string>& context,
                                std::span<const double>& numbers) {
  ContextModel model;
  const std::vector<JsonPart> entries = part.entries();
  if (entries.size() != context.size()) part.fail("does not have one entry for each context variable");
  for (std::size_t j = 0; j < entries.size(); ++j) {
    model.variables.push_back(read_variable(entries[j], entries.size(), numbers));
    const SamplerVariable& variable = model.variables.back();
    bool others = variable.sampler != nullptr && variable.conditions.size() + 1 == entries.size();
    for (std::size_t k = 0; others && k < variable.conditions.size(); ++k)
      others = variable.conditions[k] == (k < j ? k : k + 1);
    if (variable.name != context[j] || !others) entries[j].fail("is no model of a context variable given the others");
  }
  return model;
}

// Samplers that members share, with each other or with the fit, are kept once: an entry of a member says which of the
// fit's variables, or of the list of samplers, it has.
Json members_json(const ModelMembers& members, const SamplerSet& fit, std::vector<double>& numbers) {
  std::map<const ConditionalSampler*, Json> known;
  for (std::size_t v = 0; v < fit.variables.size(); ++v) {
    if (fit.variables[v].sampler) known[fit.variables[v].sampler.get()] = {{"fit", v}};
  }
  Json json = {{"samplers", Json::array()}, {"list", Json::array()}};
  AlikeSamplers alike;
  for (const ModelMember& member : members.list) {
    Json& entry = json["list"].emplace_back(Json{{"kind", name_of(member.kind)}, {"variables", Json::array()}});
    if (!member.learner.empty()) entry["learner"] = member.learner;
    if (member.samplers.get() == &fit) continue;
    for (const SamplerVariable& variable : member.samplers->variables) {
      // Ranges and, where the rows are the same, units are those of the fit.
      const SamplerVariable& of_fit = fit.variables[fit.index(variable.name)];
      Json own = {{"name", variable.name}, {"conditions", variable.conditions}};
      if (variable.mean != of_fit.mean || variable.sd != of_fit.sd) {
        own["mean"] = variable.mean;
        own["sd"] = variable.sd;
      }
      if (variable.sampler) {
        const auto [place, is_new] = known.try_emplace(variable.sampler.get());
        if (is_new) {
          place->second = {{"shared", json["samplers"].size()}};
          json["samplers"].push_back(alike.write(*variable.sampler, numbers));
        }
        own.update(place->second);
      }
      entry["variables"].push_back(std::move(own));
    }
  }
  return json;
}

std::shared_ptr<const ConditionalSampler> pick_shared(
    const std::vector<std::shared_ptr<const ConditionalSampler>>& shared, const JsonPart& part) {
  const std::size_t place = part.count(kMostRows);
  if (place >= shared.size()) part.fail("is no sampler of the members");
  return shared[place];
}

std::shared_ptr<const ModelMembers> read_members(const JsonPart& part, const std::shared_ptr<const SamplerSet>& fit,
                                                 std::span<const NamedColumn> columns,
                                                 std::span<const double>& numbers) {
  std::vector<std::shared_ptr<const ConditionalSampler>> shared;
  AlikeSamplers alike;
  for (const JsonPart& entry : part["samplers"].entries()) shared.push_back(alike.read(entry, numbers));
  auto members = std::make_shared<ModelMembers>();
  for (const JsonPart& entry : part["list"].entries()) {
    ModelMember& member = members->list.emplace_back();
    try {
      member.kind = member_kind(entry["kind"].text());
    } catch (const Error& error) {
      entry["kind"].fail(fmt::format("cannot be understood: {}", error.what()));
    }
    if (entry.has("learner")) member.learner = entry["learner"].text();
    const std::vector<JsonPart> variables = entry["variables"].entries();
    if (variables.empty()) {
      member.samplers = fit;
      for (const SamplerVariable& variable : fit->variables) member.order.push_back(variable.name);
      continue;
    }
    SamplerSet set;
    for (std::size_t j = 0; j < variables.size(); ++j) {
      const JsonPart& own = variables[j];
      const auto place = fit->find(own["name"].text());
      if (!place || set.find(own["name"].text())) own.fail("is no variable of the model, or stands twice");
      SamplerVariable variable = fit->variables[*place];
      variable.sampler = nullptr;
      variable.counts.clear();
      variable.conditions.clear();
      if (own.has("mean")) variable.mean = own["mean"].finite();
      if (own.has("sd")) variable.sd = own["sd"].finite();
      if (!(variable.sd > 0.0)) own["sd"].fail("is not positive");
      for (const JsonPart& condition : own["conditions"].entries()) {
        if (j == 0) condition.fail("is a condition of the first variable, which can have none");
        variable.conditions.push_back(condition.count(j - 1));
      }
      const bool of_fit = own.has("fit");
      if (of_fit || own.has("shared")) {
        variable.sampler = of_fit ? fit->variables[own["fit"].count(fit->variables.size() - 1)].sampler
                                  : pick_shared(shared, own["shared"]);
        if (!variable.sampler || variable.sampler->conditions() != variable.conditions.size())
          own.fail("has other conditions than its sampler takes");
      }
      if ((variable.sampler == nullptr) != (fit->variables[*place].sampler == nullptr))
        own.fail("is given in the member or in the fit, but not in both");
      variable.about = about_column(columns, variable.name);
      member.order.push_back(variable.name);
      set.variables.push_back(std::move(variable));
    }
    if (set.variables.size() != fit->variables.size()) entry["variables"].fail("lacks variables of the model");
    member.samplers = std::make_shared<const SamplerSet>(std::move(set));
  }
  return members;
}

GapSummary read_gaps(const JsonPart& part) {
  GapSummary gaps;
  gaps.imputations = part["imputations"].count(kMostRows);
  gaps.rows = part["rows"].count(kMostRows);
  gaps.incomplete_rows = part["incomplete_rows"].count(kMostRows);
  for (const auto& [name, entry] : part["columns"].members()) gaps.columns.push_back({name, entry.count(kMostRows)});
  return gaps;
}

Agreement read_agreement(const JsonPart& part) {
  Agreement agreement;
  for (const JsonPart& entry : part["differing"].entries()) agreement.differing.push_back(entry.count(kMostRows));
  agreement.pairs = part["pairs"].count(kMostRows);
  if (agreement.differing.empty()) part["differing"].fail("is empty");
  agreement.chosen = part["chosen"].count(agreement.differing.size() - 1);
  return agreement;
}

SetEffect read_set_effect(const JsonPart& part) {
  SetEffect effect;
  effect.lever = part["lever"].text();
  effect.outcome = part["outcome"].text();
  effect.set_rows = part["set_rows"].count(kMostRows);
  effect.other_rows = part["other_rows"].count(kMostRows);
  effect.set_effect = part["set"]["effect"].finite();
  effect.set_error = part["set"]["standard_error"].finite();
  effect.other_effect = part["other"]["effect"].finite();
  effect.other_error = part["other"]["standard_error"].finite();
  effect.contradict = part["contradict"].flag();
  return effect;
}

LeverPlacement read_levers(const JsonPart& part, const SamplerSet& samplers) {
  LeverPlacement placement;
  placement.first = part["first"].flag();
  placement.following = part["following"].texts();
  for (const std::string& name : placement.following) {
    if (!samplers.find(name))
      part["following"].fail(fmt::format("names '{}', which is no variable of the model", name));
  }
  if (part.has("difference"))
    placement.difference = ShapeDifference{part["difference"].finite(), part["standard_error"].finite()};
  return placement;
}

// Its edges must be those along which the samplers were fitted.
RehearsalGraph read_rehearsal_graph(const JsonPart& part, const Order& order, const SamplerSet& samplers) {
  RehearsalGraph graph;
  graph.method = part["method"].text();
  graph.rule = part["rule"].text();
  std::vector<Edge> conditions;
  for (std::size_t j = 0; j < samplers.variables.size(); ++j) {
    for (const std::size_t condition : samplers.variables[j].conditions) conditions.push_back({condition, j});
  }
  graph.dag = Dag(order, conditions);
  Json edges = to_json(graph)["edges"];
  if (edges != part["edges"].json()) part["edges"].fail("does not agree with the conditions of the samplers");
  return graph;
}

// Behind all other numbers, column by column. Types of columns that speak of rows are not among those of the model.
Json kept_rows_json(const Table& table, const Order& variables, std::vector<double>& numbers) {
  numbers.insert(numbers.end(), table.values().begin(), table.values().end());
  Json json = {{"rows", table.rows()}, {"columns", table.names()}};
  std::vector<NamedColumn> others;
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (std::find(variables.begin(), variables.end(), table.name(j)) == variables.end())
      others.push_back({table.name(j), table.about(j)});
  }
  if (!others.empty()) json["types"] = column_types_json(others);
  return json;
}

Table read_kept_rows(const JsonPart& part, const RehearsalModel& model, std::span<const double>& numbers) {
  const std::vector<std::string> names = part["columns"].texts();
  const std::uint64_t rows = part["rows"].count(kMostRows);
  if (names.empty() || rows > numbers.size() / names.size()) part.fail("has more cells than there are numbers");
  const std::span<const double> cells = numbers.first(static_cast<std::size_t>(rows) * names.size());
  numbers = numbers.subspan(cells.size());
  std::vector<Column> about;
  std::vector<NamedColumn> known = model.columns;
  if (part.has("types")) {
    for (NamedColumn& other : read_column_types(part["types"])) known.push_back(std::move(other));
  }
  for (const std::string& name : names) about.push_back(about_column(known, name));
  for (const std::string& name : model.order.order) {
    if (std::find(names.begin(), names.end(), name) == names.end())
      part["columns"].fail(fmt::format("lacks '{}', which is a variable of the model", name));
  }
  try {
    return {names, {cells.begin(), cells.end()}, model.data ? model.data->file : "", std::move(about)};
  } catch (const Error& error) {
    part.fail(fmt::format("is no table: {}", error.finding()));
  }
}

}  // namespace

Json model_header(const RehearsalModel& model, std::vector<double>& numbers) {
  for (const SamplerVariable& variable : fitted(model.samplers).variables) {
    const std::vector<std::string>& observed = model.task.context;
    if (!variable.sampler && std::find(observed.begin(), observed.end(), variable.name) == observed.end())
      throw Error(ErrorCategory::kUsage,
                  fmt::format("The model has no sampler of '{}', which its decisions do not need, so that it cannot be "
                              "kept.",
                              variable.name),
                  {{"Fit all samplers"}});
  }
  Json json;
  json["version"] = model.version;
  json["seed"] = model.seed;
  json["task"] = to_json(model.task);
  json["options"] = to_json(model.options);
  if (model.data) json["data"] = to_json(*model.data);
  json["order"] = order_json(model.order);
  if (model.levers) json["levers"] = to_json(*model.levers, model.options.levers);
  if (model.graph) json["graph"] = to_json(*model.graph);
  if (model.gaps) json["missing"] = to_json(*model.gaps);
  if (model.agreement) json["agreement"] = to_json(*model.agreement);
  if (!model.columns.empty()) json["columns"] = column_types_json(model.columns);
  json["context"] = Json::array();
  for (const ColumnSummary& column : model.context) {
    json["context"].push_back(
        {{"mean", column.mean}, {"deviation", column.deviation}, {"low", column.low}, {"high", column.high}});
  }
  json["centre"] = centre_json(model.centre);
  json["samplers"]["variables"] = Json::array();
  for (const SamplerVariable& variable : fitted(model.samplers).variables)
    json["samplers"]["variables"].push_back(variable_json(variable, numbers));
  json["samplers"]["summary"] = to_json(model.samplers->summary);
  // Behind the numbers of the samplers.
  if (model.context_model) json["context_model"] = context_model_json(*model.context_model, numbers);
  if (model.members) json["members"] = members_json(*model.members, *model.samplers, numbers);
  if (model.opinions) json["opinions"] = members_json(*model.opinions, *model.samplers, numbers);
  if (model.calibration) json["calibration"] = calibration_json(*model.calibration, numbers);
  json.update(row_facts_json(model));
  if (model.rows) json["rows"] = kept_rows_json(*model.rows, model.order.order, numbers);
  json["summary"] = to_json(model.summary);
  return json;
}

RehearsalModel read_model_header(const Json& header, std::span<const double> numbers, const std::string& source) {
  const JsonPart whole(header, source);
  RehearsalModel model;
  model.version = whole["version"].text();
  model.seed = whole["seed"].count(std::numeric_limits<std::uint64_t>::max());
  model.task = parse_task(whole["task"].json().dump(), source);
  model.options = read_options(whole["options"]);
  if (whole.has("data"))  // since 0.2.0
    model.data = DataSource{whole["data"]["source"].text(), whole["data"]["rows"].count(kMostRows)};
  model.order = read_order_part(whole["order"]);
  if (whole.has("columns")) model.columns = read_column_types(whole["columns"]);  // since 0.2.0
  for (const JsonPart& entry : whole["context"].entries()) {
    model.context.push_back(
        {entry["mean"].finite(), entry["deviation"].finite(), entry["low"].finite(), entry["high"].finite()});
  }
  if (model.context.size() != model.task.context.size())
    whole["context"].fail("does not have one entry for each context variable");
  model.centre = read_centre(whole["centre"], model.task.outcome.size());
  SamplerSet samplers = read_samplers(whole["samplers"], model.order.order, numbers);
  if (whole.has("context_model")) {  // since 0.2.0
    ContextModel own = read_context_model(whole["context_model"], model.task.context, numbers);
    for (SamplerVariable& variable : own.variables) variable.about = about_column(model.columns, variable.name);
    model.context_model = std::make_shared<const ContextModel>(std::move(own));
  }
  for (SamplerVariable& variable : samplers.variables) variable.about = about_column(model.columns, variable.name);
  model.samplers = std::make_shared<const SamplerSet>(std::move(samplers));
  if (whole.has("members"))  // since 0.2.0
    model.members = read_members(whole["members"], model.samplers, model.columns, numbers);
  if (whole.has("opinions"))  // since 0.2.0
    model.opinions = read_members(whole["opinions"], model.samplers, model.columns, numbers);
  if (whole.has("calibration")) model.calibration = read_calibration(whole["calibration"], numbers);
  if (whole.has("rows")) model.rows = read_kept_rows(whole["rows"], model, numbers);  // since 0.2.0
  if (!numbers.empty()) whole["samplers"].fail(fmt::format("leaves {} numbers unused", numbers.size()));
  if (whole.has("missing")) model.gaps = read_gaps(whole["missing"]);  // since 0.2.0
  if (whole.has("agreement")) model.agreement = read_agreement(whole["agreement"]);
  if (whole.has("levers")) model.levers = read_levers(whole["levers"], *model.samplers);
  if (whole.has("graph")) model.graph = read_rehearsal_graph(whole["graph"], model.order.order, *model.samplers);
  if (whole.has("set_by_hand")) {  // these three since 0.2.0
    for (const JsonPart& entry : whole["set_by_hand"].entries()) model.set_by_hand.push_back(read_set_effect(entry));
  }
  if (whole.has("groups")) model.groups = whole["groups"].texts();
  if (whole.has("effective_rows")) model.effective_rows = whole["effective_rows"].finite();
  model.summary = read_summary(whole["summary"]);
  check_roles(model, whole["task"]);
  return model;
}

}  // namespace olem::internal

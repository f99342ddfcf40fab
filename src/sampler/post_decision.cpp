#include "olem/post_decision.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "data/greatest_share.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "sampler/fitted.h"
#include "sampler/post_decision_streams.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kDrawsPerPiece = 256;  // what belongs to a piece stays in the cache of its thread
constexpr double kLargest = 1e6;             // standard deviations

enum class Role {
  kUnused,   // no outcome needs it
  kContext,  // has its observed value
  kUnknown,  // context that is not known: has one value for each draw, whatever is decided
  kAltered,  // has the decision's value
  kStatic,   // drawn, and nothing altered changes it
  kDynamic,  // drawn anew for every decision
};

bool is_drawn(Role role) { return role == Role::kStatic || role == Role::kDynamic; }
// Each draw has a value of its own.
bool has_draws(Role role) { return is_drawn(role) || role == Role::kUnknown; }

// What a value of a column can be, standardised: amounts are not below 0, shares lie between 0 and 1 or 100 %. A column
// that leaves this in the data itself may do so in draws.
struct PossibleRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();

  bool is_bounded() const { return std::isfinite(low); }
};
PossibleRange possible_range(const SamplerVariable& variable) {
  PossibleRange range;
  const ColumnType type = variable.about.type;
  if (type == ColumnType::kPositive || type == ColumnType::kShare)
    range.low = variable.standardise(std::min(0.0, variable.low));
  if (type == ColumnType::kShare)
    range.high = variable.standardise(std::max(greatest_share(variable.about), variable.high));
  return range;
}

// A part of the draws with its own state, for one thread at a time.
struct Piece {
  std::size_t first = 0;
  std::size_t count = 0;
  std::vector<std::unique_ptr<SamplerRun>> runs;  // of the drawn variables
  std::vector<std::vector<double>> values;        // of the drawn variables
  std::vector<std::vector<std::size_t>> absurd;   // draws that this variable spoils
  std::vector<std::vector<std::size_t>> clipped;  // draws of this variable that its range holds back
  std::vector<std::vector<double>> adjoints;      // of the dynamic variables
  std::vector<double> gradient;                   // by the altered variables
  std::vector<Condition> conditions;              // scratch of one variable
  std::vector<double*> targets;                   // the same
};

}  // namespace

class PostDecisionSampler::Chain {
 public:
  Chain(std::shared_ptr<const SamplerSet> set, const PostDecisionPlan& plan, const Context& context)
      : set_(std::move(set)), plan_(plan), context_(context) {
    check_at_least("draws", static_cast<long long>(plan.draws), 1);
    check_at_least("number of outcomes", static_cast<long long>(plan.outcomes.size()), 1);
    draws_.draws = plan.draws;
    draws_.values.resize(plan.outcomes.size() * plan.draws);
    draws_.valid.resize(plan.draws);
    for (const SamplerVariable& variable : fitted(set_).variables) ranges_.push_back(possible_range(variable));
    make_pieces();
    draw_unknown_context();
    version_.resize(set_->variables.size());
    origin_.resize(set_->variables.size());
    arrange();
  }

  void alter(const std::vector<std::string>& altered) {
    plan_.altered = altered;
    arrange();
  }

  void relax(double temperature) {
    if (!(temperature >= 0.0) || !std::isfinite(temperature)) {
      throw Error(ErrorCategory::kUsage, fmt::format("temperature is {}, but must be at least 0.", temperature));
    }
    if (temperature == temperature_) return;
    temperature_ = temperature;
    for (Piece& piece : pieces_) {
      for (const auto& run : piece.runs) {
        if (run) run->relax(temperature);
      }
    }
    for (Origin& origin : origin_) origin.clear();
    caution_.reset();
  }

  void hold_functions(std::optional<std::uint64_t> which) {
    if (plan_.with_gradient)
      throw Error(ErrorCategory::kUsage, "One posterior function for all draws has no gradient here.");
    if (which == function_) return;
    function_ = which;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (pieces_.back().runs[v]) hold_function(v);
    }
    for (Origin& origin : origin_) origin.clear();
    caution_.reset();
  }

  bool has_jumps() const {
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] == Role::kDynamic && set_->variables[v].sampler->is_discrete()) return true;
    }
    return false;
  }

  const OutcomeDraws& sample(std::span<const double> values, double caution) {
    check_values(values, caution);
    if (caution_ != caution) prepare(caution);
    set_values(values);
    if (linear_) {
      respond_linearly(values);
    } else {
      draw_dynamic();
    }
    draws_.excluded =
        static_cast<std::size_t>(std::count(draws_.valid.begin(), draws_.valid.end(), static_cast<unsigned char>(0)));
    return draws_;
  }

  void gradient(std::span<const double> adjoints, std::span<double> gradient) {
    if (!plan_.with_gradient) {
      throw Error(ErrorCategory::kUsage, "This sampler of outcomes was made without its gradient.");
    }
    check_same_size("adjoints", adjoints.size(), "outcomes x draws", draws_.values.size());
    check_same_size("gradient", gradient.size(), "altered variables", altered_.size());
    std::fill(gradient.begin(), gradient.end(), 0.0);
    if (linear_) {
      for (std::size_t o = 0; o < outcomes_.size(); ++o) {
        double total = 0.0;
        for (std::size_t i = 0; i < draws_.draws; ++i) total += draws_.valid[i] * adjoints[o * draws_.draws + i];
        for (std::size_t a = 0; a < altered_.size(); ++a) gradient[a] += total * response_[o * altered_.size() + a];
      }
      return;
    }
    parallel_for(context_, 0, pieces_.size(), 1, [&](std::size_t p, std::size_t) { backward(pieces_[p], adjoints); });
    for (const Piece& piece : pieces_) {
      for (std::size_t a = 0; a < altered_.size(); ++a) gradient[a] += piece.gradient[a];
    }
  }

  std::vector<VariableReach> reach(std::span<const double> values, double caution) {
    draw_everything(values, caution);
    std::vector<VariableReach> all;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (!is_drawn(roles_[v])) continue;
      const ConditionalSampler& sampler = *set_->variables[v].sampler;
      std::vector<double> distance(draws_.draws);
      parallel_for(context_, 0, pieces_.size(), 1, [&](std::size_t p, std::size_t) {
        Piece& piece = pieces_[p];
        sampler.extrapolation(conditions_of(piece, v), std::span(distance).subspan(piece.first, piece.count));
      });
      const auto outside = std::count_if(distance.begin(), distance.end(),
                                         [&](double d) { return !(d <= sampler.extrapolation_limit()); });
      const auto middle = distance.begin() + static_cast<std::ptrdiff_t>(distance.size() / 2);
      std::nth_element(distance.begin(), middle, distance.end());
      all.push_back(
          {set_->variables[v].name, *middle, static_cast<double>(outside) / static_cast<double>(distance.size())});
    }
    return all;
  }

  std::optional<std::vector<double>> with_moved_noise(std::size_t outcome, std::span<const double> offsets,
                                                      std::span<const double> values, double caution) {
    const std::size_t v = outcomes_.at(outcome);
    check_same_size("offsets", offsets.size(), "draws", draws_.draws);
    draw_everything(values, caution);
    std::vector<double> moved(draws_.draws);
    std::vector<unsigned char> can(pieces_.size(), 1);
    parallel_for(context_, 0, pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      const Piece& piece = pieces_[p];
      const std::span<double> y = std::span(moved).subspan(piece.first, piece.count);
      can[p] = piece.runs[v]->move_noise(offsets.subspan(piece.first, piece.count), y) ? 1 : 0;
      for (std::size_t i = 0; i < piece.count; ++i) {
        y[i] = std::clamp(y[i], ranges_[v].low, ranges_[v].high);
        if (draws_.valid[piece.first + i] == 0 || !(std::abs(y[i]) <= kLargest)) y[i] = 0.0;
      }
    });
    if (std::find(can.begin(), can.end(), 0) != can.end()) return std::nullopt;
    return moved;
  }

  std::optional<std::vector<double>> noise_behind(std::size_t outcome, double value, std::span<const double> values,
                                                  double caution) {
    const std::size_t v = outcomes_.at(outcome);
    draw_everything(values, caution);
    std::vector<double> noise(draws_.draws);
    std::vector<unsigned char> can(pieces_.size(), 1);
    parallel_for(context_, 0, pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      Piece& piece = pieces_[p];
      const std::span<double> part = std::span(noise).subspan(piece.first, piece.count);
      can[p] = set_->variables[v].sampler->noise_behind(conditions_of(piece, v), value, part) ? 1 : 0;
    });
    if (std::find(can.begin(), can.end(), 0) != can.end()) return std::nullopt;
    return noise;
  }

  Table table(std::span<const double> values, double caution) {
    draw_everything(values, caution);
    std::vector<std::string> names;
    std::vector<double> cells;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] == Role::kUnused) continue;
      const SamplerVariable& variable = set_->variables[v];
      names.push_back(variable.name);
      for (const Piece& piece : pieces_) {
        for (std::size_t i = 0; i < piece.count; ++i) {
          if (draws_.valid[piece.first + i] == 0) continue;
          cells.push_back(variable.restore(has_draws(roles_[v]) ? piece.values[v][i] : fixed_[v]));
        }
      }
    }
    return {std::move(names), std::move(cells), "draws"};
  }

  const std::vector<bool>& influences() const { return influences_; }

 private:
  // Everything that depends on what is altered.
  void arrange() {
    assign_roles();
    find_needed();
    find_dynamic();
    start_runs();
    caution_.reset();
  }

  void take_role(std::size_t v, Role role) {
    if (roles_[v] != Role::kUnused) {
      throw Error(
          ErrorCategory::kUsage,
          fmt::format("'{}' is named twice among context, altered variables and outcomes.", set_->variables[v].name));
    }
    roles_[v] = role;
  }

  // A model knows nothing about a level that it never saw.
  static void check_level(const SamplerVariable& variable, double value) {
    const Column& about = variable.about;
    if (about.type != ColumnType::kCategory || about.levels.empty()) return;
    std::vector<std::string> known;
    for (const ColumnLevel& level : about.levels) {
      if (level.value == value) return;
      known.push_back(level.name);
    }
    throw Error(ErrorCategory::kUsage, fmt::format("{} is no level of '{}'. Its levels are {}.", value, variable.name,
                                                   fmt::join(known, ", ")));
  }

  void assign_roles() {
    roles_.assign(set_->variables.size(), Role::kUnused);
    altered_.clear();
    outcomes_.clear();
    fixed_.assign(roles_.size(), 0.0);
    for (const NamedValue& given : plan_.context) {
      check_finite(given.name, given.value);
      const std::size_t v = set_->index(given.name);
      take_role(v, Role::kContext);
      check_level(set_->variables[v], given.value);
      fixed_[v] = set_->variables[v].standardise(given.value);
    }
    for (const std::string& name : plan_.unknown) take_role(set_->index(name), Role::kUnknown);
    if (plan_.hidden) {
      for (const std::string& name : plan_.hidden->names()) take_role(set_->index(name), Role::kUnknown);
    }
    altered_place_.assign(roles_.size(), 0);
    for (const std::string& name : plan_.altered) {
      const std::size_t v = set_->index(name);
      take_role(v, Role::kAltered);
      altered_place_[v] = altered_.size();
      altered_.push_back(v);
    }
    for (const std::string& name : plan_.outcomes) {
      outcomes_.push_back(set_->index(name));
      take_role(outcomes_.back(), Role::kStatic);
    }
  }

  // From the outcomes back: what a needed sampler depends on is needed. Context and altered variables that nothing
  // depends on keep their roles.
  void find_needed() {
    uses_.assign(roles_.size(), {});
    for (std::size_t v = roles_.size(); v-- > 0;) {
      if (!is_drawn(roles_[v])) continue;
      const SamplerVariable& variable = set_->variables[v];
      if (!variable.sampler) {
        throw Error(ErrorCategory::kData,
                    fmt::format("'{}' has no sampler, since it was fitted as always given or not needed, but here it "
                                "must be drawn. Give its value, or fit the model again.",
                                variable.name));
      }
      const SamplerFacts facts = variable.sampler->facts();
      for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
        uses_[v].push_back(facts.inputs[k].used);
        Role& role = roles_[variable.conditions[k]];
        if (facts.inputs[k].used && role == Role::kUnused) role = Role::kStatic;
      }
    }
  }

  void find_dynamic() {
    // reached[v][a]: altered variable a can change v.
    std::vector<std::vector<bool>> reached(roles_.size(), std::vector<bool>(altered_.size(), false));
    for (std::size_t a = 0; a < altered_.size(); ++a) reached[altered_[a]][a] = true;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (!is_drawn(roles_[v])) continue;
      for (std::size_t k = 0; k < uses_[v].size(); ++k) {
        if (!uses_[v][k]) continue;
        for (std::size_t a = 0; a < altered_.size(); ++a) {
          if (reached[set_->variables[v].conditions[k]][a]) reached[v][a] = true;
        }
      }
      if (std::find(reached[v].begin(), reached[v].end(), true) != reached[v].end()) roles_[v] = Role::kDynamic;
    }
    influences_.assign(altered_.size(), false);
    for (const std::size_t v : outcomes_) {
      for (std::size_t a = 0; a < altered_.size(); ++a) influences_[a] = influences_[a] || reached[v][a];
    }
  }

  void make_pieces() {
    const std::size_t variables = fitted(set_).variables.size();
    for (std::size_t first = 0; first < plan_.draws; first += kDrawsPerPiece) {
      Piece& piece = pieces_.emplace_back();
      piece.first = first;
      piece.count = std::min(kDrawsPerPiece, plan_.draws - first);
      piece.runs.resize(variables);
      piece.values.resize(variables);
      piece.absurd.resize(variables);
      piece.clipped.resize(variables);
      piece.adjoints.resize(variables);
    }
  }

  void keep_draws(std::size_t v, std::span<const double> standardised) {
    for (Piece& piece : pieces_) {
      const auto part = standardised.subspan(piece.first, piece.count);
      piece.values[v].assign(part.begin(), part.end());
    }
  }

  // Once for all decisions, which do not change them.
  void draw_unknown_context() {
    if (plan_.hidden) {
      const std::vector<std::vector<double>> drawn = plan_.hidden->draw(plan_.draws, plan_.noise, context_);
      for (std::size_t k = 0; k < drawn.size(); ++k) keep_draws(set_->index(plan_.hidden->names()[k]), drawn[k]);
    }
    if (plan_.unknown.empty()) return;
    if (!plan_.context_model)
      throw Error(ErrorCategory::kUsage, "Context values that are not known need a model of the context to be drawn.");
    // What is set now is no context, which the model of the context knows alone.
    std::vector<NamedValue> known;
    for (const NamedValue& given : plan_.context) {
      if (std::any_of(plan_.context_model->variables.begin(), plan_.context_model->variables.end(),
                      [&](const SamplerVariable& variable) { return variable.name == given.name; }))
        known.push_back(given);
    }
    std::vector<std::vector<double>> drawn =
        draw_unknown(*plan_.context_model, known, plan_.unknown, plan_.draws, plan_.noise, context_);
    for (std::size_t k = 0; k < drawn.size(); ++k) {
      const std::size_t v = set_->index(plan_.unknown[k]);
      for (double& value : drawn[k])
        value = std::clamp(set_->variables[v].standardise(value), ranges_[v].low, ranges_[v].high);
      keep_draws(v, drawn[k]);
    }
  }

  void hold_function(std::size_t v) {
    std::vector<double> normals;
    if (function_)
      normals = function_normals(context_.seed, *function_, v, set_->variables[v].sampler->function_entries());
    for (Piece& piece : pieces_) piece.runs[v]->hold_function(normals);
  }

  // Of the variables that are drawn and were not before.
  void start_runs() {
    std::vector<std::size_t> starting;
    std::size_t needed = 0;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (!is_drawn(roles_[v]) || pieces_.back().runs[v]) continue;
      starting.push_back(v);
      needed += 2 + set_->variables[v].sampler->noise_entries();
    }
    context_.require_memory(needed * plan_.draws * sizeof(double), "Drawing outcomes");
    parallel_for(context_, 0, starting.size(), 1, [&](std::size_t s, std::size_t) {
      const std::size_t v = starting[s];
      const ConditionalSampler& sampler = *set_->variables[v].sampler;
      // One stream per variable and entry: a draw does not depend on how many there are.
      std::vector<RandomStream> streams =
          noise_streams(*set_, v, context_.seed, "decision.noise", "decision.group", plan_.noise);
      std::vector<double> noise;
      for (Piece& piece : pieces_) {
        noise.clear();
        for (RandomStream& stream : streams) {
          for (std::size_t i = 0; i < piece.count; ++i) noise.push_back(stream.normal());
        }
        piece.runs[v] = sampler.start(noise, piece.count);
        if (!plan_.with_gradient) piece.runs[v]->forgo_gradient();
        if (temperature_ > 0.0) piece.runs[v]->relax(temperature_);
        piece.values[v].resize(piece.count);
      }
      if (function_) hold_function(v);
    });
    if (!plan_.with_gradient) return;
    for (Piece& piece : pieces_) {
      piece.gradient.resize(altered_.size());
      for (std::size_t v = 0; v < roles_.size(); ++v) {
        if (roles_[v] == Role::kDynamic) piece.adjoints[v].resize(piece.count);
      }
    }
  }

  void check_values(std::span<const double> values, double caution) const {
    check_same_size("values", values.size(), "altered variables", altered_.size());
    for (std::size_t a = 0; a < altered_.size(); ++a) check_finite(set_->variables[altered_[a]].name, values[a]);
    if (!(caution >= 0.0) || !std::isfinite(caution)) {
      throw Error(ErrorCategory::kUsage, fmt::format("caution is {}, but must be at least 0.", caution));
    }
  }

  void set_values(std::span<const double> values) {
    for (std::size_t a = 0; a < altered_.size(); ++a) fixed_[altered_[a]] = values[a];
  }

  std::span<const Condition> conditions_of(Piece& piece, std::size_t v) const {
    const SamplerVariable& variable = set_->variables[v];
    piece.conditions.clear();
    for (const std::size_t c : variable.conditions) {
      // What the sampler does not listen to was not drawn; any number will do.
      const bool drawn = has_draws(roles_[c]);
      piece.conditions.push_back({drawn ? piece.values[c].data() : &fixed_[c], !drawn});
    }
    return piece.conditions;
  }

  // What a variable's values depend on beside their noise: caution, and for each condition that matters the value that
  // all draws share, or which version of values it has itself.
  using Origin = std::vector<std::pair<bool, std::uint64_t>>;
  Origin origin_of(std::size_t v) const {
    Origin origin = {{false, std::bit_cast<std::uint64_t>(*caution_)}};
    for (std::size_t k = 0; k < uses_[v].size(); ++k) {
      if (!uses_[v][k]) continue;
      const std::size_t c = set_->variables[v].conditions[k];
      const bool drawn = has_draws(roles_[c]);
      origin.emplace_back(drawn, drawn ? version_[c] : std::bit_cast<std::uint64_t>(fixed_[c]));
    }
    return origin;
  }

  // One pass along the order, over the variables with this role. What has the values already that it would get is not
  // drawn again, unless its gradient is wanted, for which the latest evaluation must be its own.
  void draw(Role role) {
    std::vector<std::pair<std::size_t, Origin>> stale;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] != role) continue;
      Origin origin = origin_of(v);
      if (!plan_.with_gradient && origin_[v] == origin) continue;
      version_[v] = ++latest_version_;
      origin_[v].clear();  // until it is done
      stale.emplace_back(v, std::move(origin));
    }
    parallel_for(context_, 0, pieces_.size(), 1, [&](std::size_t p, std::size_t) {
      Piece& piece = pieces_[p];
      for (const auto& [v, origin] : stale) draw(piece, v);
      for (std::size_t v = 0; v < roles_.size(); ++v) {
        if (roles_[v] != role) continue;
        for (const std::size_t i : piece.absurd[v]) draws_.valid[piece.first + i] = 0;
      }
    });
    for (auto& [v, origin] : stale) origin_[v] = std::move(origin);
  }

  void draw(Piece& piece, std::size_t v) {
    std::vector<double>& y = piece.values[v];
    piece.runs[v]->sample(conditions_of(piece, v), *caution_, y);
    piece.absurd[v].clear();
    piece.clipped[v].clear();
    for (std::size_t i = 0; i < piece.count && ranges_[v].is_bounded(); ++i) {
      const double possible = std::clamp(y[i], ranges_[v].low, ranges_[v].high);
      if (!(possible != y[i])) continue;
      y[i] = possible;
      piece.clipped[v].push_back(i);
    }
    for (std::size_t i = 0; i < piece.count; ++i) {
      if (std::abs(y[i]) <= kLargest) continue;  // what is not a number does not pass either
      y[i] = 0.0;
      piece.absurd[v].push_back(i);
    }
  }

  void collect(const Piece& piece) {
    for (std::size_t o = 0; o < outcomes_.size(); ++o) {
      double* to = draws_.values.data() + o * draws_.draws + piece.first;
      const std::vector<double>& from = piece.values[outcomes_[o]];
      for (std::size_t i = 0; i < piece.count; ++i) to[i] = draws_.valid[piece.first + i] != 0 ? from[i] : 0.0;
    }
  }

  void draw_dynamic() {
    draws_.valid = static_valid_;
    draw(Role::kDynamic);
    for (const Piece& piece : pieces_) collect(piece);
  }

  void draw_everything(std::span<const double> values, double caution) {
    check_values(values, caution);
    if (caution_ != caution) prepare(caution);
    set_values(values);
    draw_dynamic();
  }

  // What does not depend on the decision: static variables, and when all is linear the outcomes at zero and by how much
  // they change with each altered variable.
  void prepare(double caution) {
    caution_ = caution;
    std::fill(draws_.valid.begin(), draws_.valid.end(), static_cast<unsigned char>(1));
    draw(Role::kStatic);
    static_valid_ = draws_.valid;
    linear_ = find_response();
    if (!linear_) return;
    set_values(std::vector<double>(altered_.size(), 0.0));
    draw_dynamic();
    base_ = draws_;
  }

  // Fills response_ (outcomes x altered variables) and says whether all dynamic variables are linear.
  bool find_response() {
    const std::size_t width = altered_.size();
    std::vector<std::vector<double>> by_altered(roles_.size(), std::vector<double>(width, 0.0));
    for (std::size_t a = 0; a < width; ++a) by_altered[altered_[a]][a] = 1.0;
    for (std::size_t v = 0; v < roles_.size(); ++v) {
      if (roles_[v] != Role::kDynamic) continue;
      const SamplerVariable& variable = set_->variables[v];
      const std::optional<std::vector<double>> slopes = variable.sampler->slopes(*caution_);
      if (!slopes || ranges_[v].is_bounded()) return false;
      for (std::size_t k = 0; k < slopes->size(); ++k) {
        for (std::size_t a = 0; a < width; ++a)
          by_altered[v][a] += (*slopes)[k] * by_altered[variable.conditions[k]][a];
      }
    }
    response_.clear();
    for (const std::size_t v : outcomes_) response_.insert(response_.end(), by_altered[v].begin(), by_altered[v].end());
    return true;
  }

  void respond_linearly(std::span<const double> values) {
    draws_.valid = base_.valid;
    for (std::size_t o = 0; o < outcomes_.size(); ++o) {
      double change = 0.0;
      for (std::size_t a = 0; a < altered_.size(); ++a) change += response_[o * altered_.size() + a] * values[a];
      const double* from = base_.values.data() + o * draws_.draws;
      double* to = draws_.values.data() + o * draws_.draws;
      for (std::size_t i = 0; i < draws_.draws; ++i) {
        to[i] = from[i] + change;
        if (!(std::abs(to[i]) <= kLargest)) draws_.valid[i] = 0;
      }
    }
    for (std::size_t i = 0; i < draws_.draws; ++i) {
      if (draws_.valid[i] != 0) continue;
      for (std::size_t o = 0; o < outcomes_.size(); ++o) draws_.values[o * draws_.draws + i] = 0.0;
    }
  }

  void backward(Piece& piece, std::span<const double> adjoints) {
    std::fill(piece.gradient.begin(), piece.gradient.end(), 0.0);
    for (std::vector<double>& adjoint : piece.adjoints) std::fill(adjoint.begin(), adjoint.end(), 0.0);
    for (std::size_t o = 0; o < outcomes_.size(); ++o) {
      std::vector<double>& to = piece.adjoints[outcomes_[o]];
      const double* from = adjoints.data() + o * draws_.draws + piece.first;
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = draws_.valid[piece.first + i] != 0 ? from[i] : 0.0;
    }
    for (std::size_t v = roles_.size(); v-- > 0;) {
      if (roles_[v] != Role::kDynamic) continue;
      const SamplerVariable& variable = set_->variables[v];
      piece.targets.clear();
      for (std::size_t k = 0; k < variable.conditions.size(); ++k) {
        const std::size_t c = variable.conditions[k];
        double* target = nullptr;
        if (uses_[v][k] && roles_[c] == Role::kAltered) target = &piece.gradient[altered_place_[c]];
        if (uses_[v][k] && roles_[c] == Role::kDynamic) target = piece.adjoints[c].data();
        piece.targets.push_back(target);
      }
      for (const std::size_t i : piece.clipped[v]) piece.adjoints[v][i] = 0.0;
      piece.runs[v]->add_gradient(piece.adjoints[v], piece.targets);
    }
  }

  std::shared_ptr<const SamplerSet> set_;
  PostDecisionPlan plan_;
  Context context_;
  std::vector<Role> roles_;              // per variable of the set, as the next ones
  std::vector<std::vector<bool>> uses_;  // of drawn variables, per condition: the sampler depends on it
  std::vector<PossibleRange> ranges_;
  std::vector<double> fixed_;  // values of context and altered variables
  std::vector<std::size_t> altered_place_;
  std::vector<std::size_t> altered_;
  std::vector<std::size_t> outcomes_;
  std::vector<bool> influences_;
  std::vector<Piece> pieces_;
  double temperature_ = 0.0;
  std::optional<std::uint64_t> function_;
  std::optional<double> caution_;  // that the static variables were drawn with
  std::vector<unsigned char> static_valid_;
  std::vector<std::uint64_t> version_;  // of the values of each variable, as the next ones; no two are the same
  std::vector<Origin> origin_;          // of these values; empty when they were never drawn to the end
  std::uint64_t latest_version_ = 0;
  bool linear_ = false;
  OutcomeDraws base_;             // when linear: the outcomes at zero
  std::vector<double> response_;  // when linear: outcomes x altered variables
  OutcomeDraws draws_;
};

PostDecisionSampler::PostDecisionSampler(std::shared_ptr<const SamplerSet> set, const PostDecisionPlan& plan,
                                         const Context& context)
    : chain_(std::make_unique<Chain>(std::move(set), plan, context)) {}
PostDecisionSampler::~PostDecisionSampler() = default;
PostDecisionSampler::PostDecisionSampler(PostDecisionSampler&&) noexcept = default;
PostDecisionSampler& PostDecisionSampler::operator=(PostDecisionSampler&&) noexcept = default;

void PostDecisionSampler::alter(const std::vector<std::string>& altered) { chain_->alter(altered); }

const OutcomeDraws& PostDecisionSampler::sample(std::span<const double> values, double caution) {
  return chain_->sample(values, caution);
}

void PostDecisionSampler::gradient(std::span<const double> adjoints, std::span<double> gradient) {
  chain_->gradient(adjoints, gradient);
}

bool PostDecisionSampler::has_jumps() const { return chain_->has_jumps(); }

void PostDecisionSampler::relax(double temperature) { chain_->relax(temperature); }

void PostDecisionSampler::hold_functions(std::optional<std::uint64_t> which) { chain_->hold_functions(which); }

std::vector<VariableReach> PostDecisionSampler::reach(std::span<const double> values, double caution) {
  return chain_->reach(values, caution);
}

std::optional<std::vector<double>> PostDecisionSampler::with_moved_noise(std::size_t outcome,
                                                                         std::span<const double> offsets,
                                                                         std::span<const double> values,
                                                                         double caution) {
  return chain_->with_moved_noise(outcome, offsets, values, caution);
}

std::optional<std::vector<double>> PostDecisionSampler::noise_behind(std::size_t outcome, double value,
                                                                     std::span<const double> values, double caution) {
  return chain_->noise_behind(outcome, value, values, caution);
}

Table PostDecisionSampler::table(std::span<const double> values, double caution) {
  return chain_->table(values, caution);
}

const std::vector<bool>& PostDecisionSampler::influences() const { return chain_->influences(); }

}  // namespace olem

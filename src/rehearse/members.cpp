#include "rehearse/members.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <map>
#include <set>
#include <thread>
#include <tuple>

#include "core/rank_share.h"
#include "olem/error.h"
#include "olem/graph_learner.h"
#include "olem/parallel.h"
#include "olem/random.h"
#include "rehearse/lever_order.h"
#include "rehearse/rehearsal_graph.h"
#include "sampler/acted_fit.h"
#include "sampler/fit_variables.h"
#include "sampler/kinds.h"
#include "sampler/sampler_ranks.h"

namespace olem {

namespace {

constexpr std::array<std::string_view, 5> kMemberKinds = {"order", "half", "other_order", "other_units", "opinion"};

}  // namespace

OptionSet describe(MemberOptions& options) {
  OptionSet set;
  set.integer("orders", options.orders, 0, 64,
              "orders learned with weighted rows that take part in the decision and its evaluation");
  set.integer("halves", options.halves, 0, 64,
              "fits to halves of the rows behind the interval, in complementary pairs");
  return set;
}

std::string_view name_of(MemberKind kind) { return kMemberKinds[static_cast<std::size_t>(kind)]; }

MemberKind member_kind(std::string_view name) {
  const auto found = std::find(kMemberKinds.begin(), kMemberKinds.end(), name);
  if (found == kMemberKinds.end()) throw Error(ErrorCategory::kData, fmt::format("'{}' is no kind of member.", name));
  return static_cast<MemberKind>(found - kMemberKinds.begin());
}

std::vector<const ModelMember*> ModelMembers::of(MemberKind kind) const {
  std::vector<const ModelMember*> chosen;
  for (const ModelMember& member : list) {
    if (member.kind == kind) chosen.push_back(&member);
  }
  return chosen;
}

std::vector<std::string> opinion_learners() {
  std::vector<std::string> names;
  for (const OrderLearnerKind& kind : order_learners()) names.push_back(kind.name);
  for (const GraphLearnerKind& kind : graph_learners()) {
    if (std::find(names.begin(), names.end(), kind.name) == names.end()) names.push_back(kind.name);
  }
  return names;
}

void check_opinions(std::span<const std::string> learners) {
  const std::vector<std::string> known = opinion_learners();
  for (std::size_t i = 0; i < learners.size(); ++i) {
    if (std::find(known.begin(), known.end(), learners[i]) == known.end()) {
      const std::string closest = closest_name(learners[i], known);
      throw Error::of_option("opinions",
                             fmt::format("'{}' is neither an order learner nor a graph learner.{}", learners[i],
                                         closest.empty() ? fmt::format(" There are {}.", fmt::join(known, ", "))
                                                         : fmt::format(" Did you mean '{}'?", closest)));
    }
    if (std::find(learners.begin(), learners.begin() + static_cast<std::ptrdiff_t>(i), learners[i]) !=
        learners.begin() + static_cast<std::ptrdiff_t>(i))
      throw Error::of_option("opinions", fmt::format("'{}' is named twice.", learners[i]), {{"Name it once"}});
  }
}

std::vector<std::string> parse_opinions(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    names.emplace_back(text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  check_opinions(names);
  return names;
}

}  // namespace olem

namespace olem::internal {

namespace {

// Members need fewer points than the fit: a third of them is enough for a spread, and keeps model files small.
constexpr int kPointsShare = 3;
// Of a half, whose order nobody else shares: as many as are enough to compare forms of a model.
constexpr int kHalfPoints = 60;
constexpr double kOrdersShare = 0.3;  // of the progress
constexpr std::size_t kLeastSetRowsOfHalf = 20;

// Rows that samplers are fitted to, standardised.
struct MemberRows {
  Table table;
  Table order_table;                              // the same for the order: inside of groups
  std::vector<SamplerVariable> columns;           // by column of the table
  std::vector<std::vector<double>> standardised;  // the same
  TaskRows facts;                                 // what the task says about them
};

MemberRows standardise_rows(Table table, Table order_table, TaskRows facts) {
  MemberRows rows{std::move(table), std::move(order_table), {}, {}, std::move(facts)};
  rows.standardised.resize(rows.table.columns());
  for (std::size_t j = 0; j < rows.table.columns(); ++j)
    rows.columns.push_back(describe_variable({&rows.table, 1}, rows.table.name(j), rows.standardised[j]));
  return rows;
}

// One member while it is made.
struct Draft {
  MemberKind kind = MemberKind::kOrder;
  std::size_t rows = 0;  // place among the MemberRows
  std::uint64_t index = 0;
  Order order;  // empty: it cannot be learned
  std::optional<Dag> dag;
  std::string learner = {};  // of an opinion
  std::string why = {};      // it cannot be learned
};

// A sampler is the same for all members that ask for the same variable given the same ones, on the same rows.
struct SamplerKey {
  std::size_t rows = 0;
  std::size_t variable = 0;        // column of the table
  std::vector<std::size_t> given;  // columns, ascending
  bool operator<(const SamplerKey& other) const {
    return std::tie(rows, variable, given) < std::tie(other.rows, other.variable, other.given);
  }
};
struct SharedSampler {
  std::vector<std::size_t> sequence;  // the columns in the order that the sampler takes them in
  std::shared_ptr<const ConditionalSampler> sampler;
  bool of_fit = false;  // of a variable of the fit, whose options it has
};

// A variable of a member and its sampler.
struct MemberVariable {
  std::size_t column = 0;
  std::vector<std::size_t> sequence;  // columns
  std::optional<SamplerKey> key;      // nothing: its value is given
};

class MemberFit {
 public:
  MemberFit(const MemberSource& source, const Context& context)
      : source_(source),
        model_(source.model),
        options_(source.model.options),
        names_(source.tables.front().names()),
        context_(context),
        member_options_(options_.samplers),
        half_options_(options_.samplers) {
    member_options_.gp.inducing = std::max(1, member_options_.gp.inducing / kPointsShare);
    half_options_.gp.inducing = std::min(half_options_.gp.inducing, kHalfPoints);
  }

  FittedMembers run(std::vector<Warning>& warnings) {
    std::optional<MemberOptions> wanted = options_.members;
    if (wanted && wanted->halves > 0 && !enough_rows()) {
      warnings.push_back({"no_members",
                          "Half of the rows are too few to learn from, so that there are no half-samples: the interval "
                          "covers the chance of the draws only.",
                          ""});
      wanted.reset();
    }
    if (!wanted && options_.opinions.empty()) return {};
    for (std::size_t t = 0; t < tables(); ++t)
      rows_.push_back(standardise_rows(source_.tables[t], source_.order_tables[t], source_.rows));
    if (wanted) draft(*wanted);
    for (const std::string& learner : options_.opinions)
      drafts_.push_back({MemberKind::kOpinion, 0, 0, {}, {}, learner});
    context_.report_progress(0.0, "members");
    FittedMembers fitted;
    try {
      learn();
      for (const Draft& one : drafts_) {
        if (one.kind == MemberKind::kOpinion && one.order.empty())
          warnings.push_back(
              {"no_opinion", fmt::format("There is no opinion of {}. {}", one.learner, one.why), one.learner});
      }
      std::erase_if(drafts_, [](const Draft& one) { return one.order.empty(); });
      share();
    } catch (const Error& error) {
      const bool stop = error.category() == ErrorCategory::kInterrupted || error.category() == ErrorCategory::kResource;
      if (!stop || !keeps_finished() || !context_.should_stop()) throw;
      fitted.stopped = true;
      const std::size_t asked = drafts_.size();
      keep_finished();
      warnings.push_back(
          {"unfinished_members",
           fmt::format("The work was stopped when {} of {} members were fitted. {}", drafts_.size(), asked,
                       drafts_.empty() ? "The interval covers the chance of the draws only."
                                       : "The interval covers only what these show."),
           ""});
    }
    auto members = std::make_shared<ModelMembers>();
    auto opinions = std::make_shared<ModelMembers>();
    for (std::size_t i = 0; i < drafts_.size(); ++i) {
      const bool is_opinion = drafts_[i].kind == MemberKind::kOpinion;
      (is_opinion ? opinions : members)->list.push_back(assemble(drafts_[i], members_[i]));
    }
    context_.report_progress(1.0, "members");
    const bool any_members = !members->list.empty() || !fitted.stopped;
    if (wanted && any_members) fitted.members = std::move(members);
    if (!options_.opinions.empty()) fitted.opinions = std::move(opinions);
    return fitted;
  }

 private:
  const Table& whole() const { return source_.tables.front(); }
  std::size_t tables() const { return source_.tables.size(); }
  bool learns_order() const { return source_.learned && !model_.graph; }
  bool is_plus() const { return options_.order.method == "olem+"; }

  // Ranks must agree on what they have.
  bool keeps_finished() const { return options_.keep_finished && context_.ranks == nullptr; }

  bool enough_rows() const {
    const std::size_t rows = whole().rows() / 2;
    const std::size_t d = whole().columns();
    if (rows < sampler_kind(options_.samplers.sampler).least_rows(d - 1)) return false;
    return !learns_order() || rows >= order_learner(options_.order.method).least_rows(d, options_.order);
  }

  void draft(const MemberOptions& wanted) {
    const std::size_t n = whole().rows();
    for (int k = 0; k < wanted.orders && learns_order(); ++k) {
      const auto index = static_cast<std::uint64_t>(k);
      drafts_.push_back({MemberKind::kOrder, index % tables(), index, {}, {}});
    }
    for (int h = 0; h < wanted.halves; ++h) {
      const auto index = static_cast<std::uint64_t>(h);
      const std::vector<std::size_t> chosen = half_rows(source_.rows, n, context_.seed, index);
      if (chosen.empty()) continue;
      drafts_.push_back({MemberKind::kHalf, rows_.size(), index, {}, {}});
      rows_.push_back(standardise_rows(source_.tables[index % tables()].with_rows(chosen),
                                       source_.order_tables[index % tables()].with_rows(chosen),
                                       source_.rows.with_rows(chosen)));
    }
    if (!learns_order()) return;
    drafts_.push_back({MemberKind::kOtherOrder, 0, 0, {}, {}});
    drafts_.push_back({MemberKind::kOtherUnits, 0, 0, {}, {}});
  }

  // The orders and graphs of all drafts; what cannot be learned stays without one.
  void learn() {
    const Context serial = context_.serial();
    if (learns_order() && is_plus()) {
      bases_.resize(tables());
      const auto learn_base = [&](std::size_t t, const Context& context) {
        bases_[t] =
            std::make_unique<OlemPlusProblem>(source_.order_tables[t], order_options(source_.rows).olem_plus, context);
        // Its regressions along the way are what the weighted orders start from.
        bases_[t]->learn(known(), context, model_.order.order);
      };
      if (context_.ranks != nullptr || tables() == 1) {  // threads and ranks share the regressions
        Context quiet = context_;
        quiet.progress = nullptr;
        for (std::size_t t = 0; t < tables(); ++t) learn_base(t, quiet);
      } else {
        parallel_for(context_, 0, tables(), 1, [&](std::size_t t, std::size_t) { learn_base(t, serial); });
      }
    }
    spread(drafts_.size(), 0.0, kOrdersShare, [&](std::size_t i) { learn(drafts_[i], serial); });
    share_items(
        context_, drafts_.size(), [&](std::size_t i, ByteWriter& writer) { write_learned(writer, drafts_[i]); },
        [&](std::size_t i, ByteReader& reader) { read_learned(reader, drafts_[i]); });
  }

  // What learn() finds.
  static void write_learned(ByteWriter& writer, const Draft& one) {
    writer.write(one.order);
    writer.write(one.why);
    const bool has_graph = one.dag && !one.order.empty();
    writer.write(has_graph);
    if (has_graph) writer.write(one.dag->edges());
  }

  static void read_learned(ByteReader& reader, Draft& one) {
    reader.read(one.order);
    reader.read(one.why);
    if (!reader.take<bool>()) return;
    std::vector<Edge> edges;
    reader.read(edges);
    one.dag = Dag(one.order, edges);  // its nodes stand in this order
  }

  Precedence known() const { return Precedence(source_.knowledge, names_); }

  void learn(Draft& one, const Context& serial) const {
    switch (one.kind) {
      case MemberKind::kOrder: one.order = weighted_order(one, serial); return;
      case MemberKind::kHalf: learn_half(one, serial); return;
      case MemberKind::kOtherOrder: one.order = other_order(serial); break;
      case MemberKind::kOtherUnits: one.order = order_without_units(serial); break;
      case MemberKind::kOpinion: learn_opinion(one, serial); return;
    }
    if (one.order == model_.order.order) one.order.clear();
  }

  Order weighted_order(const Draft& one, const Context& serial) const {
    const Table& table = source_.order_tables[one.rows];
    RandomStream random(context_.seed, "members.weights", one.index);
    std::vector<double> weights(table.rows());
    for (double& weight : weights) weight = random.exponential(1.0);
    for (std::size_t i = 0; i < weights.size() && !source_.rows.weights.empty(); ++i)
      weights[i] *= source_.rows.weights[i];
    if (is_plus())
      return bases_[one.rows]->reweighted(weights, serial).learn(known(), serial, model_.order.order).order;
    if (options_.order.method == "olem")
      return learn_order_olem_weighted(table, options_.order.olem, known(), weights, serial).order;
    // Learners without a weighted form: the rows that a bootstrap would hold, each once.
    const auto held = static_cast<std::size_t>(kBootstrapShare * static_cast<double>(table.rows()));
    const std::vector<std::size_t> chosen = random.sample_without_replacement(table.rows(), held);
    return learned_or_none(table.with_rows(chosen), source_.rows.with_rows(chosen), serial);
  }

  // Of one order from rows of which this is known.
  OrderOptions order_options(const TaskRows& rows) const {
    OrderOptions plain = options_.order;
    plain.bootstrap = 0;
    if (!rows.plain()) plain.olem_plus.rows = std::make_shared<const TaskRows>(rows);
    return plain;
  }

  Order learned_or_none(const Table& table, const TaskRows& rows, const Context& serial) const {
    const OrderOptions plain = order_options(rows);
    try {
      return learn_order(table, plain, known(), serial).order;
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData) throw;
      return {};
    }
  }

  void learn_half(Draft& one, const Context& serial) const {
    const Table& table = rows_[one.rows].order_table;
    if (!source_.learned) {
      one.order = model_.order.order;
      if (model_.graph) one.dag = model_.graph->dag;
    } else if (!model_.graph) {
      one.order = learned_or_none(table, rows_[one.rows].facts, serial);
    } else {
      try {
        const Precedence knowledge = known();
        one.dag = learned_dag(learn_graph(table, *options_.graph, knowledge, serial), knowledge);
        one.order = order_along(*one.dag, knowledge);
        one.dag = one.dag->with_nodes(one.order);
      } catch (const Error& error) {
        if (error.category() != ErrorCategory::kData && error.category() != ErrorCategory::kTask) throw;
      }
    }
  }

  // By the first table, where several were completed.
  void learn_opinion(Draft& one, const Context& serial) const {
    const auto is_order_learner = [&](const OrderLearnerKind& kind) { return kind.name == one.learner; };
    const Precedence knowledge = known();
    try {
      if (std::any_of(order_learners().begin(), order_learners().end(), is_order_learner)) {
        OrderOptions plain = order_options(source_.rows);
        plain.method = one.learner;
        one.order = learn_order(source_.order_tables.front(), plain, knowledge, serial).order;
        return;
      }
      GraphOptions plain = options_.graph.value_or(GraphOptions{});
      plain.method = one.learner;
      one.dag = learned_dag(learn_graph(source_.order_tables.front(), plain, knowledge, serial), knowledge);
      one.order = order_along(*one.dag, knowledge);
      one.dag = one.dag->with_nodes(one.order);
    } catch (const Error& error) {
      if (error.category() != ErrorCategory::kData && error.category() != ErrorCategory::kTask) throw;
      one.order.clear();
      one.why = error.finding();
    }
  }

  // What the rule about levers did not take; nothing when that is the same.
  Order other_order(const Context& serial) const {
    if (source_.other) return *source_.other;
    if (model_.levers) return {};
    const Precedence precedence = known();
    Knowledge with_levers = source_.knowledge;
    for (const LeverDomain& lever : model_.task.alterable) {
      for (const std::string& name : following_columns(model_.task, whole(), precedence))
        with_levers.before.emplace_back(lever.name, name);
    }
    return learn_order(source_.order_tables.front(), order_options(source_.rows), Precedence(with_levers, names_),
                       serial)
        .order;
  }

  Order order_without_units(const Context& serial) const {
    OrderOptions plain = order_options(source_.rows);
    if (is_plus()) {
      const auto& facts = model_.order.facts;
      const bool by_scale = std::any_of(facts.begin(), facts.end(), [](const auto& fact) {
        return fact.first == "scale_weight" && fact.second > 0.0;
      });
      if (!by_scale) return {};
      plain.olem_plus.units = ColumnUnits::kArbitrary;
    } else if (plain.method == "olem") {
      plain.olem.entropy.affine = AffineCorrection::kScale;
    } else {
      return {};
    }
    return learn_order(source_.order_tables.front(), plain, known(), serial).order;
  }

  std::vector<std::size_t> columns_of(const std::vector<std::string>& wanted) const {
    std::vector<std::size_t> columns;
    for (const std::string& name : wanted) columns.push_back(whole().index(name));
    return columns;
  }

  static SamplerKey key_of(std::size_t rows, std::size_t variable, std::vector<std::size_t> given) {
    std::sort(given.begin(), given.end());
    return {rows, variable, std::move(given)};
  }

  std::vector<VariableConditions> conditions_of(const Draft& one) const {
    return one.dag ? conditions_from_graph(*one.dag) : conditions_from_order(one.order);
  }

  bool is_given(const std::string& name) const {
    const std::vector<std::string>& observed = model_.task.context;
    return std::find(observed.begin(), observed.end(), name) != observed.end();
  }

  std::vector<MemberVariable> variables_of(const Draft& one) const {
    std::vector<MemberVariable> variables;
    for (const VariableConditions& wanted : conditions_of(one)) {
      MemberVariable& variable = variables.emplace_back();
      variable.column = whole().index(wanted.name);
      variable.sequence = columns_of(wanted.conditions);
      if (!is_given(wanted.name)) variable.key = key_of(one.rows, variable.column, variable.sequence);
    }
    return variables;
  }

  // Fits every sampler that a member needs, once.
  void share() {
    if (tables() == 1) {
      const std::vector<SamplerVariable>& fitted = model_.samplers->variables;
      for (const SamplerVariable& variable : fitted) {
        if (is_given(variable.name)) continue;
        std::vector<std::size_t> sequence;
        for (const std::size_t k : variable.conditions) sequence.push_back(whole().index(fitted[k].name));
        shared_[key_of(0, whole().index(variable.name), sequence)] = {sequence, variable.sampler, true};
      }
    }
    for (const Draft& one : drafts_) members_.push_back(variables_of(one));
    for (const std::vector<MemberVariable>& member : members_) {
      for (const MemberVariable& variable : member) {
        if (variable.key) shared_.emplace(*variable.key, SharedSampler{variable.sequence, nullptr});
      }
    }
    std::size_t open = 0;
    for (const auto& [key, shared] : shared_) open += shared.sampler ? 0 : 1;
    double told = kOrdersShare;
    while (true) {
      const std::map<SamplerKey, std::size_t> wave = needed_keys();
      if (wave.empty()) break;
      std::vector<SamplerKey> of_all;
      std::vector<SamplerKey> of_halves;
      for (const auto& [key, member] : wave) (key.rows < tables() ? of_all : of_halves).push_back(key);
      const auto share_of = [&](const std::vector<SamplerKey>& keys) {
        return (1.0 - told) * static_cast<double>(keys.size()) / static_cast<double>(open + 1);
      };
      const double middle = told + share_of(of_all);
      const double end = middle + share_of(of_halves);
      fit_keys(of_all, wave, told, middle);
      fit_keys(of_halves, wave, middle, end);
      open -= wave.size();
      told = end;
    }
  }

  // Of all members, with the first one that needs each.
  std::map<SamplerKey, std::size_t> needed_keys() const {
    std::map<SamplerKey, std::size_t> keys;
    for (std::size_t m = 0; m < members_.size(); ++m) {
      for (SamplerKey& key : needed_keys(members_[m])) keys.emplace(std::move(key), m);
    }
    return keys;
  }

  // Of a member those that are not fitted yet; where samplers are only wanted for some variables, as far as these are
  // known to depend on them. A half needs the sampler of all rows that tells what was chosen.
  std::vector<SamplerKey> needed_keys(const std::vector<MemberVariable>& member) const {
    std::vector<SamplerKey> keys;
    std::vector<bool> needed(whole().columns(), source_.wanted.empty());
    for (const std::string& name : source_.wanted) needed[whole().index(name)] = true;
    for (std::size_t v = member.size(); v-- > 0;) {
      const MemberVariable& variable = member[v];
      if (!variable.key || !needed[variable.column]) continue;
      const SharedSampler& shared = shared_.at(*variable.key);
      if (!shared.sampler) {
        keys.push_back(*variable.key);
        if (auto like = like_key(*variable.key); like && !shared_.at(*like).sampler) keys.push_back(*std::move(like));
        continue;
      }
      if (source_.wanted.empty()) continue;
      const SamplerFacts facts = shared.sampler->facts();
      for (std::size_t k = 0; k < shared.sequence.size(); ++k) {
        if (facts.inputs[k].used) needed[shared.sequence[k]] = true;
      }
    }
    return keys;
  }

  // Only the members with an order and all samplers; halves in pairs, since one half alone shows less than half of the
  // spread.
  void keep_finished() {
    std::vector<bool> finished(drafts_.size(), false);
    for (std::size_t m = 0; m < members_.size(); ++m) finished[m] = needed_keys(members_[m]).empty();
    const std::vector<bool> own = finished;
    for (std::size_t m = 0; m < drafts_.size(); ++m) {
      if (drafts_[m].kind != MemberKind::kHalf) continue;
      for (std::size_t k = 0; k < drafts_.size(); ++k) {
        const bool pair = drafts_[k].kind == MemberKind::kHalf && drafts_[k].index / 2 == drafts_[m].index / 2;
        if (pair && !own[k]) finished[m] = false;
      }
    }
    for (std::size_t m = drafts_.size(); m-- > 0;) {
      if (finished[m]) continue;
      drafts_.erase(drafts_.begin() + static_cast<std::ptrdiff_t>(m));
      if (m < members_.size()) members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(m));
    }
  }

  // The ones with most conditions take longest and go first; where finished members are kept, those of the first
  // members.
  void fit_keys(std::vector<SamplerKey>& keys, const std::map<SamplerKey, std::size_t>& first, double from, double to) {
    std::stable_sort(keys.begin(), keys.end(), [&](const SamplerKey& a, const SamplerKey& b) {
      const bool by_member = keeps_finished() && first.at(a) != first.at(b);
      return by_member ? first.at(a) < first.at(b) : a.given.size() > b.given.size();
    });
    for (const SamplerKey& key : keys) {
      if (const SharedSampler* const like = like_of(key)) shared_[key].sequence = like->sequence;
    }
    const Context serial = context_.serial();
    std::vector<std::shared_ptr<const ConditionalSampler>> fitted(keys.size());
    const auto keep = [&] {
      for (std::size_t i = 0; i < keys.size(); ++i) shared_[keys[i]].sampler = std::move(fitted[i]);
    };
    try {
      spread(keys.size(), from, to, [&](std::size_t i) { fitted[i] = fit(keys[i], serial); });
    } catch (...) {
      keep();
      throw;
    }
    std::vector<SharedFit> fits;
    for (auto& sampler : fitted) fits.push_back({&sampler, nullptr});
    share_samplers(fits, context_);
    keep();
  }

  std::shared_ptr<const ConditionalSampler> fit(const SamplerKey& key, const Context& serial) const {
    const MemberRows& rows = rows_[key.rows];
    const SharedSampler& shared = shared_.at(key);
    const SamplerVariable& target = rows.columns[key.variable];
    if (target.low == target.high) return sampling::make_constant(shared.sequence.size());
    // What chose the sampler of all rows is what tells the streams of variables apart.
    const std::size_t place = model_.samplers->index(target.name);
    SamplerData data{target.name, rows.standardised[key.variable],        {}, place,
                     nullptr,     {target.about, target.mean, target.sd}, {}};
    for (const std::size_t k : shared.sequence) {
      const SamplerVariable& condition = rows.columns[k];
      data.conditions.emplace_back(rows.standardised[k]);
      data.condition_columns.push_back({condition.about, condition.mean, condition.sd});
      data.condition_names.push_back(condition.name);
    }
    const SamplerKind& kind = sampler_kind(options_.samplers.sampler);
    const SharedSampler* const like = like_of(key);
    const bool is_half = key.rows >= tables();
    if (!rows.facts.plain()) {
      sampling::RowUse use = use_of_rows(rows.facts, data);
      if (is_half) use.least_set_rows = kLeastSetRowsOfHalf;
      return sampling::fit_on_rows(kind, data, is_half ? half_options_ : member_options_, use,
                                   like == nullptr ? nullptr : like->sampler.get(), serial);
    }
    if (like != nullptr) return sampling::refit_kind(kind, *like->sampler, data, half_options_, serial);
    const SamplerOptions& options = shared.of_fit ? options_.samplers : is_half ? half_options_ : member_options_;
    return sampling::fit_kind(kind, data, options, serial);
  }

  // What comes before a lever is what does so in the order of the fit.
  sampling::RowUse use_of_rows(const TaskRows& rows, const SamplerData& data) const {
    std::vector<std::vector<std::string>> before;
    for (const std::string& name : data.condition_names) {
      std::vector<std::string>& names = before.emplace_back();
      for (const std::size_t k : model_.samplers->variables[model_.samplers->index(name)].conditions)
        names.push_back(model_.samplers->variables[k].name);
    }
    return sampling::row_use(rows, data.name, data.condition_names, before);
  }

  // Of a half: the sampler of all rows of its table for the same variables, where a member has it.
  std::optional<SamplerKey> like_key(const SamplerKey& key) const {
    if (key.rows < tables()) return std::nullopt;
    SamplerKey like{(key.rows - tables()) % tables(), key.variable, key.given};
    return shared_.contains(like) ? std::optional(std::move(like)) : std::nullopt;
  }
  const SharedSampler* like_of(const SamplerKey& key) const {
    const std::optional<SamplerKey> like = like_key(key);
    return like ? &shared_.at(*like) : nullptr;
  }

  ModelMember assemble(const Draft& one, const std::vector<MemberVariable>& variables) const {
    if (one.kind != MemberKind::kHalf && tables() == 1 && !model_.graph && !one.dag && one.order == model_.order.order)
      return {one.kind, one.order, model_.samplers, one.learner};
    SamplerSet set;
    for (const MemberVariable& wanted : variables) {
      SamplerVariable variable = rows_[one.rows].columns[wanted.column];
      const SharedSampler* const shared = wanted.key ? &shared_.at(*wanted.key) : nullptr;
      if (shared != nullptr) variable.sampler = shared->sampler;
      for (const std::size_t k : shared != nullptr ? shared->sequence : wanted.sequence)
        variable.conditions.push_back(set.index(whole().name(k)));
      set.variables.push_back(std::move(variable));
    }
    return {one.kind, one.order, std::make_shared<const SamplerSet>(std::move(set)), one.learner};
  }

  // body(i) for what this rank makes, on the context's threads; the caller's thread tells the progress.
  template <class Body>
  void spread(std::size_t count, double from, double to, const Body& body) const {
    const auto caller = std::this_thread::get_id();
    std::atomic<std::size_t> done{0};
    parallel_for(context_, 0, count, 1, [&](std::size_t i, std::size_t) {
      if (!makes_item(context_, i)) return;
      body(i);
      const double share =
          std::min(1.0, static_cast<double>(++done * rank_count(context_)) / static_cast<double>(count));
      if (std::this_thread::get_id() == caller) context_.report_progress(from + (to - from) * share, "members");
    });
    context_.report_progress(to, "members");
  }

  static constexpr double kBootstrapShare = 0.632;

  const MemberSource& source_;
  const RehearsalModel& model_;
  const RehearsalOptions& options_;
  const std::vector<std::string>& names_;
  const Context& context_;
  SamplerOptions member_options_;
  SamplerOptions half_options_;
  std::vector<MemberRows> rows_;  // of the tables, then of the halves
  std::vector<Draft> drafts_;
  std::vector<std::unique_ptr<OlemPlusProblem>> bases_;
  std::map<SamplerKey, SharedSampler> shared_;
  std::vector<std::vector<MemberVariable>> members_;  // of the drafts, in their orders
};

}  // namespace

FittedMembers fit_members(const MemberSource& source, std::vector<Warning>& warnings, const Context& context) {
  if (source.model.options.members) {
    MemberOptions checked = *source.model.options.members;
    describe(checked).validate();
  }
  check_opinions(source.model.options.opinions);
  return MemberFit(source, context).run(warnings);
}

}  // namespace olem::internal

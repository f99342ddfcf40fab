#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "olem/error.h"
#include "olem/order_olem.h"
#include "olem/order_olem_plus.h"
#include "order/olem_plus_evidence.h"
#include "order/olem_plus_search.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::size_t kMostStartRows = 5000;  // of the table that the start is learned from
// From this many rows on a sample of them is searched first, and all rows only near the order of the sample.
constexpr std::size_t kLongTable = 50000;
constexpr std::size_t kSampleRows = 20000;
constexpr double kStandardised = 1.01;     // ratio of variances below which somebody made them equal
constexpr double kCommonUnitsRange = 1.5;  // nats between the largest and the smallest residual entropy
constexpr double kOtherUnitsRange = 2.5;
constexpr std::size_t kTunedColumns = 20;  // beyond it beta falls as 1 / d
constexpr double kTunedRows = 2000.0;      // with fewer rows the scale terms count more
constexpr double kFewestTunedRows = 200.0;
constexpr double kAlikeRange = 1.0;  // nats up to which residual entropies are plainly those of common units
constexpr double kUnlikeRange = 1.4;

constexpr Choice kUnits[] = {
    {"auto", "scales count as far as the residual entropies spread no more than those of columns in common units"},
    {"comparable", "the columns share a unit, so that larger noise is expected later in the order"},
    {"arbitrary", "each column has a unit of its own: scales count for nothing"},
};

std::vector<double> checked_weights(const std::string& prefix, std::size_t rows, std::span<const double> weights) {
  if (weights.empty()) return {};
  if (weights.size() != rows) {
    throw Error(ErrorCategory::kData, fmt::format("{}There are {} weights for {} rows.", prefix, weights.size(), rows));
  }
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] > 0.0) || !std::isfinite(weights[i])) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The weight of row {} is {}; weights must be positive.", prefix, i + 1, weights[i]));
    }
  }
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / static_cast<double>(weights.size());
  std::vector<double> scaled(weights.begin(), weights.end());
  for (double& weight : scaled) weight /= mean;
  return scaled;
}

// What is known of the rows, where it is about this table.
const TaskRows* rows_of(const Table& table, const OlemPlusOptions& options) {
  const TaskRows* const rows = options.rows.get();
  if (rows == nullptr) return nullptr;
  const bool fits = (rows->weights.empty() || rows->weights.size() == table.rows()) &&
                    std::all_of(rows->set.begin(), rows->set.end(),
                                [&](const TaskRows::Set& set) { return set.rows.size() == table.rows(); });
  return fits ? rows : nullptr;
}

std::span<const double> weights_of(const Table& table, const OlemPlusOptions& options, std::span<const double> given) {
  const TaskRows* const rows = rows_of(table, options);
  return given.empty() && rows != nullptr ? std::span<const double>(rows->weights) : given;
}

std::vector<std::size_t> columns_that_are(bool discrete, const PlusColumns& columns) {
  std::vector<std::size_t> chosen;
  for (std::size_t j = 0; j < columns.columns; ++j) {
    if (columns.is_discrete(j) == discrete) chosen.push_back(j);
  }
  return chosen;
}

ScaleTerms scale_terms(const OlemPlusOptions& options, const PlusColumns& columns) {
  ScaleTerms terms;
  std::vector<double> log_scales;
  for (std::size_t j = 0; j < columns.columns; ++j) {
    if (columns.compared[j] != 0) log_scales.push_back(columns.log_scale[j]);
  }
  if (options.units == ColumnUnits::kArbitrary || log_scales.size() < 2) return terms;
  const auto [low, high] = std::minmax_element(log_scales.begin(), log_scales.end());
  if (std::exp(2.0 * (*high - *low)) < kStandardised) return terms;
  terms.beta = options.beta;
  if (log_scales.size() > kTunedColumns) {
    terms.beta *= static_cast<double>(kTunedColumns) / static_cast<double>(log_scales.size());
  }
  terms.kappa = options.kappa;
  return terms;
}

double entropy_range(const ScoredOrder& scored, const PlusColumns& columns) {
  const std::vector<double> entropies = scored.entropies(columns);
  const auto [low, high] = std::minmax_element(entropies.begin(), entropies.end());
  return *high - *low;
}

double falling(double value, double from, double to) { return std::clamp((to - value) / (to - from), 0.0, 1.0); }

// How much the scale terms count when residual entropies have this range: they fade out from what columns in common
// units have at most to what others have at least.
double scale_weight(double range) { return falling(range, kCommonUnitsRange, kOtherUnitsRange); }

// They are a prior, and a prior counts more where there are fewer rows; not where it is in doubt whether it holds.
double few_rows_factor(std::size_t rows, double range) {
  const double counted = std::clamp(static_cast<double>(rows), kFewestTunedRows, kTunedRows);
  return 1.0 + (std::sqrt(kTunedRows / counted) - 1.0) * falling(range, kAlikeRange, kUnlikeRange);
}

std::string closing_sentence_plus(const std::vector<OrderStep>& steps) {
  std::size_t forced = 0;
  std::size_t counts[3] = {};
  for (const OrderStep& step : steps) {
    if (step.evidence) {
      ++counts[static_cast<std::size_t>(step.evidence->decided_by)];
    } else {
      ++forced;
    }
  }
  return fmt::format("Of {} steps {} are decided by shape, {} by scale only, {} by knowledge; {} are not decided.",
                     steps.size(), counts[static_cast<std::size_t>(DecidedBy::kShape)],
                     counts[static_cast<std::size_t>(DecidedBy::kScale)], forced,
                     counts[static_cast<std::size_t>(DecidedBy::kNone)]);
}

}  // namespace

OptionSet describe(OlemPlusOptions& options) {
  OptionSet set;
  set.choice("olem_plus_units", options.units, kUnits,
             "whether the scales of the columns are informative about the order");
  set.real("olem_plus_beta", options.beta, 0.0, 10.0, "preference for larger residual entropies later in the order");
  set.real("olem_plus_kappa", options.kappa, 0.0, 10.0, "preference for residual entropies that are alike");
  return set;
}

ShapeDifference compare_by_shape(const OrderScore& first, const OrderScore& second) {
  return {first.shape - second.shape, paired_standard_error(first.row_shape, second.row_shape, {})};
}

class OlemPlusProblem::Impl {
 public:
  Impl(const Table& table, const OlemPlusOptions& options, const Context& context, std::span<const double> weights)
      : options_(options),
        table_names_(table.names()),
        prefix_(table.prefix()),
        own_nodes_(std::make_shared<PlusNodes>(prepare_plus_columns(
            table, checked_weights(table.prefix(), table.rows(), weights_of(table, options, weights)), context,
            rows_of(table, options)))),
        nodes_(*own_nodes_) {
    for (const std::size_t column : columns().table_column) names_.push_back(table.name(column));
    full_terms_ = scale_terms(options, columns());
    if (table.rows() >= kLongTable && weights.empty()) sample_ = sample_of(table);
  }

  // The same columns under other weights.
  Impl(const Impl& base, std::span<const double> weights, const Context& context)
      : options_(base.options_),
        table_names_(base.table_names_),
        prefix_(base.prefix_),
        own_nodes_(std::make_shared<PlusNodes>(
            reweigh_plus_columns(base.columns(), checked_weights(base.prefix_, base.columns().rows, weights), context),
            base.own_nodes_)),
        nodes_(*own_nodes_),
        names_(base.names_),
        full_terms_(base.full_terms_),
        weight_(base.weight_),
        weight_is_given_(base.weight_.has_value()),
        range_(base.range_) {}

  OrderResult learn(const Precedence& knowledge, const Context& context, std::span<const std::string> start,
                    OlemPlusReach reach) {
    // As if nothing had been learned before, but for the regressions.
    if (!weight_is_given_ && start.empty()) weight_.reset();
    nodes_.forget_asked();
    const Precedence known = knowledge.restricted_to(columns().table_column);
    const ScoredOrder best = start.empty() && sample_ ? find_from_sample(knowledge, known, context)
                                                      : find_best(known, context, start, kSearchShare, reach);
    const ScaleTerms terms = found_terms();
    OrderResult result;
    result.method = "olem+";
    result.criterion = "residual_entropy";
    for (const std::size_t column : best.order) result.order.push_back(names_[column]);
    result.steps = plus_steps(nodes_, terms, known, best, names_, columns().table_column, context);
    std::size_t edges = 0;
    for (const PlusNode& node : best.nodes) edges += node.edges();
    result.facts = {{"scale_weight", weight_.value_or(0.0)},
                    {"entropy_range", range_},
                    {"score_shape", best.shape},
                    {"score_scale", best.scale},
                    {"active_predecessors", static_cast<double>(edges)},
                    {"regressions", static_cast<double>(nodes_.asked())}};
    result.summary.message = closing_sentence_plus(result.steps);
    context.report_progress(1.0, "order");
    return result;
  }

  OrderScore score(std::span<const std::string> order, const Context& context) {
    std::vector<std::size_t> from;
    const ScaleTerms terms = find_terms({}, from, context);
    const ScoredOrder scored = score_plus_order(nodes_, terms, numbers(order), context);
    OrderScore result;
    result.shape = scored.shape;
    result.scale = scored.scale;
    const std::vector<double> rows = row_sums(scored, std::vector<double>(scored.order.size(), 1.0));
    result.row_shape.resize(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double weight = columns().weights.empty() ? 1.0 : columns().weights[i];
      result.row_shape[columns().table_row[i]] = weight * rows[i];
    }
    return result;
  }

 private:
  static constexpr double kStartShare = 0.1;  // of the progress
  // In regressions of all rows: what preparation takes for each column, and d^2 times these are the regressions of a
  // search of the sample and of one that begins near its end.
  static constexpr double kPreparation = 1.1;
  static constexpr double kSampleFits = 0.8;
  static constexpr double kGuessedFits = 0.4;
  // All rows may lead elsewhere: more regressions than the sample needs near its best order, and some for each column.
  static constexpr double kMoreFits = 1.3;
  static constexpr double kLeastAhead = 0.2;
  static constexpr double kSearchShare = 0.95;
  static constexpr double kFirstSearch = 0.7;  // of two searches

  // The first rows in an order that has nothing to do with their values; nothing where a column is constant in them.
  std::optional<Table> sample_of(const Table& table) const {
    Table sample = table.with_rows(std::span(columns().table_row).first(kSampleRows));
    for (std::size_t j = 0; j < sample.columns(); ++j) {
      const auto [low, high] = std::minmax_element(sample.column(j).begin(), sample.column(j).end());
      if (*low == *high) return std::nullopt;
    }
    return sample;
  }

  // The scale terms once their weight is found.
  ScaleTerms found_terms() const {
    const double weight = weight_.value_or(0.0);
    return {weight * full_terms_.beta, weight * full_terms_.kappa};
  }

  // The best order that a search of all rows finds. Its progress ends at `share`.
  ScoredOrder find_best(const Precedence& known, const Context& context, std::span<const std::string> start,
                        double share, OlemPlusReach reach = OlemPlusReach::kFull) {
    std::vector<std::size_t> from;
    if (!start.empty()) from = numbers(start);
    const ScaleTerms terms = find_terms(known, from, context);
    if (from.empty() || (start.empty() && terms.none())) from = start_order(known, false, context);
    const double begin_share = kStartShare * share / kSearchShare;
    context.report_progress(begin_share, "order");
    const bool again = start.empty() && columns().mixed;
    const double first_share = again ? kFirstSearch : 1.0;
    const auto search = [&](double begin, double end, std::span<const std::size_t> order) {
      return search_plus_order(nodes_, terms, known, order, reach == OlemPlusReach::kFull, context, [&](double part) {
        context.report_progress(begin_share + (share - begin_share) * (begin + (end - begin) * part), "order");
      });
    };
    ScoredOrder best = search(0.0, first_share, from);
    if (again) {
      ScoredOrder other = search(first_share, 1.0, with_discrete_last(best.order, known));
      if (other.total() < best.total()) best = std::move(other);
    }
    return best;
  }

  // Of a long table: the best order of the sample, from which all rows are searched, but for the walks that lead far:
  // those depend on J by amounts that the sample knows well. The sample also has the weight of the scale terms, and the
  // number of regressions that such a search takes.
  ScoredOrder find_from_sample(const Precedence& knowledge, const Precedence& known, const Context& context) {
    if (!sample_problem_)
      sample_problem_ = std::make_unique<Impl>(*sample_, options_, context, std::span<const double>());
    Impl& sample = *sample_problem_;
    sample.weight_.reset();
    const auto d = static_cast<double>(columns().columns);
    const double prepared = kPreparation * d;
    const double of_sample =
        kSampleFits * d * d * static_cast<double>(kSampleRows) / static_cast<double>(columns().rows);
    const double sampled = (prepared + of_sample) / (prepared + of_sample + kGuessedFits * d * d);
    const double begin = sampled * prepared / (prepared + of_sample);
    Context of_all = context;
    of_all.progress = [&](double done, std::string_view phase) {
      context.report_progress(begin + (sampled - begin) * done, phase);
    };
    const Precedence sample_known = knowledge.restricted_to(sample.columns().table_column);
    const ScoredOrder searched = sample.find_best(sample_known, of_all, {}, 1.0);
    sample.nodes_.forget_asked();
    std::vector<std::pair<double, double>> asked;  // regressions up to each part of the search
    const ScoredOrder near =
        search_plus_order(sample.nodes_, sample.found_terms(), sample_known, searched.order, false, context,
                          [&](double part) { asked.emplace_back(part, static_cast<double>(sample.nodes_.asked())); });
    const auto expected = static_cast<double>(sample.nodes_.asked());
    weight_ = sample.weight_;
    range_ = sample.range_;
    Order order;
    for (const std::size_t column : near.order) order.push_back(sample.names_[column]);
    double all = kMoreFits * expected;
    double reported = sampled;
    nodes_.on_fits([&](std::size_t made) {
      const double done = prepared + of_sample + static_cast<double>(made);
      reported = std::max(reported, done / std::max(prepared + of_sample + all, done + kLeastAhead * d));
      context.report_progress(reported, "order");
    });
    ScoredOrder best =
        search_plus_order(nodes_, found_terms(), known, numbers(order), false, context, [&](double part) {
          const auto after =
              std::find_if(asked.begin(), asked.end(), [&](const auto& own) { return own.first > part; });
          const double before = after == asked.begin() ? 0.0 : std::prev(after)->second;
          all = static_cast<double>(nodes_.fits()) + kMoreFits * (expected - before);
        });
    nodes_.on_fits({});
    return best;
  }

  const PlusColumns& columns() const { return nodes_.columns(); }

  std::vector<std::size_t> numbers(std::span<const std::string> order) const {
    const std::vector<std::size_t> table_order =
        order_indices(Order(order.begin(), order.end()), NodeNames(table_names_));
    std::vector<std::size_t> number(columns().columns);
    for (std::size_t j = 0; j < number.size(); ++j) number[columns().table_column[j]] = j;
    std::vector<std::size_t> result;
    for (const std::size_t column : table_order) result.push_back(number[column]);
    return result;
  }

  // The scale terms, whose weight is found once, along `from` or OLEM's order in units, which `from` then becomes.
  ScaleTerms find_terms(const Precedence& known, std::vector<std::size_t>& from, const Context& context) {
    if (full_terms_.none()) return {};
    if (from.empty() && (!weight_ || *weight_ > 0.0)) from = start_order(known, true, context);
    if (!weight_) {
      range_ = entropy_range(score_plus_order(nodes_, {}, from, context), columns());
      weight_ =
          (options_.units == ColumnUnits::kAuto ? scale_weight(range_) : 1.0) * few_rows_factor(columns().rows, range_);
    }
    return found_terms();
  }

  // OLEM's order of the continuous columns, in their units or standardised, with discrete columns where J by shape is
  // least, one after the other.
  std::vector<std::size_t> start_order(const Precedence& known, bool in_units, const Context& context) {
    const std::vector<std::size_t> continuous = columns_that_are(false, columns());
    const bool mixed = continuous.size() < columns().columns;
    std::vector<std::size_t> order =
        continuous_start(continuous, mixed ? known.restricted_to(continuous) : known, in_units, context);
    for (const std::size_t column : columns_that_are(true, columns()))
      order = with_inserted(order, column, known, context);
    return order;
  }

  // The same order of the continuous columns, with discrete columns as late as knowledge allows: a search from the
  // other end.
  std::vector<std::size_t> with_discrete_last(std::span<const std::size_t> order, const Precedence& known) const {
    std::vector<std::size_t> result;
    for (const std::size_t column : order) {
      if (!columns().is_discrete(column)) result.push_back(column);
    }
    for (const std::size_t column : order) {
      if (!columns().is_discrete(column)) continue;
      const auto after =
          std::find_if(result.begin(), result.end(), [&](std::size_t other) { return known.precedes(column, other); });
      result.insert(after, column);
    }
    return result;
  }

  // The column at the place where J by shape of the columns so far is least.
  std::vector<std::size_t> with_inserted(const std::vector<std::size_t>& order, std::size_t column,
                                         const Precedence& known, const Context& context) {
    std::vector<std::size_t> best;
    double least = std::numeric_limits<double>::infinity();
    // From the end, so that of places without any difference the last is taken. What must come before the column comes
    // before what must follow it, since the order obeys knowledge.
    for (std::size_t place = order.size() + 1; place-- > 0;) {
      if (place < order.size() && known.precedes(order[place], column)) break;
      if (place > 0 && known.precedes(column, order[place - 1])) continue;
      std::vector<std::size_t> next = order;
      next.insert(next.begin() + static_cast<std::ptrdiff_t>(place), column);
      const double score = score_plus_order(nodes_, {}, next, context).total();
      if (score < least) {
        least = score;
        best = std::move(next);
      }
    }
    return best;
  }

  // The rows are in an order that has nothing to do with their values, so the first of many are a random sample.
  std::vector<std::size_t> continuous_start(std::span<const std::size_t> continuous, const Precedence& known,
                                            bool in_units, const Context& context) const {
    if (continuous.size() < 2) return {continuous.begin(), continuous.end()};
    const std::size_t rows = std::min(columns().rows, kMostStartRows);
    std::vector<std::string> names;
    std::vector<double> values;
    for (const std::size_t j : continuous) {
      names.push_back(std::to_string(j));
      const double scale = in_units ? std::exp(columns().log_scale[j]) : 1.0;
      for (std::size_t i = 0; i < rows; ++i) values.push_back(scale * columns().standardised(j)[i]);
    }
    const Table table(std::move(names), std::move(values));
    OlemOptions options;
    // Where columns are so discrete that OLEM refuses them, a little noise gives it something to begin with.
    options.entropy.ties = TiePolicy::kJitter;
    Context quiet = context;
    quiet.progress = nullptr;
    const OrderResult start = learn_order_olem(table, options, known, quiet);
    std::vector<std::size_t> order;
    for (const std::string& name : start.order) order.push_back(std::stoul(name));
    return order;
  }

  OlemPlusOptions options_;
  std::vector<std::string> table_names_;
  std::string prefix_;
  std::shared_ptr<PlusNodes> own_nodes_;
  PlusNodes& nodes_;
  std::vector<std::string> names_;  // by number of the column
  ScaleTerms full_terms_;
  std::optional<double> weight_;          // of the scale terms, once it is found
  bool weight_is_given_ = false;          // by the problem with other row weights
  double range_ = 0.0;                    // of the residual entropies that it was found from
  std::optional<Table> sample_;           // of the rows of a long table
  std::unique_ptr<Impl> sample_problem_;  // once it was needed
};

OlemPlusProblem::OlemPlusProblem(const Table& table, const OlemPlusOptions& options, const Context& context,
                                 std::span<const double> weights) {
  OlemPlusOptions checked = options;
  describe(checked).validate();
  impl_ = std::make_unique<Impl>(table, checked, context, weights);
}

OlemPlusProblem::OlemPlusProblem(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

OlemPlusProblem::~OlemPlusProblem() = default;
OlemPlusProblem::OlemPlusProblem(OlemPlusProblem&&) noexcept = default;
OlemPlusProblem& OlemPlusProblem::operator=(OlemPlusProblem&&) noexcept = default;

OlemPlusProblem OlemPlusProblem::reweighted(std::span<const double> weights, const Context& context) const {
  return OlemPlusProblem(std::make_unique<Impl>(*impl_, weights, context));
}

OrderResult OlemPlusProblem::learn(const Precedence& knowledge, const Context& context,
                                   std::span<const std::string> start, OlemPlusReach reach) {
  return impl_->learn(knowledge, context, start, reach);
}

OrderScore OlemPlusProblem::score(std::span<const std::string> order, const Context& context) {
  return impl_->score(order, context);
}

OrderResult learn_order_olem_plus(const Table& table, const OlemPlusOptions& options, const Precedence& knowledge,
                                  const Context& context) {
  return learn_order_olem_plus_weighted(table, options, knowledge, {}, {}, context);
}

OrderResult learn_order_olem_plus_weighted(const Table& table, const OlemPlusOptions& options,
                                           const Precedence& knowledge, std::span<const double> weights,
                                           std::span<const std::string> start, const Context& context) {
  if (table.columns() < 2) {
    OrderResult trivial;
    trivial.criterion = "residual_entropy";
    trivial.order = table.names();
    return trivial;
  }
  context.report_progress(0.0, "order");  // what prepares the columns takes time too
  return OlemPlusProblem(table, options, context, weights).learn(knowledge, context, start);
}

OrderScore score_order_by_shape(const Table& table, std::span<const std::string> order, const Context& context) {
  OlemPlusOptions options;
  options.units = ColumnUnits::kArbitrary;
  return OlemPlusProblem(table, options, context).score(order, context);
}

}  // namespace olem

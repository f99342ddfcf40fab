// A model that lives, closed loop on streams whose coefficients drift: estimate, decide, see what comes, estimate
// again.
#include "simulate/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "rehearse/forgetting.h"
#include "study/kind.h"
#include "study/stream_update.h"

namespace olem::internal {

namespace {

constexpr double kStreamLevel = 0.7;    // that success is asked to have
constexpr std::size_t kFirstRows = 10;  // without any decision
constexpr double kLeastSquaresOnly[] = {1.0};
constexpr std::size_t kLateRound = 60;  // from which on success is counted once more: that of the step

struct StreamMethod {
  StudyName name;
  bool exact = false;  // the constraint on the probability itself; otherwise the published chance constraint
  enum class Knowledge { kLeastSquares, kMixture, kUpdate, kTruth } knowledge = Knowledge::kMixture;
};

const std::vector<StreamMethod>& stream_methods() {
  using Knowledge = StreamMethod::Knowledge;
  static const std::vector<StreamMethod> kAll = {
      {{"chance-ls", "chance constraint, least squares"}, false, Knowledge::kLeastSquares},
      {{"chance-mixture", "chance constraint, forgetting factors"}, false, Knowledge::kMixture},
      {{"chance-truth", "chance constraint, true coefficients"}, false, Knowledge::kTruth},
      {{"exact-ls", "exact constraint, least squares"}, true, Knowledge::kLeastSquares},
      {{"exact-mixture", "exact constraint, forgetting factors"}, true, Knowledge::kMixture},
      {{"exact-truth", "exact constraint, true coefficients"}, true, Knowledge::kTruth},
      {{"update", "models that are updated, decisions with a target"}, true, Knowledge::kUpdate},
  };
  return kAll;
}

const StreamMethod& stream_method(const std::string& name) {
  return *std::find_if(stream_methods().begin(), stream_methods().end(),
                       [&](const StreamMethod& method) { return method.name.name == name; });
}

double normal_below(double z) { return 0.5 * std::erfc(-z / std::sqrt(2.0)); }

// P(rows y <= bounds) for one or two normal outcomes: closed, or Simpson's rule over the first.
double region_probability(const Eigen::MatrixXd& rows, const Eigen::VectorXd& bounds, const Eigen::VectorXd& mean,
                          const Eigen::MatrixXd& covariance) {
  constexpr double kFar = 1e6;  // deviations
  // The last outcome given the value y0 of the first, where there are two.
  const auto last = [&](double y0, double centre, double sd) {
    double low = centre - kFar * sd;
    double high = centre + kFar * sd;
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
      const double weight = rows(r, rows.cols() - 1);
      const double bound = bounds[r] - (rows.cols() > 1 ? rows(r, 0) * y0 : 0.0);
      if (weight > 0.0) high = std::min(high, bound / weight);
      if (weight < 0.0) low = std::max(low, bound / weight);
      if (weight == 0.0 && bound < 0.0) return 0.0;
    }
    return high <= low ? 0.0 : normal_below((high - centre) / sd) - normal_below((low - centre) / sd);
  };
  if (rows.cols() == 1) return last(0.0, mean[0], std::sqrt(covariance(0, 0)));
  constexpr int kPieces = 800;
  constexpr double kReach = 8.0;
  const double sd0 = std::sqrt(covariance(0, 0));
  const double slope = covariance(1, 0) / covariance(0, 0);
  const double sd1 = std::sqrt(covariance(1, 1) - slope * covariance(1, 0));
  double sum = 0.0;
  for (int i = 0; i <= kPieces; ++i) {
    const double u = -kReach + 2.0 * kReach * i / kPieces;
    const double factor = i == 0 || i == kPieces ? 1.0 : i % 2 == 1 ? 4.0 : 2.0;
    sum += factor * std::exp(-0.5 * u * u) * last(mean[0] + sd0 * u, mean[1] + slope * sd0 * u, sd1);
  }
  return sum * (2.0 * kReach / kPieces) / 3.0 / std::sqrt(2.0 * std::numbers::pi);
}

// The least (z - datum)' W (z - datum) with G z <= h for one or two levers: the datum, a point on one border, or a
// corner. Nothing when there is no such z.
std::optional<Eigen::VectorXd> least_cost_point(const Eigen::MatrixXd& g, const Eigen::VectorXd& h,
                                                const Eigen::VectorXd& weights, const Eigen::VectorXd& datum) {
  std::vector<Eigen::VectorXd> candidates = {datum};
  for (Eigen::Index r = 0; r < g.rows(); ++r) {
    const Eigen::VectorXd direction = g.row(r).transpose().cwiseQuotient(weights);
    const double length = g.row(r).dot(direction);
    if (length < 1e-12) continue;
    candidates.push_back(datum + direction * (h[r] - g.row(r).dot(datum)) / length);
    for (Eigen::Index s = 0; s < r && g.cols() == 2; ++s) {
      Eigen::Matrix2d both;
      both << g.row(r), g.row(s);
      if (std::abs(both.determinant()) < 1e-12) continue;
      candidates.push_back(both.inverse() * Eigen::Vector2d(h[r], h[s]));
    }
  }
  std::optional<Eigen::VectorXd> best;
  double least = std::numeric_limits<double>::infinity();
  for (const Eigen::VectorXd& z : candidates) {
    if (((g * z - h).array() > 1e-9).any()) continue;
    const double cost = weights.dot((z - datum).cwiseAbs2());
    if (cost < least) {
      least = cost;
      best = z;
    }
  }
  return best;
}

// What is set in one round.
struct StreamDecision {
  std::vector<std::size_t> levers;  // variables; none: nothing
  Eigen::VectorXd values;
  double cost = 0.0;
};

// Deciding with one matrix of coefficients for one context.
class StreamRound {
 public:
  StreamRound(const LinearStream& stream, const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& noise)
      : stream_(stream), coefficients_(coefficients), noise_(noise) {}

  // Mean and covariance of the outcomes, given the context, when these levers have these values.
  struct Forecast {
    Eigen::VectorXd mean;        // with the levers at 0
    Eigen::MatrixXd levers;      // what a unit of each adds
    Eigen::MatrixXd covariance;  //
  };
  Forecast forecast(const std::vector<std::size_t>& levers) const {
    const Eigen::MatrixXd effects = stream_effects(stream_, coefficients_, levers);
    const auto count = static_cast<Eigen::Index>(stream_.outcomes().size());
    Eigen::MatrixXd outcomes(count, effects.cols());
    for (Eigen::Index k = 0; k < count; ++k)
      outcomes.row(k) = effects.row(static_cast<Eigen::Index>(stream_.outcomes()[static_cast<std::size_t>(k)]));
    Forecast result;
    result.mean = Eigen::VectorXd::Zero(count);
    result.levers = Eigen::MatrixXd(count, static_cast<Eigen::Index>(levers.size()));
    for (const std::size_t place : stream_.context()) {
      const auto column = static_cast<Eigen::Index>(place);
      result.mean += outcomes.col(column) * noise_[column];
      outcomes.col(column).setZero();
    }
    for (std::size_t k = 0; k < levers.size(); ++k) {
      const auto column = static_cast<Eigen::Index>(levers[k]);
      result.levers.col(static_cast<Eigen::Index>(k)) = outcomes.col(column);
      outcomes.col(column).setZero();
    }
    result.covariance = outcomes * stream_.noise() * outcomes.transpose();
    return result;
  }

  double success(const StreamDecision& decision) const {
    const Forecast expected = forecast(decision.levers);
    Eigen::VectorXd mean = expected.mean;
    if (!decision.levers.empty()) mean += expected.levers * decision.values;
    return region_probability(stream_.rows(), stream_.bounds(), mean, expected.covariance);
  }

  StreamDecision decide(bool exact) const {
    StreamDecision best;
    double least = std::numeric_limits<double>::infinity();
    StreamDecision likeliest;
    double most = success({});
    for (const std::vector<std::size_t>& choice : choices()) {
      const std::optional<StreamDecision> found = exact ? exact_decision(choice) : chance_decision(choice);
      if (found && found->cost < least) {
        least = found->cost;
        best = *found;
      }
      if (!exact) continue;
      const StreamDecision other = likeliest_decision(choice);
      if (const double chance = success(other); chance > most) {
        most = chance;
        likeliest = other;
      }
    }
    const bool found = least < std::numeric_limits<double>::infinity();
    if (exact && !found) return likeliest;
    if (!found) return at_datum();
    // The published rule is clipped afterwards.
    best.values = best.values.cwiseMax(-stream_.box()).cwiseMin(stream_.box());
    best.cost = cost(best.levers, best.values);
    return best;
  }

 private:
  // Places among the levers that are altered together.
  std::vector<std::vector<std::size_t>> choices() const {
    std::vector<std::vector<std::size_t>> all;
    if (!stream_.one_lever()) return {stream_.levers()};
    for (const std::size_t lever : stream_.levers()) all.push_back({lever});
    return all;
  }

  Eigen::VectorXd part(const Eigen::VectorXd& of_levers, const std::vector<std::size_t>& levers) const {
    Eigen::VectorXd values(static_cast<Eigen::Index>(levers.size()));
    for (std::size_t k = 0; k < levers.size(); ++k) {
      const auto place = std::find(stream_.levers().begin(), stream_.levers().end(), levers[k]);
      values[static_cast<Eigen::Index>(k)] = of_levers[place - stream_.levers().begin()];
    }
    return values;
  }
  double cost(const std::vector<std::size_t>& levers, const Eigen::VectorXd& values) const {
    return part(stream_.weights(), levers).dot((values - part(stream_.datums(), levers)).cwiseAbs2());
  }

  // Doing nothing where one lever is altered, every lever at its datum otherwise.
  StreamDecision at_datum() const {
    if (stream_.one_lever()) return {};
    return {stream_.levers(), stream_.datums(), 0.0};
  }

  // The least cost with every row of the region kept by `margin` deviations of it.
  std::optional<StreamDecision> with_margin(const std::vector<std::size_t>& levers, const Forecast& expected,
                                            double margin) const {
    const Eigen::MatrixXd& m = stream_.rows();
    const Eigen::VectorXd deviations = (m * expected.covariance * m.transpose()).diagonal().cwiseSqrt();
    const Eigen::VectorXd bounds = stream_.bounds() - m * expected.mean - margin * deviations;
    const auto z =
        least_cost_point(m * expected.levers, bounds, part(stream_.weights(), levers), part(stream_.datums(), levers));
    if (!z) return std::nullopt;
    return StreamDecision{levers, *z, cost(levers, *z)};
  }

  std::optional<StreamDecision> chance_decision(const std::vector<std::size_t>& levers) const {
    const boost::math::chi_squared distribution(static_cast<double>(stream_.outcomes().size()));
    return with_margin(levers, forecast(levers), std::sqrt(boost::math::quantile(distribution, kStreamLevel)));
  }

  bool in_box(const Eigen::VectorXd& z) const { return (z.cwiseAbs().array() <= stream_.box()).all(); }

  // The smallest margin whose point has the probability; with one outcome no point with it is cheaper.
  std::optional<StreamDecision> exact_decision(const std::vector<std::size_t>& levers) const {
    const Forecast expected = forecast(levers);
    double low = -4.0;
    double high = 4.0;
    std::optional<StreamDecision> best;
    for (int step = 0; step < 40; ++step) {
      const double middle = 0.5 * (low + high);
      const std::optional<StreamDecision> found = with_margin(levers, expected, middle);
      const bool enough = found && success(*found) >= kStreamLevel;
      if (enough) best = found;
      (found && !enough ? low : high) = middle;
    }
    if (best && in_box(best->values)) return best;
    return std::nullopt;
  }

  // On a grid of the box: a round in which nothing reaches the probability is rare.
  StreamDecision likeliest_decision(const std::vector<std::size_t>& levers) const {
    const int points = levers.size() == 1 ? 101 : 21;
    const Forecast expected = forecast(levers);
    StreamDecision best{levers, part(stream_.datums(), levers), 0.0};
    double most = -1.0;
    const auto count = static_cast<Eigen::Index>(levers.size());
    const int all = levers.size() == 1 ? points : points * points;
    for (int i = 0; i < all; ++i) {
      Eigen::VectorXd z(count);
      for (Eigen::Index k = 0; k < count; ++k)
        z[k] = stream_.box() * (2.0 * ((k == 0 ? i % points : i / points)) / (points - 1) - 1.0);
      const double chance = region_probability(stream_.rows(), stream_.bounds(), expected.mean + expected.levers * z,
                                               expected.covariance);
      if (chance <= most) continue;
      most = chance;
      best.values = z;
    }
    best.cost = cost(levers, best.values);
    return best;
  }

  const LinearStream& stream_;
  const Eigen::MatrixXd& coefficients_;
  const Eigen::VectorXd& noise_;
};

// Coefficients along the true graph.
class StreamEstimate {
 public:
  StreamEstimate(const LinearStream& stream, std::span<const double> factors) {
    // At a time at which no effect is 0.
    const Eigen::MatrixXd graph = stream.coefficients(5.0);
    for (Eigen::Index i = 0; i < graph.rows(); ++i) {
      std::vector<Eigen::Index>& parents = parents_.emplace_back();
      for (Eigen::Index k = 0; k < graph.cols(); ++k) {
        if (graph(i, k) != 0.0) parents.push_back(k);
      }
      banks_.emplace_back(parents.size(), factors);
    }
  }

  void add(const Eigen::VectorXd& row, const std::vector<std::size_t>& altered) {
    for (std::size_t i = 0; i < banks_.size(); ++i) {
      const bool set = std::find(altered.begin(), altered.end(), i) != altered.end();
      if (!set && !parents_[i].empty()) banks_[i].add(row(parents_[i]), row[static_cast<Eigen::Index>(i)]);
    }
  }

  Eigen::MatrixXd coefficients() const {
    const auto count = static_cast<Eigen::Index>(banks_.size());
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(count, count);
    for (Eigen::Index i = 0; i < count; ++i) {
      const auto place = static_cast<std::size_t>(i);
      if (parents_[place].empty()) continue;
      const Eigen::VectorXd own = banks_[place].coefficients();
      for (std::size_t k = 0; k < parents_[place].size(); ++k)
        all(i, parents_[place][k]) = own[static_cast<Eigen::Index>(k)];
    }
    return all;
  }

 private:
  std::vector<std::vector<Eigen::Index>> parents_;
  std::vector<ForgettingBank> banks_;
};

Eigen::VectorXd stream_row(const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& noise,
                           const StreamDecision& decision) {
  Eigen::VectorXd row = noise;
  for (Eigen::Index i = 0; i < row.size(); ++i) {
    const auto set = std::find(decision.levers.begin(), decision.levers.end(), static_cast<std::size_t>(i));
    row[i] = set == decision.levers.end() ? noise[i] + coefficients.row(i).head(i).dot(row.head(i))
                                          : decision.values[set - decision.levers.begin()];
  }
  return row;
}

StreamDecision stream_decision(const LinearStream& stream, const Decision& decided) {
  StreamDecision decision;
  std::vector<double> values;
  for (const Alteration& alteration : decided.alterations) {
    if (!alteration.value) continue;
    const auto place = std::find(stream.names().begin(), stream.names().end(), alteration.name);
    decision.levers.push_back(static_cast<std::size_t>(place - stream.names().begin()));
    values.push_back(*alteration.value);
  }
  decision.values = Eigen::VectorXd::Map(values.data(), static_cast<Eigen::Index>(values.size()));
  decision.cost = decided.cost;
  return decision;
}

// The same noise for every method.
StudyValues follow_stream(const LinearStream& stream, const StreamMethod& method, std::size_t rounds, int task,
                          const Context& context) {
  using Knowledge = StreamMethod::Knowledge;
  RandomStream random(context.seed, "study.streams", static_cast<std::uint64_t>(task));
  StreamEstimate estimate(stream, method.knowledge == Knowledge::kMixture ? std::span<const double>(kForgettingFactors)
                                                                          : std::span<const double>(kLeastSquaresOnly));
  std::optional<UpdatedStream> updated;
  if (method.knowledge == Knowledge::kUpdate) updated.emplace(stream);
  const auto learn = [&](const Eigen::VectorXd& row, const std::vector<std::size_t>& altered) {
    estimate.add(row, altered);
    if (updated) updated->add(row, altered, context);
  };
  for (std::size_t i = 0; i < kFirstRows; ++i)
    learn(stream_row(stream.coefficients(0.0), stream.draw_noise(random), {}), {});
  double success = 0.0;
  double late = 0.0;
  double came_true = 0.0;
  double cost = 0.0;
  for (std::size_t t = 1; t <= rounds; ++t) {
    context.check_interrupt();
    const Eigen::MatrixXd truth = stream.coefficients(static_cast<double>(t));
    const Eigen::VectorXd noise = stream.draw_noise(random);
    const Eigen::MatrixXd believed = method.knowledge == Knowledge::kTruth ? truth : estimate.coefficients();
    const std::optional<Decision> by_model =
        updated ? updated->decide(noise, kStreamLevel, context) : std::optional<Decision>();
    const StreamDecision decision =
        by_model ? stream_decision(stream, *by_model) : StreamRound(stream, believed, noise).decide(method.exact);
    const double chance = StreamRound(stream, truth, noise).success(decision);
    success += chance;
    late += t >= kLateRound ? chance : 0.0;
    cost += decision.cost;
    const Eigen::VectorXd row = stream_row(truth, noise, decision);
    Eigen::VectorXd outcomes(static_cast<Eigen::Index>(stream.outcomes().size()));
    for (Eigen::Index k = 0; k < outcomes.size(); ++k)
      outcomes[k] = row[static_cast<Eigen::Index>(stream.outcomes()[static_cast<std::size_t>(k)])];
    came_true += ((stream.rows() * outcomes - stream.bounds()).array() <= 0.0).all() ? 1.0 : 0.0;
    learn(row, decision.levers);
  }
  const auto count = static_cast<double>(rounds);
  return {{"success", success / count},
          {"late", late / static_cast<double>(rounds + 1 - kLateRound)},
          {"came_true", came_true / count},
          {"cost", cost / count}};
}

std::vector<Batch> plan_streams(const StudyRequest& request) {
  std::vector<Batch> batches;
  for (const StudySetting& setting : request.settings) {
    const auto stream = std::make_shared<const LinearStream>(setting.at("stream"));
    const auto rounds = static_cast<std::size_t>(setting.number("rounds"));
    for (int task = 0; task < request.tasks; ++task) {
      Batch& batch = batches.emplace_back();
      for (const std::string& method : request.methods) {
        batch.cells.push_back({setting, method, 0, task,
                               fmt::format("{} task={} method={}", setting.text(), task, method),
                               (stream_method(method).knowledge == StreamMethod::Knowledge::kUpdate ? 0.05 : 0.001) *
                                   static_cast<double>(rounds)});
      }
      batch.prepare = [stream, rounds, seed = request.seed, text = setting.text()](const Context&) {
        return [stream, rounds, seed, text](const Cell& cell, const Context& context) {
          Context own = context;
          own.seed = derived_seed(seed, text);
          return follow_stream(*stream, stream_method(cell.method), rounds, cell.task, own);
        };
      };
    }
  }
  return batches;
}

}  // namespace

StudyKind streams_study() {
  StudyKind kind;
  kind.name = "streams";
  kind.help = "success and cost on streams with drift, closed loop: chance and exact constraints, forgetting factors";
  for (const StreamMethod& method : stream_methods()) kind.methods.push_back(method.name);
  kind.metrics = {{"success", "true probability"},
                  {"late", fmt::format("from round {} on", kLateRound)},
                  {"came_true", "came true"},
                  {"cost", "cost"}};
  kind.settings = {
      StudySetting{{"stream", "bermuda"}, {"rounds", "100"}}, StudySetting{{"stream", "market"}, {"rounds", "100"}},
      StudySetting{{"stream", "step"}, {"rounds", "150"}}, StudySetting{{"stream", "still"}, {"rounds", "150"}}};
  kind.units_are_tasks = true;
  kind.protocol.epochs = 0;
  kind.protocol.tasks = 20;
  kind.differences = {{{"mixture-ls", "forgetting factors less least squares"}, "chance-mixture", "chance-ls"}};
  kind.plan = plan_streams;
  kind.published = [](const StudySetting&, const std::string&, const std::string&) -> std::optional<PublishedNumber> {
    return std::nullopt;
  };
  return kind;
}

}  // namespace olem::internal

#include "study/stream_update.h"

#include <algorithm>

#include "olem/update.h"

namespace olem::internal {

namespace {

std::string indicator(const std::string& lever) { return lever + "_was_set"; }

}  // namespace

UpdatedStream::UpdatedStream(const LinearStream& stream) : stream_(stream) {
  // At a time at which no effect is 0.
  const Eigen::MatrixXd effects = stream.coefficients(5.0);
  std::vector<Edge> edges;
  for (Eigen::Index to = 0; to < effects.rows(); ++to) {
    for (Eigen::Index from = 0; from < effects.cols(); ++from) {
      if (effects(to, from) != 0.0) edges.push_back({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    }
  }
  graph_.graph = Dag(stream.names(), edges);
  graph_.source = "the true graph";
  const auto name = [&](std::size_t place) { return stream.names()[place]; };
  for (const std::size_t place : stream.context()) task_.context.push_back(name(place));
  for (std::size_t k = 0; k < stream.levers().size(); ++k) {
    const std::size_t place = stream.levers()[k];
    const auto at = static_cast<Eigen::Index>(k);
    task_.cost.push_back({name(place), stream.weights()[at]});
    task_.cost_forms.push_back({name(place), stream.datums()[at], 2});
    task_.alterable.push_back({name(place), -stream.box(), stream.box()});
    task_.set_by_hand.push_back({name(place), indicator(name(place))});
  }
  if (stream.one_lever()) task_.max_alterations = 1;
  std::vector<std::vector<double>> rows;
  for (const std::size_t place : stream.outcomes()) task_.outcome.push_back(name(place));
  for (Eigen::Index r = 0; r < stream.rows().rows(); ++r) {
    const Eigen::VectorXd row = stream.rows().row(r);
    rows.emplace_back(row.begin(), row.end());
  }
  task_.desired = Region::polytope(task_.outcome, rows, {stream.bounds().begin(), stream.bounds().end()});
}

Table UpdatedStream::waiting_table() const {
  std::vector<std::string> names = stream_.names();
  for (const std::size_t lever : stream_.levers()) names.push_back(indicator(stream_.names()[lever]));
  std::vector<double> values;
  for (std::size_t j = 0; j < names.size(); ++j) {
    for (const std::vector<double>& row : waiting_) values.push_back(row[j]);
  }
  return {std::move(names), std::move(values), "stream"};
}

void UpdatedStream::add(const Eigen::VectorXd& row, const std::vector<std::size_t>& altered, const Context& context) {
  std::vector<double>& cells = waiting_.emplace_back(row.begin(), row.end());
  for (const std::size_t lever : stream_.levers())
    cells.push_back(std::find(altered.begin(), altered.end(), lever) == altered.end() ? 0.0 : 1.0);
  if (waiting_.size() < (model_ ? kChunk : kFitted)) return;
  const Table table = waiting_table();
  if (model_) {
    model_ = update_model(*model_, *model_->rows, table, {}, context).model;
  } else {
    RehearsalOptions options;
    options.samplers.sampler = "linear";
    options.keep_rows = true;
    model_ = fit_rehearsal_on_graph(task_, table, options, graph_, context);
  }
  waiting_.clear();
}

std::optional<Decision> UpdatedStream::decide(const Eigen::VectorXd& noise, double target,
                                              const Context& context) const {
  if (!model_) return std::nullopt;
  std::vector<NamedValue> observed;
  for (const std::size_t place : stream_.context())
    observed.push_back({stream_.names()[place], noise[static_cast<Eigen::Index>(place)]});
  DecisionOptions options;
  options.target = target;
  return olem::decide(decision_problem(*model_, observed), options, context);
}

}  // namespace olem::internal

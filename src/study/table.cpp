#include "study/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr double kFewestErrorsToMark = 3.0;
// Differences below it are rounding: published numbers have four digits at most.
constexpr double kNothing = 1e-9;

// One method's values of one metric in one setting.
struct Sample {
  std::vector<double> cells;
  std::map<int, std::vector<double>> units;  // by epoch or task
};

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squares_about_mean(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

double squared_error_of_mean(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  return squares_about_mean(values) / (n - 1.0) / n;
}

double deviation_over_units(const Sample& sample) {
  std::vector<double> means;
  for (const auto& [unit, values] : sample.units) means.push_back(mean_of(values));
  return std::sqrt(squares_about_mean(means) / static_cast<double>(means.size()));
}

bool beyond(double difference, double error) {
  return std::abs(difference) > kNothing && std::abs(difference) > kFewestErrorsToMark * error;
}

using SampleKey = std::tuple<std::string, std::string, std::string>;  // setting, method, metric

std::map<SampleKey, Sample> collect(const StudyKind& kind, const std::vector<Batch>& batches,
                                    const std::map<std::string, JournalRecord>& records) {
  std::map<SampleKey, Sample> samples;
  for (const Batch& batch : batches) {
    for (const Cell& cell : batch.cells) {
      for (const auto& [metric, value] : records.at(cell.key).values) {
        Sample& sample = samples[{cell.setting.text(), cell.method, metric}];
        sample.cells.push_back(value);
        sample.units[kind.units_are_tasks ? cell.task : cell.epoch].push_back(value);
      }
    }
  }
  for (const StudySetting& setting : kind.settings) {
    for (const StudyDifference& difference : kind.differences) {
      for (const StudyName& metric : kind.metrics) {
        const auto a = samples.find({setting.text(), difference.minuend, metric.name});
        const auto b = samples.find({setting.text(), difference.subtrahend, metric.name});
        if (a == samples.end() || b == samples.end()) continue;
        Sample& sample = samples[{setting.text(), difference.name.name, metric.name}];
        for (std::size_t i = 0; i < a->second.cells.size(); ++i) {
          sample.cells.push_back(a->second.cells[i] - b->second.cells[i]);
          sample.units[static_cast<int>(i)].push_back(sample.cells.back());
        }
      }
    }
  }
  return samples;
}

StudyRow row_of(const StudySetting& setting, const StudyName& method, const StudyName& metric, const Sample& sample,
                const std::optional<PublishedNumber>& published) {
  StudyRow row;
  row.setting = setting.entries();
  row.method = method.name;
  row.method_label = method.label;
  row.metric = metric.name;
  row.metric_label = metric.label;
  row.cells = sample.cells.size();
  row.mean = mean_of(sample.cells);
  row.deviation = deviation_over_units(sample);
  if (!published) return row;
  row.published = published->mean;
  row.published_deviation = published->deviation;
  row.difference = row.mean - published->mean;
  if (sample.cells.size() < 2) return row;  // one cell tells nothing about its own spread
  double squared_error = squared_error_of_mean(sample.cells);
  if (published->deviation && published->units > 1) {
    row.published_error = *published->deviation / std::sqrt(published->units - 1);
    squared_error += row.published_error * row.published_error;
  }
  row.standard_error = std::sqrt(squared_error);
  row.marked = beyond(*row.difference, *row.standard_error);
  return row;
}

// The setting without what published numbers of the same models differ in.
std::string models_of(const StudyKind& kind, const StudyRow& row) {
  StudySetting setting(row.setting);
  for (const std::string& key : kind.shared_models) setting = setting.without(key);
  return setting.text();
}

void add_to_pool(StudyPool& pool, const StudyRow& row) {
  ++pool.rows;
  pool.mean += row.mean;
  pool.published += *row.published;
  pool.difference += *row.difference;
  const double squared_error = *row.standard_error * *row.standard_error;  // all are squares until the last is in
  pool.independent_error += squared_error;
  pool.standard_error += squared_error - row.published_error * row.published_error;
  pool.marked_rows += row.marked ? 1 : 0;
  const double distance = std::abs(*row.difference);
  const double ratio = distance <= kNothing        ? 0.0
                       : *row.standard_error > 0.0 ? distance / *row.standard_error
                                                   : std::numeric_limits<double>::infinity();
  if (ratio > pool.largest_ratio) {
    pool.largest_ratio = ratio;
    pool.largest_ratio_at = StudySetting(row.setting).text();
  }
}

std::vector<StudyPool> pools_of(const StudyKind& kind, const std::vector<StudyRow>& rows) {
  std::vector<StudyPool> pools;
  std::vector<std::map<std::string, double>> published_errors;  // of each pool, by models
  for (const StudyRow& row : rows) {
    if (!row.standard_error) continue;
    auto pool = std::find_if(pools.begin(), pools.end(), [&](const StudyPool& candidate) {
      return candidate.method_label == row.method_label && candidate.metric_label == row.metric_label;
    });
    if (pool == pools.end()) {
      pools.emplace_back();
      published_errors.emplace_back();
      pool = pools.end() - 1;
      pool->method_label = row.method_label;
      pool->metric_label = row.metric_label;
    }
    add_to_pool(*pool, row);
    published_errors[static_cast<std::size_t>(pool - pools.begin())][models_of(kind, row)] += row.published_error;
  }
  for (std::size_t i = 0; i < pools.size(); ++i) {
    StudyPool& pool = pools[i];
    for (const auto& [models, error] : published_errors[i]) pool.standard_error += error * error;
    const auto count = static_cast<double>(pool.rows);
    pool.mean /= count;
    pool.published /= count;
    pool.difference /= count;
    pool.standard_error = std::sqrt(pool.standard_error) / count;
    pool.independent_error = std::sqrt(pool.independent_error) / count;
    pool.marked = beyond(pool.difference, pool.standard_error);
  }
  return pools;
}

}  // namespace

void fill_table(const StudyKind& kind, const StudyRequest& request, const std::vector<Batch>& batches,
                const std::map<std::string, JournalRecord>& records, bool comparable, StudyResult& result) {
  const auto samples = collect(kind, batches, records);
  std::vector<StudyName> methods = kind.methods;
  for (const StudyDifference& difference : kind.differences) methods.push_back(difference.name);
  for (const StudySetting& setting : request.settings) {
    for (const StudyName& metric : kind.metrics) {
      if (std::find(request.metrics.begin(), request.metrics.end(), metric.name) == request.metrics.end()) continue;
      for (const StudyName& method : methods) {
        const auto sample = samples.find({setting.text(), method.name, metric.name});
        if (sample == samples.end()) continue;
        const auto published =
            comparable && kind.published ? kind.published(setting, method.name, metric.name) : std::nullopt;
        result.rows.push_back(row_of(setting, method, metric, sample->second, published));
      }
    }
  }
  result.pools = pools_of(kind, result.rows);
}

}  // namespace olem::internal

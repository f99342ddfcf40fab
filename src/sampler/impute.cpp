#include "olem/impute.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>
#include <thread>

#include "data/reading.h"
#include "olem/error.h"
#include "olem/parallel.h"
#include "sampler/imputation_models.h"

namespace olem {

using namespace internal;

namespace {

// One completed table in the making.
class Chain {
 public:
  Chain(const IncompleteTable& table, std::uint64_t imputation, const Context& context)
      : table_(table), imputation_(imputation), context_(context) {
    const Table& started = table.started();
    values_.assign(started.values().begin(), started.values().end());
    for (std::size_t j = 0; j < table.columns(); ++j) {
      std::vector<std::size_t>& gaps = gaps_.emplace_back();
      for (std::size_t i = 0; i < table.rows(); ++i) {
        if (table.is_missing(i, j)) gaps.push_back(i);
      }
      if (!gaps.empty()) incomplete_.push_back(j);
    }
    // The fullest first: their draws are the best guesses that the others can have in the first round.
    std::stable_sort(incomplete_.begin(), incomplete_.end(),
                     [&](std::size_t a, std::size_t b) { return gaps_[a].size() < gaps_[b].size(); });
  }

  void run_round(std::uint64_t round) {
    for (const std::size_t j : incomplete_) {
      context_.check_interrupt();
      RandomStream random(context_.seed, "impute", stream_index({{imputation_, 16}, {round, 16}, {j, 32}}));
      const sampling::ImputationRows rows = rows_for(j);
      const std::vector<double> drawn = sampling::draw_gaps(rows, table_.started().about(j), random);
      for (std::size_t k = 0; k < gaps_[j].size(); ++k) values_[j * table_.rows() + gaps_[j][k]] = drawn[k];
    }
  }

  Table table() const {
    const Table& started = table_.started();
    return {started.names(), values_, started.source(), started.about()};
  }

 private:
  sampling::ImputationRows rows_for(std::size_t target) const {
    const std::size_t n = table_.rows();
    sampling::ImputationRows rows;
    for (std::size_t j = 0; j < table_.columns(); ++j) {
      if (j != target) sampling::add_inputs({values_.data() + j * n, n}, table_.started().about(j), rows.inputs);
    }
    rows.gaps = gaps_[target];
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (next < rows.gaps.size() && rows.gaps[next] == i) {
        ++next;
        continue;
      }
      rows.known.push_back(i);
      rows.target.push_back(values_[target * n + i]);
    }
    return rows;
  }

  const IncompleteTable& table_;
  std::uint64_t imputation_;
  const Context& context_;
  std::vector<double> values_;                  // column by column
  std::vector<std::vector<std::size_t>> gaps_;  // rows, per column
  std::vector<std::size_t> incomplete_;         // columns with gaps
};

}  // namespace

std::size_t GapSummary::cells() const {
  std::size_t sum = 0;
  for (const ColumnGaps& column : columns) sum += column.missing;
  return sum;
}

Json to_json(const GapSummary& gaps) {
  Json json = {{"policy", "impute"},    {"imputations", gaps.imputations},
               {"rows", gaps.rows},     {"incomplete_rows", gaps.incomplete_rows},
               {"cells", gaps.cells()}, {"columns", Json::object()}};
  for (const GapSummary::ColumnGaps& column : gaps.columns) json["columns"][column.name] = column.missing;
  return json;
}

GapSummary summarise_gaps(const IncompleteTable& table, int imputations) {
  GapSummary gaps;
  gaps.imputations = static_cast<std::size_t>(imputations);
  gaps.rows = table.rows();
  gaps.incomplete_rows = table.incomplete_rows();
  for (std::size_t j = 0; j < table.columns(); ++j) {
    if (const std::size_t missing = table.missing_in(j); missing > 0)
      gaps.columns.push_back({table.started().name(j), missing});
  }
  return gaps;
}

CompletedTables CompletedTables::with_columns(std::span<const std::size_t> columns) const {
  CompletedTables chosen;
  chosen.gaps = gaps;
  for (const Table& table : tables) chosen.tables.push_back(table.with_columns(columns));
  return chosen;
}

IncompleteTable make_incomplete(std::vector<std::string> names, std::vector<double> values, const std::string& source,
                                std::vector<Column> about) {
  check_at_least("number of columns", static_cast<long long>(names.size()), 1);
  const std::size_t all = values.size() / names.size();
  check_same_size("values", values.size(), "rows x columns", all * names.size());
  MissingCells missing("row", names.size());
  std::vector<double> kept;
  std::vector<bool> used(all, true);
  for (std::size_t i = 0; i < all; ++i) {
    std::size_t gaps = 0;
    for (std::size_t j = 0; j < names.size(); ++j) {
      if (!std::isnan(values[j * all + i])) continue;
      missing.add(i + 1, j);
      ++gaps;
    }
    used[i] = gaps < names.size();
    missing.end_row(gaps == 0, !used[i]);
  }
  ReadOptions impute;
  impute.missing = MissingPolicy::kImpute;
  missing.check(impute, names, source.empty() ? "The table" : source);
  for (std::size_t j = 0; j < names.size(); ++j) {
    for (std::size_t i = 0; i < all; ++i) {
      if (used[i]) kept.push_back(values[j * all + i]);
    }
  }
  const std::size_t rows = kept.size() / names.size();
  if (about.empty()) {
    for (std::size_t j = 0; j < names.size(); ++j)
      about.push_back(
          finish_known({kept.data() + j * rows, rows}, [](std::span<double> known) { return guess_column(known); }));
  }
  check_same_size("types", about.size(), "columns", names.size());
  return fill_gaps(std::move(names), std::move(kept), source, std::move(about));
}

CompletedTables impute(const IncompleteTable& table, const ImputeOptions& options, const Context& context) {
  check_at_least("imputations", options.imputations, 1);
  check_at_least("rounds", options.rounds, 1);
  const auto count = static_cast<std::size_t>(options.imputations);
  const auto rounds = static_cast<std::size_t>(options.rounds);
  // A table, and for each thread a matrix of inputs and the table as it grows.
  context.require_memory((count + 3) * table.started().values().size() * sizeof(double), "Imputing missing values");
  CompletedTables completed;
  completed.gaps = summarise_gaps(table, options.imputations);
  completed.tables.resize(count);
  const auto caller = std::this_thread::get_id();
  std::atomic<std::size_t> done{0};
  const Context serial = context.serial();
  context.report_progress(0.0, "imputation");
  parallel_for(context, 0, count, 1, [&](std::size_t m, std::size_t) {
    Chain chain(table, m, serial);
    for (std::size_t round = 0; round < rounds; ++round) {
      chain.run_round(round);
      const std::size_t finished = ++done;
      if (std::this_thread::get_id() == caller)
        context.report_progress(static_cast<double>(finished) / static_cast<double>(count * rounds), "imputation");
    }
    completed.tables[m] = chain.table();
  });
  context.report_progress(1.0, "imputation");
  return completed;
}

}  // namespace olem

#include "order/olem_plus_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

#include "core/lapack.h"
#include "data/greatest_share.h"
#include "olem/error.h"
#include "olem/parallel.h"

namespace olem::internal {

namespace {

constexpr std::size_t kMostFunctions = 8;  // of one column
constexpr std::size_t kMostIndicators = 49;
constexpr std::size_t kMostOrderedLevels = 30;  // a count or ordinal column with more is taken for continuous
constexpr double kNoFunction = 1e-8;            // mean square below which a function of a column adds nothing

// The finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// For each row the first plus the last place of its value in the sorted column: twice the mid-rank, exactly.
std::vector<std::uint64_t> double_ranks(std::span<const double> column) {
  std::vector<std::size_t> sorted(column.size());
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  std::vector<std::uint64_t> ranks(column.size());
  for (std::size_t begin = 0; begin < sorted.size();) {
    std::size_t end = begin;
    while (end < sorted.size() && column[sorted[end]] == column[sorted[begin]]) ++end;
    for (std::size_t place = begin; place < end; ++place) ranks[sorted[place]] = begin + end - 1;
    begin = end;
  }
  return ranks;
}

// Fills table_row and table_column. A row's key is a sum over its columns and a column's key follows the rows, so
// neither depends on the arrangement that is to be forgotten.
void arrange(const Table& table, PlusColumns& result, const Context& context) {
  const std::size_t n = table.rows();
  const std::size_t d = table.columns();
  std::vector<std::vector<std::uint64_t>> ranks(d);
  std::vector<double> centre(d);
  std::vector<double> scale(d);
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    const auto column = table.column(j);
    ranks[j] = double_ranks(column);
    const auto [low, high] = std::minmax_element(column.begin(), column.end());
    centre[j] = *low;
    scale[j] = *high - *low;
  });
  std::vector<std::uint64_t> row_key(n, 0);
  // Two rows with the ranks of each other's columns have one key: their places then follow from their values.
  std::vector<double> row_value(n, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      row_key[i] += mixed(ranks[j][i]);
      row_value[i] += (table.at(i, j) - centre[j]) / scale[j];
    }
  }
  result.table_row.resize(n);
  std::iota(result.table_row.begin(), result.table_row.end(), std::size_t{0});
  std::stable_sort(result.table_row.begin(), result.table_row.end(), [&](std::size_t a, std::size_t b) {
    return row_key[a] != row_key[b] ? row_key[a] < row_key[b] : row_value[a] < row_value[b];
  });
  std::vector<std::uint64_t> column_key(d, 0);
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    for (const std::size_t i : result.table_row) column_key[j] = mixed(column_key[j] ^ ranks[j][i]);
  });
  result.table_column.resize(d);
  std::iota(result.table_column.begin(), result.table_column.end(), std::size_t{0});
  std::stable_sort(result.table_column.begin(), result.table_column.end(),
                   [&](std::size_t a, std::size_t b) { return column_key[a] < column_key[b]; });
}

// Weighted sums over the rows; weight 1 where there are none.
class RowMeans {
 public:
  explicit RowMeans(const std::vector<double>& weights) : weights_(weights) {}

  double mean(std::span<const double> a) const {
    double sum = 0.0;
    if (weights_.empty()) {
      for (const double value : a) sum += value;
    } else {
      for (std::size_t i = 0; i < a.size(); ++i) sum += weights_[i] * a[i];
    }
    return sum / static_cast<double>(a.size());
  }

  double mean_product(std::span<const double> a, std::span<const double> b) const {
    double sum = 0.0;
    if (weights_.empty()) {
      for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    } else {
      for (std::size_t i = 0; i < a.size(); ++i) sum += weights_[i] * (a[i] * b[i]);
    }
    return sum / static_cast<double>(a.size());
  }

 private:
  const std::vector<double>& weights_;
};

// The functions of one column, one after the other, and what is known about it.
struct ColumnBasis {
  std::vector<double> values;
  std::size_t count = 0;
  double log_scale = 0.0;
  double rounding_step = 0.0;
  std::vector<double> least_penalty;  // of indicators; empty: none
  std::optional<PlusTransform> transform;
  std::vector<double> transformed;  // standardised
  Eigen::MatrixXd coordinates;
};

// Makes `function` orthogonal to the constant and to the functions that are there, and adds it with mean square 1.
void add_function(std::vector<double> function, const RowMeans& means, ColumnBasis& basis) {
  const std::size_t n = function.size();
  // Twice: the first round leaves rounding errors of the size of what it takes away.
  for (int round = 0; round < 2; ++round) {
    const double centre = means.mean(function);
    for (double& value : function) value -= centre;
    for (std::size_t k = 0; k < basis.count; ++k) {
      const std::span<const double> other(basis.values.data() + k * n, n);
      const double share = means.mean_product(function, other);
      for (std::size_t i = 0; i < n; ++i) function[i] -= share * other[i];
    }
  }
  const double size = std::sqrt(means.mean_product(function, function));
  if (!(size > kNoFunction)) return;
  for (const double value : function) basis.values.push_back(value / size);
  ++basis.count;
}

ColumnBasis make_basis(std::vector<double> column, const std::vector<double>& weights, std::size_t functions) {
  const std::size_t n = column.size();
  const RowMeans means(weights);
  std::vector<std::size_t> sorted(n);
  std::iota(sorted.begin(), sorted.end(), std::size_t{0});
  std::sort(sorted.begin(), sorted.end(), [&](std::size_t a, std::size_t b) { return column[a] < column[b]; });
  ColumnBasis basis;
  // Mid-ranks by cumulated weight, as shares of all rows.
  std::vector<double> share(n);
  double below = 0.0;
  double step = 0.0;
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    double here = 0.0;
    for (; end < n && column[sorted[end]] == column[sorted[begin]]; ++end) {
      here += weights.empty() ? 1.0 : weights[sorted[end]];
    }
    for (std::size_t place = begin; place < end; ++place) {
      share[sorted[place]] = (below + 0.5 * here) / static_cast<double>(n);
    }
    below += here;
    if (end < n) {
      const double distance = column[sorted[end]] - column[sorted[begin]];
      step = step == 0.0 ? distance : std::min(step, distance);
    }
    begin = end;
  }

  const double centre = means.mean(column);
  for (double& value : column) value -= centre;
  const double scale = std::sqrt(means.mean_product(column, column));
  basis.log_scale = std::log(scale);
  basis.rounding_step = step / scale;
  for (double& value : column) value /= scale;
  basis.values.reserve(functions * n);
  basis.values.insert(basis.values.end(), column.begin(), column.end());
  basis.count = 1;
  std::vector<double> wave(n);
  for (std::size_t k = 1; k < functions; ++k) {
    for (std::size_t i = 0; i < n; ++i) {
      wave[i] = std::cos(std::numbers::pi * static_cast<double>(k + 1) * share[i]);
    }
    add_function(wave, means, basis);
  }
  return basis;
}

// Indicators of the levels, but the most frequent one: the reference. Beyond `most` of them those of the most frequent
// levels, with all others as the reference.
ColumnBasis make_indicators(const PlusLevels& levels, const std::vector<double>& weights, std::size_t most) {
  const std::size_t n = levels.level.size();
  const RowMeans means(weights);
  const bool pooled = levels.count - 1 > most;
  const std::size_t begin = pooled ? 0 : 1;
  const std::size_t end = pooled ? most : levels.count;
  ColumnBasis basis;
  std::vector<double> indicator(n);
  for (std::size_t level = begin; level < end; ++level) {
    for (std::size_t i = 0; i < n; ++i) indicator[i] = levels.level[i] == level ? 1.0 : 0.0;
    const double share = means.mean(indicator);
    const std::size_t before = basis.count;
    add_function(indicator, means, basis);
    // As if one more row at the mean had been seen: coefficients of rare levels are drawn to zero.
    if (basis.count > before) basis.least_penalty.push_back(1.0 / (share * (1.0 - share)));
  }
  if (levels.count == 2) {
    basis.coordinates.resize(static_cast<Eigen::Index>(n), 1);
    for (std::size_t i = 0; i < n; ++i)
      basis.coordinates(static_cast<Eigen::Index>(i), 0) = 2.0 * levels.level[i] - 1.0;
  } else {
    const std::size_t classes = pooled ? most + 1 : levels.count;
    basis.coordinates.setZero(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(classes));
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t own = std::min<std::size_t>(levels.level[i], classes - 1);
      basis.coordinates(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(own)) = std::numbers::sqrt2;
    }
  }
  return basis;
}

// Standardises a transformed column; `values` and `derivatives` as they come from the transform.
void add_transform(std::vector<double> values, const std::vector<double>& weights, PlusTransform transform,
                   ColumnBasis& basis) {
  ColumnBasis own = make_basis(std::move(values), weights, 1);
  transform.log_scale = own.log_scale;
  transform.rounding_step = own.rounding_step;
  basis.transformed = std::move(own.values);
  basis.transform = std::move(transform);
}

// What the values of a column are, whatever its weights.
struct ColumnForm {
  bool compared = true;
  std::optional<PlusLevels> levels;
  std::vector<double> counts;       // the column itself where it counts
  std::vector<double> transformed;  // empty: there is no transform
  std::vector<float> log_derivatives;
};

// `values` in the order of the new rows.
PlusLevels find_levels(std::span<const double> values, bool ordered) {
  std::map<double, std::size_t> counts;
  for (const double value : values) ++counts[value];
  std::vector<std::pair<double, std::size_t>> sorted(counts.begin(), counts.end());
  if (!ordered) {
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  }
  std::map<double, std::uint16_t> number;
  for (const auto& [value, count] : sorted) number.emplace(value, static_cast<std::uint16_t>(number.size()));
  PlusLevels levels;
  levels.ordered = ordered;
  levels.count = sorted.size();
  levels.level.reserve(values.size());
  for (const double value : values) levels.level.push_back(number[value]);
  return levels;
}

void add_logarithm(std::span<const double> values, double shift, ColumnForm& form) {
  for (const double value : values) {
    form.transformed.push_back(std::log(value + shift));
    form.log_derivatives.push_back(static_cast<float>(form.transformed.back()));
  }
}

ColumnForm find_form(const Column& about, std::span<const double> values) {
  ColumnForm form;
  form.compared = about.type == ColumnType::kReal;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  switch (about.type) {
    case ColumnType::kReal: break;
    case ColumnType::kBinary:
    case ColumnType::kCategory: form.levels = find_levels(values, false); break;
    case ColumnType::kOrdinal:
    case ColumnType::kCount: {
      PlusLevels levels = find_levels(values, true);
      if (levels.count <= kMostOrderedLevels) {
        // Two levels have one order or the other: the likelihood is the same.
        if (levels.count == 2) levels = find_levels(values, false);
        form.levels = std::move(levels);
      }
      if (about.type == ColumnType::kCount) {
        form.counts.assign(values.begin(), values.end());
        if (!form.levels) add_logarithm(values, 1.0, form);
      }
      break;
    }
    case ColumnType::kPositive:
      if (*low > 0.0) add_logarithm(values, 0.0, form);
      break;
    case ColumnType::kShare: {
      const double whole = greatest_share(about);
      if (!(*low > 0.0 && *high < whole)) break;
      for (const double value : values) {
        const double rest = whole - value;
        form.transformed.push_back(std::log(value / rest));
        form.log_derivatives.push_back(static_cast<float>(std::log(value / whole * rest)));
      }
      break;
    }
  }
  return form;
}

void fill_gram(PlusColumns& result, const Context& context) {
  const auto n = static_cast<Eigen::Index>(result.rows);
  const auto size = result.basis.cols();
  result.gram.resize(size, size);
  Eigen::MatrixXd weighted;
  if (!result.weights.empty()) {
    weighted = Eigen::Map<const Eigen::VectorXd>(result.weights.data(), n).asDiagonal() * result.basis;
  }
  const Eigen::MatrixXd& left = result.weights.empty() ? result.basis : weighted;
  // A piece of columns at a time: pieces do not depend on the number of threads.
  constexpr std::size_t kPiece = 32;
  parallel_for(context, 0, static_cast<std::size_t>(size), kPiece, [&](std::size_t begin, std::size_t end) {
    const MatrixView before{left.data(), result.rows, end, 0, true};
    const MatrixView own{result.basis.data() + begin * result.rows, result.rows, end - begin};
    multiply(1.0, before, own, 0.0, result.gram.data() + begin * static_cast<std::size_t>(size),
             static_cast<std::size_t>(size));
  });
  result.gram.triangularView<Eigen::StrictlyLower>() = result.gram.transpose().eval();
}

// A column in the order of the new rows.
struct ColumnValues {
  std::vector<double> values;
  ColumnForm form;
};

// Fills what depends on the weights from the arranged columns.
void fill_basis(PlusColumns& result, const std::function<ColumnValues(std::size_t column)>& values,
                const Context& context) {
  const std::size_t n = result.rows;
  const std::size_t d = result.columns;
  const std::size_t share = n / (4 * d);
  const std::size_t functions = std::clamp<std::size_t>(share, 2, kMostFunctions);
  const std::size_t indicators = std::clamp<std::size_t>(share, 2, kMostIndicators);
  const bool in_place = !result.mixed;
  context.require_memory(((in_place ? 1 : 2) * n * d * functions + d * functions * d * functions) * sizeof(double),
                         "The basis of the regressions");
  std::vector<ColumnBasis> bases(d);
  result.levels.resize(d);
  result.counts.resize(d);
  result.compared.resize(d);
  // Columns that are numbers fill places of their own, so that the basis of a long table is there once. Places that
  // were not needed are closed afterwards.
  if (in_place) result.basis.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(d * functions));
  parallel_for(context, 0, d, 1, [&](std::size_t j, std::size_t) {
    ColumnValues own = values(j);
    if (own.form.levels && !own.form.levels->ordered) {
      bases[j] = make_indicators(*own.form.levels, result.weights, indicators);
    } else {
      bases[j] = make_basis(std::move(own.values), result.weights, functions);
    }
    if (!own.form.transformed.empty()) {
      PlusTransform transform;
      transform.log_derivatives = std::move(own.form.log_derivatives);
      add_transform(std::move(own.form.transformed), result.weights, std::move(transform), bases[j]);
    }
    result.levels[j] = std::move(own.form.levels);
    result.counts[j] = std::move(own.form.counts);
    result.compared[j] = own.form.compared ? 1 : 0;
    if (!in_place) return;
    std::copy(bases[j].values.begin(), bases[j].values.end(), result.basis.data() + j * functions * n);
    bases[j].values = {};
  });
  result.first.assign(1, 0);
  for (const ColumnBasis& basis : bases) {
    result.first.push_back(result.first.back() + basis.count);
    result.log_scale.push_back(basis.log_scale);
    result.rounding_step.push_back(basis.rounding_step);
  }
  std::size_t size = result.first.back();
  result.transforms.resize(d);
  result.responses.resize(d);
  result.coordinates.resize(d);
  for (std::size_t j = 0; j < d; ++j) {
    std::optional<PlusTransform>& transform = bases[j].transform;
    result.coordinates[j] = std::move(bases[j].coordinates);
    if (transform) {
      transform->function = size++;
      result.responses[j] = {static_cast<Eigen::Index>(transform->function)};
    } else {
      result.responses[j] = {static_cast<Eigen::Index>(result.first[j])};
      if (!result.is_indicated(j)) continue;
      for (std::size_t k = result.first[j] + 1; k < result.first[j + 1]; ++k) {
        result.responses[j].push_back(static_cast<Eigen::Index>(k));
      }
    }
    result.transforms[j] = std::move(transform);
  }
  result.least_penalty.assign(result.first.back(), 0.0);
  if (!in_place) result.basis.resize(static_cast<Eigen::Index>(n), static_cast<Eigen::Index>(size));
  for (std::size_t j = 0; j < d; ++j) {
    const double* const own = in_place ? result.basis.data() + j * functions * n : bases[j].values.data();
    std::copy(own, own + result.functions(j) * n, result.basis.data() + result.first[j] * n);
    std::copy(bases[j].least_penalty.begin(), bases[j].least_penalty.end(),
              result.least_penalty.begin() + static_cast<std::ptrdiff_t>(result.first[j]));
    if (result.transforms[j]) {
      std::copy(bases[j].transformed.begin(), bases[j].transformed.end(),
                result.basis.data() + result.transforms[j]->function * n);
    }
    bases[j] = {};
  }
  if (in_place) result.basis.conservativeResize(Eigen::NoChange, static_cast<Eigen::Index>(size));
  fill_gram(result, context);
}

void set_weights(PlusColumns& result, std::span<const double> weights) {
  if (weights.empty()) return;
  for (const std::size_t row : result.table_row) result.weights.push_back(weights[row]);
}

constexpr std::size_t kFewestOwnRows = 50;  // with fewer rows that were not set all rows say what a column depends on

// The same columns with some of the rows, `kept`, under other weights.
PlusColumns remade(const PlusColumns& columns, std::span<const std::size_t> kept, const Context& context,
                   PlusColumns result) {
  const auto pick = [&](const auto* values) {
    std::vector<std::remove_cvref_t<decltype(*values)>> chosen;
    for (const std::size_t row : kept) chosen.push_back(values[row]);
    return chosen;
  };
  result.rows = kept.size();
  result.columns = columns.columns;
  result.mixed = columns.mixed;
  result.table_row = pick(columns.table_row.data());
  result.table_column = columns.table_column;
  const auto values = [&](std::size_t j) {
    ColumnValues own{pick(columns.standardised(j)), {}};
    own.form.levels = columns.levels[j];
    if (own.form.levels) own.form.levels->level = pick(columns.levels[j]->level.data());
    if (!columns.counts[j].empty()) own.form.counts = pick(columns.counts[j].data());
    own.form.compared = columns.compared[j] != 0;
    if (const std::optional<PlusTransform>& transform = columns.transforms[j]) {
      own.form.transformed = pick(columns.function(transform->function));
      own.form.log_derivatives = pick(transform->log_derivatives.data());
    }
    return own;
  };
  fill_basis(result, values, context);
  for (std::size_t j = 0; j < columns.columns; ++j) {
    result.log_scale[j] += columns.log_scale[j];
    if (result.transforms[j]) result.transforms[j]->log_scale += columns.transforms[j]->log_scale;
  }
  return result;
}

void fill_own_rows(PlusColumns& result, const Context& context) {
  if (result.was_set.empty()) return;
  result.own_rows.assign(result.columns, nullptr);
  for (std::size_t j = 0; j < result.columns; ++j) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < result.was_set[j].size(); ++i) {
      if (result.was_set[j][i] == 0) kept.push_back(i);
    }
    if (result.was_set[j].empty() || kept.size() == result.rows || kept.size() < kFewestOwnRows) continue;
    bool varies = true;  // every column in these rows
    for (std::size_t k = 0; k < result.columns; ++k) {
      const double* const values = result.standardised(k);
      varies = varies &&
               std::any_of(kept.begin(), kept.end(), [&](std::size_t i) { return values[i] != values[kept.front()]; });
    }
    if (!varies) continue;
    PlusColumns own;
    if (!result.weights.empty()) {
      double sum = 0.0;
      for (const std::size_t i : kept) sum += result.weights[i];
      for (const std::size_t i : kept)
        own.weights.push_back(result.weights[i] * static_cast<double>(kept.size()) / sum);
    }
    result.own_rows[j] = std::make_shared<const PlusColumns>(remade(result, kept, context, std::move(own)));
    // A part of its entropy is no entropy to be compared.
    result.compared[j] = 0;
  }
}

}  // namespace

PlusColumns prepare_plus_columns(const Table& table, std::span<const double> weights, const Context& context,
                                 const TaskRows* rows) {
  for (std::size_t j = 0; j < table.columns(); ++j) {
    const auto [low, high] = std::minmax_element(table.column(j).begin(), table.column(j).end());
    const double square = (*high - *low) * (*high - *low) * static_cast<double>(table.rows());
    if (!std::isnormal(square)) {
      throw Error(ErrorCategory::kData,
                  fmt::format("{}The values of column '{}' are too large or too small to be squared. Rescale it.",
                              table.prefix(), table.name(j)));
    }
  }
  PlusColumns result;
  result.rows = table.rows();
  result.columns = table.columns();
  arrange(table, result, context);
  set_weights(result, weights);
  const auto arranged = [&](std::size_t j) {
    const auto own = table.column(result.table_column[j]);
    std::vector<double> column(result.rows);
    for (std::size_t i = 0; i < result.rows; ++i) column[i] = own[result.table_row[i]];
    return column;
  };
  std::vector<ColumnForm> forms(result.columns);
  parallel_for(context, 0, result.columns, 1, [&](std::size_t j, std::size_t) {
    const Column& about = table.about(result.table_column[j]);
    if (about.type != ColumnType::kReal) forms[j] = find_form(about, arranged(j));
  });
  result.mixed =
      std::any_of(forms.begin(), forms.end(), [](const ColumnForm& form) { return form.levels.has_value(); });
  const auto values = [&](std::size_t j) {
    return ColumnValues{arranged(j), result.mixed ? std::move(forms[j]) : ColumnForm()};
  };
  fill_basis(result, values, context);
  for (std::size_t j = 0; rows != nullptr && !rows->set.empty() && j < result.columns; ++j) {
    std::vector<unsigned char>& own = result.was_set.emplace_back();
    const TaskRows::Set* const set = rows->find(table.name(result.table_column[j]));
    if (set == nullptr) continue;
    for (const std::size_t row : result.table_row) own.push_back(set->rows[row]);
  }
  fill_own_rows(result, context);
  return result;
}

PlusColumns reweigh_plus_columns(const PlusColumns& columns, std::span<const double> weights, const Context& context) {
  PlusColumns result;
  result.table_row = columns.table_row;
  set_weights(result, weights);
  std::vector<std::size_t> all(columns.rows);
  std::iota(all.begin(), all.end(), 0);
  result = remade(columns, all, context, std::move(result));
  result.was_set = columns.was_set;
  fill_own_rows(result, context);
  return result;
}

}  // namespace olem::internal

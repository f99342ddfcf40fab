#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "olem/error.h"
#include "olem/options.h"
#include "olem/order.h"
#include "olem/random.h"
#include "olem/table.h"

// What the suites that run over a registry share. A method is covered the day it is registered.
namespace olem::test {

// A nonlinear additive model with Gaussian noise, its columns shuffled: x -> y -> z -> w and x -> z.
inline Table contract_table(std::size_t rows = 150) {
  RandomStream random(7, "contract");
  std::vector<double> x(rows);
  std::vector<double> y(rows);
  std::vector<double> z(rows);
  std::vector<double> w(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    x[i] = random.normal();
    y[i] = std::sin(1.5 * x[i]) + 0.6 * x[i] + 0.7 * random.normal();
    z[i] = 0.8 * y[i] * y[i] - x[i] + 0.8 * random.normal();
    w[i] = std::cos(z[i]) + 0.7 * z[i] + 0.9 * random.normal();
  }
  std::vector<double> values;
  for (const auto* column : {&z, &x, &w, &y}) values.insert(values.end(), column->begin(), column->end());
  return Table({"z", "x", "w", "y"}, std::move(values), "model.csv");
}

// Options with which every method is done in a moment; only a network that is trained needs them.
inline OrderOptions quick_options() {
  OrderOptions options;
  options.diffan.epochs = 20;
  options.diffan.warm_up = 5;
  options.diffan.narrow = 8;
  options.diffan.wide = 16;
  return options;
}

inline Table changed(const Table& table, const std::function<double(double value, std::size_t column)>& change) {
  std::vector<double> values(table.values().begin(), table.values().end());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = change(values[i], i / table.rows());
  return Table(table.names(), std::move(values), table.source(), table.about());
}

inline Table with_constant_column(const Table& table) {
  std::vector<std::string> names = table.names();
  std::vector<double> values(table.values().begin(), table.values().end());
  names.push_back("flat");
  values.insert(values.end(), table.rows(), 3.0);
  std::vector<Column> about = table.about();
  about.emplace_back();
  return Table(std::move(names), std::move(values), table.source(), std::move(about));
}

inline Table shuffled_rows(const Table& table) {
  std::vector<std::size_t> rows(table.rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  RandomStream random(11, "shuffle");
  for (std::size_t i = rows.size(); i > 1; --i) std::swap(rows[i - 1], rows[random.below(i)]);
  return table.with_rows(rows);
}

inline Table reversed_columns(const Table& table) {
  std::vector<std::size_t> columns(table.columns());
  std::iota(columns.rbegin(), columns.rend(), std::size_t{0});
  return table.with_columns(columns);
}

inline Table first_rows(const Table& table, std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return table.with_rows(rows);
}

inline Context with_threads(int threads) {
  Context context;
  context.threads = threads;
  context.seed = 5;
  return context;
}

// The call throws an Error of this category whose text holds every fragment.
inline void expect_refused(const std::function<void()>& call, ErrorCategory category,
                           const std::vector<std::string>& fragments) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.category(), category) << error.what();
    for (const std::string& fragment : fragments)
      EXPECT_NE(std::string(error.what()).find(fragment), std::string::npos) << fragment << "\nin: " << error.what();
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

// Interrupted work stops with that category, work past its time limit with a resource error.
inline void expect_stops(const std::function<void(const Context&)>& work) {
  std::atomic<bool> stop = true;
  Context interrupted;
  interrupted.interrupt = &stop;
  expect_refused([&] { work(interrupted); }, ErrorCategory::kInterrupted, {});
  Context late;
  late.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  expect_refused([&] { work(late); }, ErrorCategory::kResource, {});
}

// What would not fit is refused before it is begun.
inline void expect_memory_is_asked_for(const std::function<void(const Context&)>& work) {
  Context context = with_threads(2);
  context.memory_limit = 1;
  expect_refused([&] { work(context); }, ErrorCategory::kResource, {"memory"});
}

// Equal bytes when it is done again, and on 1, 2 and 8 threads.
inline void expect_same_on_any_threads(const std::function<std::string(const Context&)>& bytes) {
  const std::string first = bytes(with_threads(1));
  EXPECT_FALSE(first.empty());
  for (const int threads : {1, 2, 8}) EXPECT_EQ(bytes(with_threads(threads)), first) << threads << " threads";
}

// Progress never goes back within a phase, and each phase of the work is told.
inline void expect_progress(const std::function<void(const Context&)>& work) {
  Context context = with_threads(2);
  double last = 0.0;
  std::string phase;
  bool called = false;
  context.progress = [&](double fraction, std::string_view now) {
    if (phase != now) last = 0.0;
    phase = now;
    called = true;
    EXPECT_GE(fraction, last - 1e-12) << now;
    EXPECT_LE(fraction, 1.0 + 1e-12) << now;
    last = fraction;
  };
  work(context);
  EXPECT_TRUE(called);
}

// Every option refuses what it is not, by name and rule.
inline void expect_options_are_checked(const OptionSet& set) {
  for (const Option& option : set.options()) {
    const std::string before = option.text();
    const std::vector<std::string> fragments = {option.name, option.rule};
    expect_refused([&] { option.set_text("banana"); }, ErrorCategory::kUsage, fragments);
    if (option.kind == OptionKind::kInteger || option.kind == OptionKind::kReal) {
      for (const char* const wrong : {"", "-1e301", "1e301", "nan", "inf", "1 "})
        expect_refused([&] { option.set_text(wrong); }, ErrorCategory::kUsage, fragments);
    }
    EXPECT_EQ(option.text(), before) << option.name;
    EXPECT_FALSE(option.help.empty()) << option.name;
  }
}

// A test name from a method's.
inline std::string test_name(std::string name) {
  for (char& c : name) {
    if (c == '-' || c == '_' || c == '+') c = 'X';
  }
  return name;
}

}  // namespace olem::test

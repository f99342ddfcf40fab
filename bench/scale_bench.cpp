// How time and memory of olem's commands grow with rows and columns: processor seconds, wall seconds and the largest
// memory of the whole command, reading included, and the slopes of their logarithms. OLEM stands beside a plain program
// with SciPy's k-d tree, one tree for each set of columns less one, whose reading is not counted; it is left out where
// /usr/bin/python3 has no SciPy.
//
//   scale_bench [--rows N] [--columns D] [--seconds S] [--threads T] [--family linear|mlp] [--only WORD] [--olem FILE]
//
// Tables of olem simulate auf: 1000 rows and more up to N with 15 columns (30000 rows unless told), then 15 columns and
// more up to D with 1000 rows (60). --threads 1 unless told. A command that would probably end after S seconds (300) is
// left out, and so are larger ones. --only: commands that hold the word, such as decide. FILE: ../app/olem beside this
// program.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "support/process.h"

namespace {

using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;

constexpr std::size_t kFewRows = 1000;
constexpr std::size_t kFewColumns = 15;
// Shorter ones say more of starting and reading than of the method.
constexpr double kLeastSeconds = 0.05;
constexpr double kFirstGuess = 2.0;  // of a slope

// The first column of the table that causes nothing else is last, by the entropy of all columns less one.
constexpr const char* kPlainProgram = R"(
import json, sys, time
import numpy as np
from scipy.spatial import cKDTree
with open(sys.argv[1]) as file:
    names = file.readline().strip().split(',')
    data = np.loadtxt(file, delimiter=',')
start = time.process_time()
left = list(range(data.shape[1]))
order = []
def entropy(columns):
    sample = np.ascontiguousarray(data[:, columns])
    return np.log(cKDTree(sample).query(sample, k=2)[0][:, 1]).mean()
while len(left) > 1:
    without = [entropy([v for v in left if v != u]) for u in left]
    order.append(left.pop(int(np.argmin(without))))
order.append(left[0])
with open(sys.argv[2], 'w') as file:
    json.dump({'seconds': time.process_time() - start, 'order': [names[v] for v in reversed(order)]}, file)
)";

struct Arguments {
  std::size_t rows = 30000;
  std::size_t columns = 60;
  double seconds = 300.0;
  std::string threads = "1";
  std::string family = "linear";
  std::string only;
  std::string olem = (std::filesystem::read_symlink("/proc/self/exe").parent_path() / "../app/olem").string();
};

// What a command took.
struct Cost {
  double processor = 0.0;  // seconds of all threads
  double wall = 0.0;       // seconds
  double memory = 0.0;     // most megabytes at once
};

// Nothing when the command failed; what it had to say stands above then.
std::optional<Cost> run(const Words& words) {
  const auto start = Clock::now();
  const pid_t child = ::fork();
  if (child == 0) {
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    const int nowhere = ::open("/dev/null", O_WRONLY);
    if (nowhere < 0 || ::dup2(nowhere, STDOUT_FILENO) < 0) ::_exit(126);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  int status = 0;
  rusage used{};
  if (child < 0 || ::wait4(child, &status, 0, &used) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return std::nullopt;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return Cost{seconds(used.ru_utime) + seconds(used.ru_stime),
              std::chrono::duration<double>(Clock::now() - start).count(), static_cast<double>(used.ru_maxrss) / 1024};
}

struct Size {
  std::size_t rows = 0;
  std::size_t columns = 0;
};

struct Point {
  double size = 0.0;  // rows or columns, whichever grow
  Cost cost;
};

// Of the logarithm of what `of` takes from a point, by least squares over the points with the size; nothing for fewer
// than two.
template <class Of>
std::optional<double> slope(const std::vector<Point>& points, const Of& of) {
  double n = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  for (const Point& point : points) {
    if (point.cost.processor < kLeastSeconds || !(of(point) > 0.0)) continue;
    const double a = std::log(point.size);
    const double b = std::log(of(point));
    n += 1.0;
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
  }
  if (n < 2.0) return std::nullopt;
  return (n * xy - x * y) / (n * xx - x * x);
}

std::optional<double> time_slope(const std::vector<Point>& points) {
  return slope(points, [](const Point& point) { return point.cost.processor; });
}

std::string slope_text(const std::optional<double>& value) { return value ? fmt::format("{:.1f}", *value) : "-"; }

// A kind of command while tables grow.
struct Series {
  std::string name;
  std::vector<Point> points;
  bool ended = false;

  // Wall seconds of the next size.
  double expected(double size) const {
    if (points.empty()) return 0.0;
    std::vector<Point> last(points.end() - std::min<std::ptrdiff_t>(2, std::ssize(points)), points.end());
    const double growth = std::max(1.0, time_slope(last).value_or(kFirstGuess));
    return points.back().cost.wall * std::pow(size / points.back().size, growth);
  }
};

class Study {
 public:
  Study(Arguments arguments, bool has_scipy) : arguments_(std::move(arguments)), has_scipy_(has_scipy) {}

  // `by_rows`: rows grow, otherwise columns do.
  void grow(const std::vector<Size>& sizes, bool by_rows) {
    std::vector<Series> all;
    for (const char* const name : {"order olem", "SciPy's k-d tree", "order olem+", "fit --quick", "decide --quick"}) {
      const std::string word = name;
      if (word.find(arguments_.only) != std::string::npos && (has_scipy_ || word.front() != 'S'))
        all.push_back({word, {}, false});
    }
    fmt::print("\n| {} | command | CPU-seconds | seconds | MB |\n| --- | --- | --- | --- | --- |\n",
               by_rows ? "rows" : "columns");
    for (const Size& size : sizes) {
      const std::string folder = simulate(size);
      for (Series& series : all) {
        const auto growing = static_cast<double>(by_rows ? size.rows : size.columns);
        if (series.ended) continue;
        const double expected = series.expected(growing);
        if (elapsed() + expected > arguments_.seconds) {
          series.ended = true;
          fmt::print("| {} | {} | left out: about {:.0f} s more | | |\n", growing, series.name, expected);
          continue;
        }
        if (const std::optional<Cost> cost = measure(series.name, folder)) {
          series.points.push_back({growing, *cost});
          fmt::print("| {} | {} | {:.2f} | {:.2f} | {:.0f} |\n", growing, series.name, cost->processor, cost->wall,
                     cost->memory);
        } else {
          series.ended = true;
          fmt::print("| {} | {} | failed | | |\n", growing, series.name);
        }
        std::fflush(stdout);
      }
      compare_orders(all, static_cast<double>(by_rows ? size.rows : size.columns), folder);
      std::filesystem::remove_all(folder);
    }
    const char* const letter = by_rows ? "n" : "d";
    fmt::print("\n| command | time grows as {}^ | memory beyond that of starting as {}^ |\n| --- | --- | --- |\n",
               letter, letter);
    for (const Series& series : all) {
      const auto memory = slope(series.points, [this](const Point& point) { return point.cost.memory - started_; });
      fmt::print("| {} | {} | {} |\n", series.name, slope_text(time_slope(series.points)),
                 series.name.front() == 'S' ? "-" : slope_text(memory));
    }
    for (const std::string& line : compared_) fmt::print("{}{}", &line == compared_.data() ? "\n" : "", line);
    compared_.clear();
  }

  bool starts() {
    const std::optional<Cost> cost = run({arguments_.olem, "--version"});
    if (cost) started_ = cost->memory;
    return cost.has_value();
  }

 private:
  double elapsed() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  std::string simulate(const Size& size) const {
    const std::string folder = folder_.file(fmt::format("{}x{}", size.rows, size.columns));
    if (!run({arguments_.olem, "simulate", "auf", "--family", arguments_.family, "--seed", "11", "--rows",
              std::to_string(size.rows), "--variables", std::to_string(size.columns), "-o", folder})) {
      fmt::print(stderr, "olem simulate failed.\n");
      std::exit(1);
    }
    return folder;
  }

  std::optional<Cost> measure(const std::string& name, const std::string& folder) const {
    const std::string data = folder + "/data.csv";
    const std::string result = folder + "/" + (name.front() == 'S' ? "plain.json" : "olem.json");
    const auto olem = [&](Words words) {
      words.insert(words.begin(), arguments_.olem);
      words.insert(words.end(), {"--threads", arguments_.threads, "--quiet"});
      return run(words);
    };
    if (name == "order olem") return olem({"order", data, "--method", "olem", "--device", "cpu", "-o", result});
    if (name == "order olem+") return olem({"order", data, "--method", "olem+"});
    if (name == "fit --quick") return olem({"fit", folder + "/task.json", "--quick", "-o", folder + "/model.olem"});
    if (name == "decide --quick") return olem({"decide", folder + "/task.json", "--quick"});
    std::optional<Cost> cost = run({kPython, "-c", kPlainProgram, data, result});
    if (cost) cost->processor = olem::test::parse_json(olem::test::read_text(result))["seconds"].get<double>();
    return cost;
  }

  // Both programs compute the same entropies.
  void compare_orders(const std::vector<Series>& all, double size, const std::string& folder) {
    const auto cost_of = [&](const std::string& name) -> const Cost* {
      for (const Series& series : all) {
        if (series.name == name && !series.points.empty() && series.points.back().size == size)
          return &series.points.back().cost;
      }
      return nullptr;
    };
    const Cost* const ours = cost_of("order olem");
    const Cost* const plain = cost_of("SciPy's k-d tree");
    if (ours == nullptr || plain == nullptr) return;
    const auto order_in = [&](const char* file) {
      return olem::test::parse_json(olem::test::read_text(folder + "/" + file))["order"].get<Words>();
    };
    compared_.push_back(
        fmt::format("{}: SciPy's k-d tree / order olem = {:.0f}, {}\n", size, plain->processor / ours->processor,
                    order_in("olem.json") == order_in("plain.json") ? "the same order" : "ANOTHER ORDER"));
  }

 public:
  static constexpr const char* kPython = "/usr/bin/python3";

 private:
  Arguments arguments_;
  bool has_scipy_;
  Clock::time_point begin_ = Clock::now();
  double started_ = 0.0;  // megabytes of a command that does nothing
  olem::test::TemporaryFolder folder_;
  std::vector<std::string> compared_;
};

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string word = argv[i];
    const std::string value = argv[i + 1];
    if (word == "--rows") arguments.rows = std::strtoull(value.c_str(), nullptr, 10);
    if (word == "--columns") arguments.columns = std::strtoull(value.c_str(), nullptr, 10);
    if (word == "--seconds") arguments.seconds = std::strtod(value.c_str(), nullptr);
    if (word == "--threads") arguments.threads = value;
    if (word == "--family") arguments.family = value;
    if (word == "--only") arguments.only = value;
    if (word == "--olem") arguments.olem = value;
  }
  return arguments;
}

// First, then in steps of about `factor`, last.
std::vector<std::size_t> steps(std::size_t first, std::size_t last, double factor) {
  std::vector<std::size_t> all;
  for (double at = static_cast<double>(first); at < 0.7 * static_cast<double>(last); at *= factor)
    all.push_back(static_cast<std::size_t>(std::llround(at)));
  if (last >= first) all.push_back(last);
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  const bool has_scipy = run({Study::kPython, "-c", "import scipy.spatial"}).has_value();
  Study study(arguments, has_scipy);
  if (!study.starts()) {
    fmt::print(stderr, "{} does not run. Give the executable with --olem FILE.\n", arguments.olem);
    return 1;
  }
  if (!has_scipy) fmt::print("{} has no SciPy (Debian: python3-scipy), whose k-d tree is left out.\n", Study::kPython);
  fmt::print("olem simulate auf --family {} --seed 11; --threads {}\n", arguments.family, arguments.threads);
  std::vector<Size> sizes;
  for (const std::size_t rows : steps(kFewRows, arguments.rows, std::sqrt(10.0))) sizes.push_back({rows, kFewColumns});
  study.grow(sizes, true);
  sizes.clear();
  for (const std::size_t columns : steps(kFewColumns, arguments.columns, 2.0)) sizes.push_back({kFewRows, columns});
  study.grow(sizes, false);
  return 0;
}

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "core/checksum.h"
#include "core/find_kind.h"
#include "olem/error.h"
#include "olem/random.h"
#include "olem/ranks.h"
#include "olem/study.h"
#include "olem/version.h"
#include "study/execute.h"
#include "study/kind.h"
#include "study/table.h"

namespace olem {

using namespace internal;

namespace {

std::vector<std::string> names_of(const std::vector<StudyName>& names) {
  std::vector<std::string> list;
  for (const StudyName& name : names) list.push_back(name.name);
  return list;
}

// The wanted names, in the order of `all`. Unknown ones are a usage error about `option`.
std::vector<std::string> choose(const std::vector<std::string>& wanted, const std::vector<std::string>& all,
                                const std::string& option, const std::string& study) {
  for (const std::string& name : wanted) {
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    const std::string closest = closest_name(name, all);
    throw Error::of_option(option, fmt::format("'{}' is not in the study {}{} There are: {}.", name, study,
                                               closest.empty() ? "." : fmt::format("; did you mean '{}'?", closest),
                                               fmt::join(all, ", ")));
  }
  std::vector<std::string> chosen;
  for (const std::string& name : all) {
    if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) chosen.push_back(name);
  }
  return chosen;
}

StudyRequest request_for(const StudyKind& kind, const StudyOptions& options, std::uint64_t seed) {
  StudyRequest request = kind.protocol;
  const std::vector<std::string> all = names_of(kind.methods);
  request.methods = options.methods.empty() ? all : choose(options.methods, all, "methods", kind.name);
  for (const std::string& name : choose(options.without, all, "without", kind.name)) {
    std::erase(request.methods, name);
  }
  if (request.methods.empty()) throw Error::of_option("without", "No method is left.");
  const std::vector<std::string> metrics = names_of(kind.metrics);
  if (options.metrics.empty()) {
    request.metrics = metrics;
    for (const std::string& extra : kind.extra_metrics) std::erase(request.metrics, extra);
  } else {
    request.metrics = choose(options.metrics, metrics, "metrics", kind.name);
  }
  request.settings = filter_settings(kind.settings, options.settings);
  const auto set = [&](int given, int& value, const char* option) {
    if (given == 0) return;
    if (value == 0) throw Error::of_option(option, fmt::format("The study {} has none.", kind.name));
    check_at_least(option, given, 1);
    value = given;
  };
  set(options.epochs, request.epochs, "epochs");
  set(options.tasks, request.tasks, "tasks");
  set(options.rounds, request.rounds, "rounds");
  set(options.rows, request.rows, "rows");
  request.seed = seed;
  return request;
}

// How much longer cells took than their costs say.
double measured_ratio(const std::vector<Batch>& batches, const std::map<std::string, JournalRecord>& known) {
  double cost = 0.0;
  double seconds = 0.0;
  for (const Batch& batch : batches) {
    for (const Cell& cell : batch.cells) {
      const auto found = known.find(cell.key);
      if (found == known.end()) continue;
      cost += cell.cost;
      seconds += found->second.seconds;
    }
  }
  return cost > 0.0 && seconds > 0.0 ? seconds / cost : 1.0;
}

double cost_of(const std::vector<Batch>& batches, const std::vector<PendingBatch>& pending) {
  double cost = 0.0;
  for (const PendingBatch& part : pending) {
    cost += batches[part.batch].cost;
    for (const std::size_t cell : part.cells) cost += batches[part.batch].cells[cell].cost;
  }
  return cost;
}

std::size_t count_cells(const std::vector<Batch>& batches) {
  std::size_t cells = 0;
  for (const Batch& batch : batches) cells += batch.cells.size();
  return cells;
}

std::vector<PendingBatch> pending_of(const std::vector<Batch>& batches,
                                     const std::map<std::string, JournalRecord>& known) {
  std::vector<PendingBatch> pending;
  for (std::size_t b = 0; b < batches.size(); ++b) {
    PendingBatch part{b, {}};
    for (std::size_t c = 0; c < batches[b].cells.size(); ++c) {
      if (known.find(batches[b].cells[c].key) == known.end()) part.cells.push_back(c);
    }
    if (!part.cells.empty()) pending.push_back(std::move(part));
  }
  return pending;
}

std::map<std::string, JournalRecord> by_key(const std::vector<JournalRecord>& records) {
  std::map<std::string, JournalRecord> known;
  for (const JournalRecord& record : records) known.emplace(record.cell, record);
  return known;
}

// The cells themselves may be too many for the memory.
std::vector<Batch> plan_cells(const StudyKind& kind, const StudyRequest& request, const Context& context) {
  constexpr double kBytesPerCell = 500.0;
  constexpr double kMost = 1e18;
  const double cells = static_cast<double>(request.settings.size() * request.methods.size()) *
                       std::max(1, request.epochs) * std::max(1, request.tasks);
  context.require_memory(static_cast<std::size_t>(std::min(kBytesPerCell * cells, kMost)),
                         fmt::format("A study of {:.0f} cells", cells));
  return kind.plan(request);
}

JournalHeader header_for(const StudyKind& kind, const Context& context) {
  return {kind.name, context.seed, std::string(version())};
}

// Published numbers hold for the size of the paper's data only.
bool comparable(const StudyKind& kind, const StudyRequest& request) { return request.rows == kind.protocol.rows; }

}  // namespace

}  // namespace olem

namespace olem::internal {

const std::vector<StudyKind>& study_kinds() {
  static const std::vector<StudyKind> kAll = {sachs_study(),   order_study(),  auf_study(),       bermuda_study(),
                                              samples_study(), stages_study(), published_study(), streams_study(),
                                              tables_study(),  speed_study()};
  return kAll;
}

std::uint64_t derived_seed(std::uint64_t seed, std::string_view what) {
  return RandomStream(seed, "study", crc64(what)).next_u64();
}

}  // namespace olem::internal

namespace olem {

const std::vector<StudyDescription>& studies() {
  static const std::vector<StudyDescription> kList = [] {
    std::vector<StudyDescription> all;
    for (const StudyKind& kind : study_kinds()) {
      all.push_back({kind.name, kind.help, names_of(kind.methods), names_of(kind.metrics), !kind.axis.empty()});
    }
    return all;
  }();
  return kList;
}

StudyForecast forecast_study(const StudyOptions& options, const Context& context) {
  const StudyKind& kind = find_kind(study_kinds(), options.study, "a study");
  const std::vector<Batch> batches = plan_cells(kind, request_for(kind, options, context.seed), context);
  std::map<std::string, JournalRecord> known;
  if (!options.journal.empty() && !options.fresh) {
    known = by_key(read_journal(options.journal, header_for(kind, context)));
  }
  const std::vector<PendingBatch> pending = pending_of(batches, known);
  StudyForecast forecast;
  forecast.cells = count_cells(batches);
  std::size_t missing = 0;
  for (const PendingBatch& part : pending) missing += part.cells.size();
  forecast.finished = forecast.cells - missing;
  forecast.core_seconds = cost_of(batches, pending) * measured_ratio(batches, known);
  return forecast;
}

StudyResult run_study(const StudyOptions& options, const Context& context) {
  const auto start = std::chrono::steady_clock::now();
  const StudyKind& kind = find_kind(study_kinds(), options.study, "a study");
  const StudyRequest request = request_for(kind, options, context.seed);
  const std::vector<Batch> batches = plan_cells(kind, request, context);
  if (!kind.reproducible && context.ranks != nullptr && context.ranks->size() > 1) {
    throw Error(ErrorCategory::kUsage,
                fmt::format("The study {} measures this machine. Run it without mpirun.", kind.name));
  }
  const bool root = context.ranks == nullptr || context.ranks->is_root();
  if (!root) {
    execute_on_ranks(batches, {}, nullptr, context);
    return {};
  }
  std::unique_ptr<Journal> journal;
  std::map<std::string, JournalRecord> known;
  StudyResult result;
  if (!options.journal.empty()) {
    journal = std::make_unique<Journal>(options.journal, header_for(kind, context), options.fresh);
    known = by_key(journal->records());
    if (journal->dropped_torn_line()) {
      context.log_info(fmt::format("{}: the last line was cut off; its cell is computed again.", options.journal));
    }
  }
  const std::vector<PendingBatch> pending = pending_of(batches, known);
  result.cells = count_cells(batches);
  std::size_t missing = 0;
  double cost = 0.0;
  for (const PendingBatch& part : pending) {
    missing += part.cells.size();
    for (const std::size_t cell : part.cells) cost += batches[part.batch].cells[cell].cost;
  }
  result.resumed = result.cells - missing;
  std::size_t finished = result.resumed;
  double done = 0.0;
  const auto on_record = [&](const Cell& cell, const JournalRecord& record, bool calling_thread) {
    if (journal) journal->append(record);
    known[record.cell] = record;
    ++finished;
    done += cell.cost;
    context.log_info(fmt::format("{} of {}: {}, {:.2f} s", finished, result.cells, cell.key, record.seconds));
    if (calling_thread) {
      context.report_progress(cost > 0.0 ? done / cost : 1.0,
                              fmt::format("study {}, {} of {} cells", kind.name, finished, result.cells));
    }
  };
  try {
    if (context.ranks != nullptr) {
      execute_on_ranks(batches, pending, on_record, context);
    } else if (kind.reproducible) {
      execute_on_threads(batches, pending, on_record, context);
    } else {
      execute_in_turn(batches, pending, on_record, context);
    }
  } catch (const Error& error) {
    if (!context.should_stop() || !journal) throw;
    throw error.with_finding(
        fmt::format("{} {} of {} cells are finished and kept in {}; the same command goes on from there.",
                    error.finding(), finished, result.cells, options.journal));
  }
  // Where others measured the last cells, this thread has not told of them yet.
  context.report_progress(1.0, fmt::format("study {}, {} of {} cells", kind.name, finished, result.cells));
  result.study = kind.name;
  result.axis = kind.axis;
  fill_table(kind, request, batches, known, comparable(kind, request), result);
  result.summary.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace olem

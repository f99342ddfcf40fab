#include "simulate/write.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>  // renameat2
#include <cstring>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>

#include "olem/column.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/simulate.h"

namespace olem {

using namespace internal;

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kFileNames = {"data.csv", "graph.csv", "truth.json", "task.json",
                                                        "contexts.csv"};

[[noreturn]] void folder_error(const std::string& folder, const std::string& reason,
                               std::vector<Remedy> remedies = {}) {
  throw Error(ErrorCategory::kFile, fmt::format("Cannot write the simulation to {}: {}", folder, reason),
              std::move(remedies));
}

std::string system_reason(int code) { return fmt::format("{}.", std::strerror(code)); }

// RFC 4180: quoted only where it must be.
std::string csv_field(const std::string& field) {
  if (field.find_first_of(",;|\t\"\r\n") == std::string::npos) return field;
  std::string quoted = "\"";
  for (const char c : field) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

Json options_json(const Simulation& simulation) {
  return std::visit([](auto options) { return describe(options).json(); }, simulation.options);
}

std::string truth_json(const Simulation& simulation) {
  Json json = {{"format", "olem-truth"},  {"format_version", 1},       {"kind", std::string(kind_name(simulation))},
               {"seed", simulation.seed}, {"index", simulation.index}, {"options", options_json(simulation)}};
  if (simulation.task) {
    Json task = {{"context", simulation.task->context},
                 {"alterable", Json::object()},
                 {"outcome", simulation.task->outcome},
                 {"desired", Json::object()}};
    for (const NamedRange& range : simulation.task->alterable) task["alterable"][range.name] = {range.low, range.high};
    for (const NamedRange& range : simulation.task->desired) task["desired"][range.name] = {range.low, range.high};
    json["task"] = std::move(task);
  }
  json.update(to_json(simulation.model));
  return dump_indented(json, 2) + "\n";
}

std::string task_json(const Simulation& simulation) {
  Task task = decision_task(simulation);
  task.data = "data.csv";
  const Table& contexts = simulation.task->contexts;
  for (std::size_t j = 0; j < contexts.columns(); ++j) task.observed.push_back({contexts.name(j), contexts.at(0, j)});
  return dump_indented(to_json(task), 2) + "\n";
}

std::vector<NamedText> make_files(const Simulation& simulation, const Context& context) {
  std::vector<NamedText> files = {{"data.csv", table_csv(simulation.data, {}, context)},
                                  {"graph.csv", edges_csv(simulation.model.names(), simulation.model.edges())},
                                  {"truth.json", truth_json(simulation)}};
  if (simulation.task) {
    files.push_back({"task.json", task_json(simulation)});
    files.push_back({"contexts.csv", table_csv(simulation.task->contexts, {}, context)});
  }
  return files;
}

// The folder's own name, without slashes at its end and with links followed, so that it can be renamed.
fs::path resolve(const std::string& folder) {
  fs::path path(folder);
  if (!path.has_filename()) path = path.parent_path();
  const fs::path name = path.filename();
  if (name.empty() || name == "." || name == "..") {
    throw Error(ErrorCategory::kUsage,
                fmt::format("'{}' is no name for a new folder. Give one such as simulated.", folder));
  }
  std::error_code unknown;
  const fs::path target = fs::canonical(path, unknown);
  return unknown ? path : target;
}

bool is_ours(const std::string& name) {
  return std::find(kFileNames.begin(), kFileNames.end(), name) != kFileNames.end();
}

fs::path check_folder(const std::string& folder, bool overwrite) {
  fs::path path = resolve(folder);
  const fs::path parent = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  if (::access(parent.c_str(), W_OK | X_OK) != 0) {
    folder_error(folder, fmt::format("The folder {}: {}", parent.string(), system_reason(errno)));
  }
  const fs::file_status status = fs::symlink_status(path, error);
  if (!fs::exists(status)) return path;
  if (!fs::is_directory(status)) folder_error(folder, "There is something else with this name.");
  for (fs::directory_iterator at(path, error); !error && at != fs::directory_iterator(); at.increment(error)) {
    const fs::directory_entry& entry = *at;
    const std::string name = entry.path().filename().string();
    if (!overwrite)
      folder_error(folder, "The folder is not empty.", {{"Replace the simulation in it", "force", "true"}});
    if (!is_ours(name) || !fs::is_regular_file(entry.symlink_status(error))) {
      folder_error(folder,
                   fmt::format("It holds '{}', which is no file of a simulation. Choose another folder.", name));
    }
  }
  if (error) folder_error(folder, fmt::format("{}.", error.message()));
  return path;
}

// A new folder beside `path`; it is removed with everything in it unless it was given away.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& path) : path_(path.string() + ".XXXXXX") {
    if (::mkdtemp(path_.data()) == nullptr) folder_error(path.string(), system_reason(errno));
    // mkdtemp makes folders private; the user's mask decides as for any other new folder.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::chmod(path_.c_str(), 0777 & ~mask) != 0) {
      const int reason = errno;
      ::rmdir(path_.c_str());
      folder_error(path.string(), system_reason(reason));
    }
    try {
      for (const std::string_view name : kFileNames) files_.push_back(fmt::format("{}/{}", path_, name));
    } catch (...) {
      ::rmdir(path_.c_str());
      throw;
    }
  }
  ~TemporaryFolder() {
    if (path_.empty()) return;
    for (const std::string& file : files_) ::unlink(file.c_str());
    ::rmdir(path_.c_str());
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::string& path() const { return path_; }
  void give_away() { path_.clear(); }

 private:
  std::string path_;
  std::vector<std::string> files_;  // ready for the destructor, which must not need memory
};

// Puts the temporary folder in the place of `path`. What was there before ends up in the temporary folder's name and is
// removed with it.
void take_place(TemporaryFolder& temporary, const fs::path& path) {
  // Works when there is nothing or an empty folder.
  if (::rename(temporary.path().c_str(), path.c_str()) == 0) return temporary.give_away();
  if (errno != ENOTEMPTY && errno != EEXIST) folder_error(path.string(), system_reason(errno));
  if (::renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) return;
  if (errno != EINVAL && errno != ENOSYS) folder_error(path.string(), system_reason(errno));
  // A file system that cannot exchange two names: step aside, and step back if the second step fails.
  const std::string aside = temporary.path() + ".old";
  if (::rename(path.c_str(), aside.c_str()) != 0) folder_error(path.string(), system_reason(errno));
  if (::rename(temporary.path().c_str(), path.c_str()) != 0) {
    const int reason = errno;
    ::rename(aside.c_str(), path.c_str());
    folder_error(path.string(), system_reason(reason));
  }
  temporary.give_away();
  std::error_code ignored;
  fs::remove_all(aside, ignored);
}

void sync_folder(const fs::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

namespace internal {

std::string table_csv(const Table& table, const std::vector<bool>& missing, const Context& context) {
  constexpr std::size_t kBytesPerNumber = 20;  // -0.1234567890123456 and a comma
  constexpr std::size_t kNumbersBetweenLooks = 10000;
  // Twice: the buffer and the string made of it.
  context.require_memory(2 * kBytesPerNumber * table.rows() * table.columns(), "The text of a simulated table");
  std::size_t until_look = 0;
  fmt::memory_buffer buffer;
  auto out = std::back_inserter(buffer);
  for (std::size_t j = 0; j < table.columns(); ++j) fmt::format_to(out, "{}{}", j ? "," : "", csv_field(table.name(j)));
  buffer.push_back('\n');
  for (std::size_t i = 0; i < table.rows(); ++i) {
    if (until_look < table.columns()) {
      context.check_interrupt();
      until_look = kNumbersBetweenLooks + table.columns();
    }
    until_look -= table.columns();
    for (std::size_t j = 0; j < table.columns(); ++j) {
      if (j > 0) buffer.push_back(',');
      if (!missing.empty() && missing[j * table.rows() + i]) continue;
      if (table.about(j).levels.empty()) {
        fmt::format_to(out, "{}", table.at(i, j));
      } else {
        fmt::format_to(out, "{}", csv_field(value_name(table.about(j), table.at(i, j))));
      }
    }
    buffer.push_back('\n');
  }
  return fmt::to_string(buffer);
}

std::string edges_csv(const std::vector<std::string>& names,
                      const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  std::string text = "from,to\n";
  for (const auto& [from, to] : edges) text += csv_field(names[from]) + "," + csv_field(names[to]) + "\n";
  return text;
}

std::string dump_indented(const Json& json, int depth, const std::string& indent) {
  if (depth == 0 || !json.is_structured() || json.empty()) return json.dump();
  if (json.is_array() && !json.front().is_structured()) return json.dump();
  const std::string inner = indent + "  ";
  std::string text = json.is_object() ? "{\n" : "[\n";
  bool first = true;
  for (const auto& [key, value] : json.items()) {
    if (!first) text += ",\n";
    first = false;
    text += inner;
    if (json.is_object()) text += Json(key).dump() + ": ";
    text += dump_indented(value, depth - 1, inner);
  }
  return text + "\n" + indent + (json.is_object() ? "}" : "]");
}

std::vector<std::string> write_files(const std::string& folder, const std::vector<NamedText>& files, bool overwrite) {
  const fs::path path = check_folder(folder, overwrite);
  std::vector<std::string> names;
  TemporaryFolder temporary(path);
  for (const NamedText& file : files) {
    write_file_atomically(temporary.path() + "/" + file.name, file.text, false);
    names.push_back(file.name);
  }
  take_place(temporary, path);
  sync_folder(path.has_parent_path() ? path.parent_path() : fs::path("."));
  return names;
}

}  // namespace internal

std::string_view kind_name(const Simulation& simulation) {
  constexpr std::array<std::string_view, 3> kNames = {"order", "auf", "bermuda"};
  return kNames[simulation.options.index()];
}

void check_simulation_folder(const std::string& folder, bool overwrite) { check_folder(folder, overwrite); }

std::vector<std::string> write_simulation(const std::string& folder, const Simulation& simulation, bool overwrite,
                                          const Context& context) {
  check_folder(folder, overwrite);
  return write_files(folder, make_files(simulation, context), overwrite);
}

}  // namespace olem

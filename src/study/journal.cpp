#include "study/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "core/checksum.h"
#include "core/json_part.h"
#include "olem/error.h"
#include "olem/file.h"

namespace olem::internal {

namespace {

constexpr std::uint64_t kFormatVersion = 1;
constexpr std::size_t kChecksumDigits = 16;

[[noreturn]] void file_error(const std::string& doing, const std::string& path, int reason) {
  throw Error(ErrorCategory::kFile, fmt::format("Cannot {} the journal {}: {}.", doing, path, std::strerror(reason)));
}

std::string line_of(const std::string& text) { return fmt::format("{:016x} {}\n", crc64(text), text); }

// What stands behind the checksum, when that is right.
std::optional<std::string_view> content_of(std::string_view line) {
  if (line.size() < kChecksumDigits + 2 || line[kChecksumDigits] != ' ') return std::nullopt;
  const std::string_view content = line.substr(kChecksumDigits + 1);
  if (fmt::format("{:016x}", crc64(content)) != line.substr(0, kChecksumDigits)) return std::nullopt;
  return content;
}

std::string header_text(const JournalHeader& header) {
  const Json json = {{"format", "olem-journal"},
                     {"format_version", kFormatVersion},
                     {"study", header.study},
                     {"seed", header.seed},
                     {"version", header.version}};
  return json.dump();
}

Remedy another_journal() { return {"Name another journal", "journal"}; }

void check_header(std::string_view content, const JournalHeader& header, const std::string& path) {
  const Json json = Json::parse(content, nullptr, /*allow_exceptions=*/false);
  const JsonPart part(json, path);
  if (!json.is_object() || !part.has("format") || part["format"].text() != "olem-journal") {
    throw Error(ErrorCategory::kData, fmt::format("{} is not a journal of olem study.", path), {another_journal()});
  }
  if (part["format_version"].count(std::numeric_limits<std::uint32_t>::max()) != kFormatVersion) {
    throw Error(ErrorCategory::kData, fmt::format("{} is a journal in a format of another version of olem.", path),
                {another_journal(), {"Begin again", "fresh", "true"}});
  }
  const auto differs = [&](std::string_view what, const std::string& there, const std::string& here) {
    if (there == here) return;
    throw Error(ErrorCategory::kData,
                fmt::format("{}: This journal belongs to {} {}, not to {}.", path, what, there, here),
                {another_journal(), {"Begin again", "fresh", "true"}});
  };
  differs("the study", part["study"].text(), header.study);
  differs("seed", fmt::format("{}", part["seed"].count(std::numeric_limits<std::uint64_t>::max())),
          fmt::format("{}", header.seed));
  differs("olem version", part["version"].text(), header.version);
}

void sync_folder(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int file = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (file < 0) return;
  ::fsync(file);
  ::close(file);
}

}  // namespace

JournalContent parse_journal(std::string_view text, const JournalHeader& header, const std::string& path) {
  JournalContent content;
  std::size_t damaged_line = 0;
  std::size_t line_number = 0;
  for (std::size_t at = 0; at < text.size();) {
    ++line_number;
    const std::size_t end = text.find('\n', at);
    const auto inside = end == std::string_view::npos ? std::nullopt : content_of(text.substr(at, end - at));
    at = end == std::string_view::npos ? text.size() : end + 1;
    if (line_number == 1) {
      // A header that was cut off is a beginning of ours; anything else is somebody's file.
      if (!inside && !line_of(header_text(header)).starts_with(text)) check_header("", header, path);
      if (!inside) return content;
      check_header(*inside, header, path);
      content.has_header = true;
      content.sound = at;
      continue;
    }
    if (!inside) {
      if (damaged_line == 0) damaged_line = line_number;
      continue;
    }
    if (damaged_line != 0) {
      throw Error(
          ErrorCategory::kData,
          fmt::format("{}, line {}: The checksum is wrong although more lines follow, so that the file was changed "
                      "or the disk is at fault. Delete the line to compute its cell again.",
                      path, damaged_line));
    }
    content.records.push_back(parse_record(std::string(*inside), fmt::format("{}, line {}", path, line_number)));
    content.sound = at;
  }
  return content;
}

std::string record_text(const JournalRecord& record) {
  Json values = Json::object();
  for (const auto& [name, value] : record.values) values[name] = value;
  const Json json = {{"cell", record.cell}, {"values", std::move(values)}, {"seconds", record.seconds}};
  return json.dump();
}

JournalRecord parse_record(const std::string& text, const std::string& source) {
  const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const JsonPart part(json, source);
  JournalRecord record;
  record.cell = part["cell"].text();
  for (const auto& [name, value] : part["values"].members()) record.values.emplace_back(name, value.number());
  record.seconds = part["seconds"].finite();
  return record;
}

Journal::Journal(const std::string& path, const JournalHeader& header, bool fresh) : path_(path) {
  file_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_APPEND, 0666);
  if (file_ < 0) file_error("open", path, errno);
  try {
    lock();
    const std::string text = read_all();
    JournalContent content;
    if (fresh && !text.empty()) {
      const std::size_t end = text.find('\n');
      const auto first = end == std::string::npos ? std::nullopt : content_of(std::string_view(text).substr(0, end));
      // Never empties a file that somebody named by mistake.
      if (!first || first->find("\"olem-journal\"") == std::string_view::npos) check_header("", header, path);
    } else {
      content = parse_journal(text, header, path);
    }
    dropped_torn_line_ = !fresh && content.sound < text.size();
    if (content.sound < text.size()) truncate(content.sound);
    if (!content.has_header) {
      write_line(line_of(header_text(header)));
      sync_folder(path);  // else a new file may vanish with the power, and its lines with it
    }
    records_ = std::move(content.records);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

// Closing gives the lock back.
Journal::~Journal() { ::close(file_); }

void Journal::lock() const {
  struct flock wish {};
  wish.l_type = F_WRLCK;
  wish.l_whence = SEEK_SET;
  if (::fcntl(file_, F_SETLK, &wish) == 0) return;
  const int reason = errno;
  if (reason != EACCES && reason != EAGAIN) file_error("lock", path_, reason);
  const bool known = ::fcntl(file_, F_GETLK, &wish) == 0 && wish.l_type != F_UNLCK;
  throw Error(ErrorCategory::kFile,
              fmt::format("The journal {} is in use by {}.", path_,
                          known ? fmt::format("process {}", wish.l_pid) : "another process"),
              {{"Wait until it has ended"}, another_journal()});
}

// Through the descriptor that holds the lock: closing any other of this file would give it back.
std::string Journal::read_all() const {
  struct stat info {};
  if (::fstat(file_, &info) != 0) file_error("read", path_, errno);
  if (!S_ISREG(info.st_mode)) {
    throw Error(ErrorCategory::kFile, fmt::format("Cannot keep a journal in {}: It is not a plain file.", path_));
  }
  std::string text(static_cast<std::size_t>(info.st_size), '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ssize_t got = ::pread(file_, text.data() + used, text.size() - used, static_cast<off_t>(used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) file_error("read", path_, errno);
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

void Journal::write_line(const std::string& line) const {
  for (std::string_view rest = line; !rest.empty();) {
    const ssize_t written = ::write(file_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) file_error("write to", path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fdatasync(file_) != 0) file_error("write to", path_, errno);
}

void Journal::truncate(std::size_t size) const {
  if (::ftruncate(file_, static_cast<off_t>(size)) != 0) file_error("write to", path_, errno);
}

void Journal::append(const JournalRecord& record) { write_line(line_of(record_text(record))); }

std::vector<JournalRecord> read_journal(const std::string& path, const JournalHeader& header) {
  if (::access(path.c_str(), F_OK) != 0) return {};
  return parse_journal(read_file(path), header, path).records;
}

}  // namespace olem::internal

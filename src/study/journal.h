#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "olem/json.h"

namespace olem::internal {

// Numbers by name.
using StudyValues = std::vector<std::pair<std::string, double>>;

// One finished cell of a study.
struct JournalRecord {
  std::string cell;  // its key
  StudyValues values;
  double seconds = 0.0;
};

// What a journal belongs to. A journal is continued only by the same.
struct JournalHeader {
  std::string study;
  std::uint64_t seed = 0;
  std::string version;  // of the olem that began it
};

// The finished cells of a study in a file: a header, then one line per cell, each a checksum (CRC-64) and a JSON
// object. A line is on disk before append() returns. A process that dies in the middle of a line leaves a torn last
// line, which the next one recognises by its checksum and takes away; everything before it stays.
class Journal {
 public:
  // Opens the file, or makes it, and locks it against other processes; the lock ends with the process, however it
  // ends. `fresh` throws the records of an earlier run away. Throws a file error when the file cannot be written or
  // another process holds it (which is named), and a data error when it is no journal, belongs to something else than
  // `header` says, or is damaged before its last line.
  Journal(const std::string& path, const JournalHeader& header, bool fresh);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  const std::vector<JournalRecord>& records() const { return records_; }  // found at the start
  bool dropped_torn_line() const { return dropped_torn_line_; }

  // Not for several threads at once. Throws a file error with the system's reason, such as a full disk.
  void append(const JournalRecord& record);

 private:
  void lock() const;
  std::string read_all() const;
  void write_line(const std::string& line) const;
  void truncate(std::size_t size) const;

  std::string path_;
  int file_ = -1;
  std::vector<JournalRecord> records_;
  bool dropped_torn_line_ = false;
};

// What the text of a journal holds.
struct JournalContent {
  std::vector<JournalRecord> records;
  std::size_t sound = 0;  // bytes up to the end of the last whole line; what follows is torn
  bool has_header = false;
};

// Throws the data errors of Journal, each of which names `path`.
JournalContent parse_journal(std::string_view text, const JournalHeader& header, const std::string& path);

// The records of a journal that others may be writing, without a lock; none when there is no such file. Throws what
// Journal would throw about its content.
std::vector<JournalRecord> read_journal(const std::string& path, const JournalHeader& header);

// One record as text and back, as ranks send them to each other.
std::string record_text(const JournalRecord& record);
JournalRecord parse_record(const std::string& text, const std::string& source);

}  // namespace olem::internal

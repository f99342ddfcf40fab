#pragma once

#include <string>
#include <string_view>

#include "olem/context.h"

namespace olem {

// Writes `content` so that `path` holds either all of it or what it held before: a new file beside it, fsync,
// rename, fsync of the folder. Refuses to replace an existing file unless `overwrite`. Throws a file error with
// the path and the system's reason.
void write_file_atomically(const std::string& path, std::string_view content, bool overwrite);

// Throws the error that write_file_atomically would throw at once (exists, is a folder, folder missing or not
// writable), so that a long computation does not end in vain.
void check_writable(const std::string& path, bool overwrite);

// Keeps other processes of olem from writing the file or folder `path`, from the beginning of a long computation to its
// end: both would else work, and the one that ends last would find the file there or, told to replace it, undo the work
// of the other. The lock (flock) is on a hidden file beside `path`, ".name.olem-lock", since `path` itself may not
// exist yet and is replaced rather than changed. The system gives the lock back however its holder ends, so that a file
// that a killed process left behind blocks nobody; the next one takes it over and removes it. Costs a few microseconds.
class OutputLock {
 public:
  // Throws a file error when another process (or another lock of this one) holds the lock, which is named, and when the
  // lock file cannot be made. A file system without locks gives none.
  explicit OutputLock(const std::string& path);
  ~OutputLock();
  OutputLock(OutputLock&& other) noexcept;
  OutputLock(const OutputLock&) = delete;
  OutputLock& operator=(const OutputLock&) = delete;

 private:
  std::string lock_file_;
  int file_ = -1;
};

// The whole file, or standard input for "-". Throws a file error with the path and the system's reason. A wait for
// standard input ends when the context is interrupted. A usage error for standard input where there are several ranks.
std::string read_file(const std::string& path, const Context& context = {});

}  // namespace olem

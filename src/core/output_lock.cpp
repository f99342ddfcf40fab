#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string_view>
#include <utility>

#include "olem/error.h"
#include "olem/file.h"

namespace olem {

namespace {

// ".name.olem-lock" in the folder of `path`.
std::string lock_file_of(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  const std::size_t name = slash == std::string::npos ? 0 : slash + 1;
  return fmt::format("{}.{}.olem-lock", path.substr(0, name), path.substr(name));
}

std::string this_process() {
  std::array<char, HOST_NAME_MAX + 1> host{};
  const bool known = ::gethostname(host.data(), host.size() - 1) == 0;
  return fmt::format("process {}{}{}", ::getpid(), known ? " on " : "", host.data());
}

// As written by the one that holds the lock; it may not have come so far yet.
std::string holder(int file) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(file, text.data(), text.size(), 0);
  return size > 0 ? std::string(text.data(), static_cast<std::size_t>(size)) : "another process";
}

bool same_file(int file, const std::string& path) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(file, &opened) == 0 && ::stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

OutputLock::OutputLock(const std::string& path) : lock_file_(lock_file_of(path)) {
  const std::string name = this_process();  // first: nothing may be thrown once the file is there and ours
  for (;;) {
    file_ = ::open(lock_file_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (file_ < 0) {
      throw Error(ErrorCategory::kFile, fmt::format("Cannot write {}: {}.", path, std::strerror(errno)));
    }
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) {
      const int reason = errno;
      if (reason == EINTR) {
        ::close(file_);
        continue;
      }
      if (reason != EWOULDBLOCK) return;  // a file system without locks
      const std::string other = holder(file_);
      ::close(file_);
      throw Error(ErrorCategory::kFile, fmt::format("{} is being written by {}. Wait until it has ended, or name "
                                                    "something else to write.",
                                                    path, other));
    }
    // The one before may have removed the file between our opening and locking it.
    if (same_file(file_, lock_file_)) break;
    ::close(file_);
  }
  // Only for the message; the lock holds without it.
  if (::ftruncate(file_, 0) != 0 || ::pwrite(file_, name.data(), name.size(), 0) < 0) return;
}

OutputLock::OutputLock(OutputLock&& other) noexcept
    : lock_file_(std::move(other.lock_file_)), file_(std::exchange(other.file_, -1)) {}

OutputLock::~OutputLock() {
  if (file_ < 0) return;
  ::unlink(lock_file_.c_str());  // before the lock is given back: whoever gets it then finds that the name is gone
  ::close(file_);
}

}  // namespace olem

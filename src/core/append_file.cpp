#include "core/append_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "olem/error.h"
#include "olem/file.h"

namespace olem::internal {

namespace {

[[noreturn]] void fail_to_append(const std::string& path, int reason) {
  throw Error(ErrorCategory::kFile, fmt::format("Cannot add to {}: {}.", path, std::strerror(reason)));
}

// Closing it gives the lock back.
class OpenLog {
 public:
  explicit OpenLog(const std::string& path)
      : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666)) {
    if (fd_ < 0) fail_to_append(path, errno);
  }
  ~OpenLog() { ::close(fd_); }
  OpenLog(const OpenLog&) = delete;
  OpenLog& operator=(const OpenLog&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

void wait_for_lock(const OpenLog& file, const std::string& path, const Context& context) {
  constexpr useconds_t kPauseUs = 20000;
  while (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) fail_to_append(path, errno);
    context.check_interrupt();
    ::usleep(kPauseUs);
  }
}

}  // namespace

void append_lines(const std::string& path, const std::function<std::string(std::string_view content)>& make,
                  const Context& context) {
  const OpenLog file(path);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) fail_to_append(path, errno);
  if (!S_ISREG(info.st_mode))
    throw Error(ErrorCategory::kFile, fmt::format("Cannot add to {}: It is a device or pipe, not a file.", path));
  wait_for_lock(file, path, context);
  const std::string content = read_file(path, context);
  std::string lines = make(content);
  if (lines.empty()) return;
  if (!content.empty() && content.back() != '\n') lines.insert(lines.begin(), '\n');
  std::string_view left = lines;
  while (!left.empty()) {
    const ssize_t written = ::write(file.get(), left.data(), left.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail_to_append(path, errno);
    }
    left.remove_prefix(static_cast<std::size_t>(written));
  }
  if (::fsync(file.get()) != 0) fail_to_append(path, errno);
}

}  // namespace olem::internal

#include "olem/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "olem/error.h"

namespace olem {

namespace {

[[noreturn]] void file_error(std::string_view doing, const std::string& path, int reason) {
  throw Error(ErrorCategory::kFile, fmt::format("Cannot {} {}: {}.", doing, path, std::strerror(reason)));
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

void write_all(const Descriptor& file, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      file_error("write", path, errno);
    }
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

[[noreturn]] void refuse_to_replace(const std::string& path) {
  throw Error(ErrorCategory::kFile, fmt::format("{} exists already.", path), {{"Replace it", "force", "true"}});
}

// Makes a new file in the folder of `path`. The user's mask applies as to any other file; mkstemp would need it to be
// read, which only changing it for the whole process can do.
int open_beside(const std::string& path, std::string& temporary) {
  for (int attempt = 0;; ++attempt) {
    temporary = fmt::format("{}.{}-{}.tmp", path, ::getpid(), attempt);
    const int fd = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) return fd;
    constexpr int kAttempts = 1000;
    if (errno != EEXIST || attempt == kAttempts) file_error("write", path, errno);
  }
}

void move_into_place(const std::string& temporary, const std::string& path, bool overwrite) {
  if (!overwrite) {
    // link, unlike rename, fails when somebody else made the file in the meantime.
    if (::link(temporary.c_str(), path.c_str()) == 0) {
      ::unlink(temporary.c_str());
      return;
    }
    if (errno == EEXIST) refuse_to_replace(path);
    // Some file systems (FAT, many network ones) have no links: look once more, then rename.
    if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS) file_error("write", path, errno);
    check_writable(path, overwrite);
  }
  if (::rename(temporary.c_str(), path.c_str()) != 0) file_error("write", path, errno);
}

// Waits until something can be read. A signal need not interrupt a read, and another thread's wish to stop never does.
void wait_for_input(const Descriptor& file, const Context& context, const std::string& name) {
  constexpr int kPatienceMs = 50;
  for (;;) {
    context.check_interrupt();
    pollfd polled{file.get(), POLLIN, 0};
    const int ready = ::poll(&polled, 1, kPatienceMs);
    if (ready > 0) return;
    if (ready < 0 && errno != EINTR) file_error("read", name, errno);
  }
}

}  // namespace

void check_writable(const std::string& path, bool overwrite) {
  if (path.empty()) throw Error(ErrorCategory::kUsage, "The name of the file to write is empty.");
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) file_error("write", path, EISDIR);
    if (!S_ISREG(info.st_mode)) {
      throw Error(ErrorCategory::kFile, fmt::format("Cannot write {}: It is a device or pipe, not a file.", path));
    }
    if (!overwrite) refuse_to_replace(path);
  }
  const std::string folder = folder_of(path);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) file_error("write to the folder", folder, errno);
}

void write_file_atomically(const std::string& path, std::string_view content, bool overwrite) {
  check_writable(path, overwrite);
  const std::string folder_name = folder_of(path);  // before there is anything that a failure would come too late for
  std::string temporary;
  Descriptor file(open_beside(path, temporary));
  try {
    write_all(file, content, path);
    if (::fsync(file.get()) != 0 || file.close() != 0) file_error("write", path, errno);
    move_into_place(temporary, path, overwrite);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const Descriptor folder(::open(folder_name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() >= 0) ::fsync(folder.get());
}

std::string read_file(const std::string& path, const Context& context) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  if (standard_input && context.ranks != nullptr) {
    throw Error(ErrorCategory::kUsage, "Standard input reaches one rank only. Name a file that every rank can read.");
  }
  // Not blocking: opening a pipe with a name would wait for somebody who writes into it, deaf to another thread's wish.
  const Descriptor file(standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) file_error("read", name, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) file_error("read", name, errno);
  if (S_ISDIR(info.st_mode)) file_error("read", name, EISDIR);
  std::string content;
  std::size_t used = 0;
  const bool regular = S_ISREG(info.st_mode);
  const auto size = regular ? static_cast<std::size_t>(info.st_size) : 0;
  context.require_memory(size, "Reading " + name);
  content.resize(regular ? size + 1 : 1 << 16);
  for (;;) {
    if (used == content.size()) {
      context.require_memory(content.size() * 2, "Reading " + name);
      content.resize(content.size() * 2);
    }
    if (!regular) wait_for_input(file, context, name);
    const ssize_t got = ::read(file.get(), content.data() + used, content.size() - used);
    if (got < 0) {
      if (errno == EINTR || errno == EAGAIN) continue;
      file_error("read", name, errno);
    }
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  content.resize(used);
  return content;
}

}  // namespace olem

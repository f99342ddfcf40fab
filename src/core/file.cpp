#include "olem/file.h"

#include <fcntl.h>
#include <fmt/format.h>
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

}  // namespace

void check_writable(const std::string& path, bool overwrite) {
  if (path.empty()) throw Error(ErrorCategory::kUsage, "The name of the file to write is empty.");
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) file_error("write", path, EISDIR);
    if (!overwrite) {
      throw Error(ErrorCategory::kFile, fmt::format("{} exists already. Use --force to replace it.", path));
    }
  }
  const std::string folder = folder_of(path);
  if (::access(folder.c_str(), W_OK | X_OK) != 0) file_error("write to the folder", folder, errno);
}

void write_file_atomically(const std::string& path, std::string_view content, bool overwrite) {
  check_writable(path, overwrite);
  std::string temporary = path + ".XXXXXX";
  Descriptor file(::mkstemp(temporary.data()));
  if (file.get() < 0) file_error("write", path, errno);
  try {
    // mkstemp makes files private; the user's mask decides as for any other new file.
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::fchmod(file.get(), 0666 & ~mask) != 0) file_error("write", path, errno);
    write_all(file, content, path);
    if (::fsync(file.get()) != 0 || file.close() != 0) file_error("write", path, errno);
    if (overwrite) {
      if (::rename(temporary.c_str(), path.c_str()) != 0) file_error("write", path, errno);
    } else {
      // link, unlike rename, fails when somebody else made the file in the meantime.
      if (::link(temporary.c_str(), path.c_str()) != 0) file_error("write", path, errno);
      ::unlink(temporary.c_str());
    }
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY));
  if (folder.get() >= 0) ::fsync(folder.get());
}

std::string read_file(const std::string& path, const Context& context) {
  const bool standard_input = path == "-";
  const std::string name = standard_input ? "standard input" : path;
  const Descriptor file(standard_input ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) file_error("read", name, errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) file_error("read", name, errno);
  if (S_ISDIR(info.st_mode)) file_error("read", name, EISDIR);
  std::string content;
  std::size_t used = 0;
  content.resize(S_ISREG(info.st_mode) ? static_cast<std::size_t>(info.st_size) + 1 : 1 << 16);
  for (;;) {
    if (used == content.size()) content.resize(content.size() * 2);
    const ssize_t got = ::read(file.get(), content.data() + used, content.size() - used);
    if (got < 0) {
      if (errno != EINTR) file_error("read", name, errno);
      context.check_interrupt();
      continue;
    }
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  content.resize(used);
  return content;
}

}  // namespace olem

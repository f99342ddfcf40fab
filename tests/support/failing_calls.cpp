// A library to preload into olem that lets one call of one kind fail, for tests of what happens then.
//
//   OLEM_FAILING=KIND:K   the K-th call of the kind fails, counted from 1 after main has begun. With K = 0 none fails
//                         and their number is written to the file that OLEM_FAILING_COUNT names.
//
//   memory   malloc and its kin                            no block
//   work     the same, counted from when the command line has been understood (SIGTERM is caught), which takes many
//   large    the same for kLarge bytes and more, from the K-th on to the end: what is left are crumbs, such as olem's
//            reserve can give
//   write    write, fwrite                                 half of the bytes are taken, then the disk is full
//   sync     fsync, fdatasync                              EIO
//   rename   rename, link                                  EIO
//   open     open, fopen, opendir                          EMFILE
//   kill     each of those from write on                   the process is killed, a write half done
//
// Only calls on behalf of our own code count: the nearest frame on the stack that does not belong to the run-time
// libraries (libc, libstdc++, libgcc, libfmt, the leak checker, this) lies in the executable. Others, such as OpenBLAS,
// Clp or the loader, may not survive a lack of memory, and we cannot mend them. The stack is read by the unwinder,
// which needs no memory of its own. main is wrapped in __libc_start_main: nothing before or after it is counted.
//
// The real functions are the next ones in the order of loading: those of a leak checker preloaded behind this one.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <unistd.h>
#include <unwind.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

constexpr std::size_t kLarge = 4096;

enum class Kind { kNone, kMemory, kWorkMemory, kLargeMemory, kWrite, kSync, kRename, kOpen, kKill };

Kind wanted = Kind::kNone;
long wanted_call = 0;
std::atomic<bool> armed{false};
std::atomic<bool> working{false};
std::atomic<long> calls{0};
std::atomic<int> full_file{-1};  // descriptor behind which the disk is full

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool holds(std::uintptr_t address) const { return begin <= address && address < end; }
};
Range executable;
std::array<Range, 16> passed_over;
std::size_t passed_over_count = 0;

bool is_run_time_library(const char* path) {
  for (const char* const name :
       {"/libc.so", "/libstdc++.so", "/libgcc_s.so", "/libfmt.so", "/liblsan.so", "/libfailing_calls.so"}) {
    if (std::strstr(path, name) != nullptr) return true;
  }
  return false;
}

// The first module is the executable.
int note_module(dl_phdr_info* info, std::size_t, void* first) {
  Range range{UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    if (begin < range.begin) range.begin = begin;
    if (begin + part.p_memsz > range.end) range.end = begin + part.p_memsz;
  }
  if (*static_cast<bool*>(first)) {
    executable = range;
    *static_cast<bool*>(first) = false;
  } else if (is_run_time_library(info->dlpi_name) && passed_over_count < passed_over.size()) {
    passed_over[passed_over_count++] = range;
  }
  return 0;
}

_Unwind_Reason_Code judge_frame(_Unwind_Context* frame, void* ours) {
  const std::uintptr_t address = _Unwind_GetIP(frame);
  for (std::size_t i = 0; i < passed_over_count; ++i) {
    if (passed_over[i].holds(address)) return _URC_NO_REASON;
  }
  *static_cast<bool*>(ours) = executable.holds(address);
  return _URC_NORMAL_STOP;
}

// `caller` is where the call returns to.
bool is_ours(const void* caller) {
  if (executable.holds(reinterpret_cast<std::uintptr_t>(caller))) return true;
  bool ours = false;
  _Unwind_Backtrace(judge_frame, &ours);
  return ours;
}

// Whether this call is to fail.
bool fails(Kind kind, const void* caller) {
  const bool of_files = kind == Kind::kWrite || kind == Kind::kSync || kind == Kind::kRename || kind == Kind::kOpen;
  const bool asked = kind == wanted || (wanted == Kind::kKill && of_files);
  if (!asked || !armed.load(std::memory_order_relaxed) || !is_ours(caller)) return false;
  const long call = ++calls;
  if (wanted == Kind::kKill && call == wanted_call && kind != Kind::kWrite) ::raise(SIGKILL);
  return wanted_call > 0 && (call == wanted_call || (kind == Kind::kLargeMemory && call > wanted_call));
}

bool no_memory(std::size_t size, const void* caller) {
  const bool none = fails(Kind::kMemory, caller) || (working && fails(Kind::kWorkMemory, caller)) ||
                    (working && size >= kLarge && fails(Kind::kLargeMemory, caller));
  if (none) errno = ENOMEM;
  return none;
}

template <class Result>
Result failure(int reason, Result result) {
  errno = reason;
  return result;
}

// The function of this name that would have been called without this library.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

int (*real_main)(int, char**, char**) = nullptr;

int watched_main(int argc, char** argv, char** environment) {
  bool first = true;
  ::dl_iterate_phdr(note_module, &first);
  armed = true;
  const int code = real_main(argc, argv, environment);
  armed = false;
  const char* const path = std::getenv("OLEM_FAILING_COUNT");
  if (wanted_call == 0 && path != nullptr) {
    if (std::FILE* const file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", calls.load());
      std::fclose(file);
    }
  }
  return code;
}

void read_wish() {
  const char* const wish = std::getenv("OLEM_FAILING");
  if (wish == nullptr) return;
  const struct {
    const char* name;
    Kind kind;
  } kinds[] = {{"memory:", Kind::kMemory}, {"work:", Kind::kWorkMemory}, {"large:", Kind::kLargeMemory},
               {"write:", Kind::kWrite},   {"sync:", Kind::kSync},       {"rename:", Kind::kRename},
               {"open:", Kind::kOpen},     {"kill:", Kind::kKill}};
  for (const auto& one : kinds) {
    const std::size_t length = std::strlen(one.name);
    if (std::strncmp(wish, one.name, length) != 0) continue;
    wanted = one.kind;
    wanted_call = std::atol(wish + length);
  }
}

void* plain_block(std::size_t size, const void* caller) {
  static auto* const real = next<decltype(::malloc)>("malloc");
  return no_memory(size, caller) ? nullptr : real(size);
}

void* aligned_block(std::size_t alignment, std::size_t size, const void* caller) {
  static auto* const real = next<decltype(::aligned_alloc)>("aligned_alloc");
  return no_memory(size, caller) ? nullptr : real(alignment, size);
}

// What operator new does everywhere. A leak checker has one of its own, which does not come by malloc.
template <class Allocate>
void* new_block(const Allocate& allocate) {
  for (;;) {
    if (void* const block = allocate()) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void* new_block(std::size_t size, const void* caller) {
  return new_block([=] { return plain_block(size, caller); });
}

void* new_block(std::size_t size, std::align_val_t alignment, const void* caller) {
  return new_block([=] { return aligned_block(static_cast<std::size_t>(alignment), size, caller); });
}

void* new_block_or_null(std::size_t size, const void* caller) {
  try {
    return new_block(size, caller);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

void* operator new(std::size_t size) { return new_block(size, __builtin_return_address(0)); }
void* operator new[](std::size_t size) { return new_block(size, __builtin_return_address(0)); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return new_block(size, alignment, __builtin_return_address(0));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return new_block(size, alignment, __builtin_return_address(0));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return new_block_or_null(size, __builtin_return_address(0));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return new_block_or_null(size, __builtin_return_address(0));
}

extern "C" {

int __libc_start_main(int (*main_function)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
                      void (*loader_fini)(), void* stack_end) {
  read_wish();
  real_main = main_function;
  static auto* const real = next<decltype(::__libc_start_main)>("__libc_start_main");
  return real(watched_main, argc, argv, init, fini, loader_fini, stack_end);
}

void* malloc(std::size_t size) { return plain_block(size, __builtin_return_address(0)); }

void* calloc(std::size_t count, std::size_t size) {
  static auto* const real = next<decltype(::calloc)>("calloc");
  return no_memory(count * size, __builtin_return_address(0)) ? nullptr : real(count, size);
}

void* realloc(void* block, std::size_t size) {
  static auto* const real = next<decltype(::realloc)>("realloc");
  return no_memory(size, __builtin_return_address(0)) ? nullptr : real(block, size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return aligned_block(alignment, size, __builtin_return_address(0));
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  static auto* const real = next<decltype(::posix_memalign)>("posix_memalign");
  return no_memory(size, __builtin_return_address(0)) ? ENOMEM : real(block, alignment, size);
}

int sigaction(int signal, const struct sigaction* action, struct sigaction* old) noexcept {
  static auto* const real = next<int(int, const struct sigaction*, struct sigaction*)>("sigaction");
  if (signal == SIGTERM && armed) working = true;
  return real(signal, action, old);
}

ssize_t write(int file, const void* bytes, std::size_t size) {
  static auto* const real = next<decltype(::write)>("write");
  if (file == full_file) return failure(ENOSPC, ssize_t{-1});
  if (!fails(Kind::kWrite, __builtin_return_address(0))) return real(file, bytes, size);
  if (wanted == Kind::kKill) {
    (void)!real(file, bytes, size / 2);
    ::raise(SIGKILL);
  }
  full_file = file;
  return size > 1 ? real(file, bytes, size / 2) : failure(ENOSPC, ssize_t{-1});
}

std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  static auto* const real = next<decltype(::fwrite)>("fwrite");
  if (!fails(Kind::kWrite, __builtin_return_address(0))) return real(bytes, size, count, file);
  const std::size_t half = real(bytes, size, count / 2, file);
  if (wanted == Kind::kKill) ::raise(SIGKILL);
  return failure(ENOSPC, half);
}

int fsync(int file) {
  static auto* const real = next<decltype(::fsync)>("fsync");
  return fails(Kind::kSync, __builtin_return_address(0)) ? failure(EIO, -1) : real(file);
}

int fdatasync(int file) {
  static auto* const real = next<decltype(::fdatasync)>("fdatasync");
  return fails(Kind::kSync, __builtin_return_address(0)) ? failure(EIO, -1) : real(file);
}

int rename(const char* from, const char* to) noexcept {
  static auto* const real = next<decltype(::rename)>("rename");
  return fails(Kind::kRename, __builtin_return_address(0)) ? failure(EIO, -1) : real(from, to);
}

int link(const char* from, const char* to) noexcept {
  static auto* const real = next<decltype(::link)>("link");
  return fails(Kind::kRename, __builtin_return_address(0)) ? failure(EIO, -1) : real(from, to);
}

int open(const char* path, int flags, ...) {
  static auto* const real = next<decltype(::open)>("open");
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return fails(Kind::kOpen, __builtin_return_address(0)) ? failure(EMFILE, -1) : real(path, flags, mode);
}

std::FILE* fopen(const char* path, const char* mode) {
  static auto* const real = next<decltype(::fopen)>("fopen");
  return fails(Kind::kOpen, __builtin_return_address(0)) ? failure<std::FILE*>(EMFILE, nullptr) : real(path, mode);
}

std::FILE* fopen64(const char* path, const char* mode) {
  static auto* const real = next<decltype(::fopen64)>("fopen64");
  return fails(Kind::kOpen, __builtin_return_address(0)) ? failure<std::FILE*>(EMFILE, nullptr) : real(path, mode);
}

DIR* opendir(const char* path) {
  static auto* const real = next<decltype(::opendir)>("opendir");
  return fails(Kind::kOpen, __builtin_return_address(0)) ? failure<DIR*>(EMFILE, nullptr) : real(path);
}

}  // extern "C"

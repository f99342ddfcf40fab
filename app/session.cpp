#include "session.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>
#include <system_error>

#include "choices.h"
#include "olem/data_check.h"
#include "olem/error.h"
#include "olem/ranks.h"
#include "olem/report_page.h"
#include "olem/text.h"
#include "olem/warning_codes.h"
#include "spelling.h"
#include "terminal.h"

namespace olem::app {

namespace {

std::atomic<bool> interrupted{false};

std::atomic<void*> memory_reserve{nullptr};
std::atomic<bool> memory_spent{false};

void spend_reserve() {
  void* const block = memory_reserve.exchange(nullptr);
  if (block == nullptr) throw std::bad_alloc();
  std::free(block);
  memory_spent = true;
  interrupted = true;
}

extern "C" void on_signal(int signal) {
  if (interrupted.exchange(true) && signal == SIGINT) _exit(130);
}

Spelling spelling_of(const CommonOptions& options) {
  for (const CLI::App* verb : options.verbs) {
    if (verb->parsed()) return flag_spelling(*verb);
  }
  return member_spelling();
}

// Up to the first full stop that a capital letter follows.
std::string_view first_sentence(std::string_view text) {
  for (std::size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1)) {
    if (at + 2 < text.size() && std::isupper(static_cast<unsigned char>(text[at + 2])) != 0)
      return text.substr(0, at + 1);
  }
  return text;
}

// A number of type `Number` that satisfies `allowed`; otherwise a usage error with option, value and rule.
template <class Number, class Allowed>
Number parse_number(const std::string& option, const std::string& text, std::string_view rule, Allowed allowed) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !allowed(value)) {
    throw Error::of_option(option, fmt::format("'{}' is not {}.", text, rule));
  }
  return value;
}

// "500M", "2GB", "1000000" -> bytes
std::size_t parse_memory(const std::string& text) {
  double value = 0.0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  std::string unit(stop, end);
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (!unit.empty() && unit.back() == 'B') unit.pop_back();
  const std::size_t power = std::string("KMGT").find(unit.empty() ? "?" : unit) + 1;
  const bool known = unit.empty() || (unit.size() == 1 && power <= 4 && power >= 1);
  const double bytes = value * std::pow(1000.0, unit.empty() ? 0.0 : static_cast<double>(power));
  if (error != std::errc{} || !known || !(bytes >= 1.0) || bytes > 1e18) {
    throw Error::of_option("memory", fmt::format("'{}' is not a size such as 500M or 2G.", text));
  }
  return static_cast<std::size_t>(bytes);
}

}  // namespace

void keep_memory_reserve() {
  // Far more than it takes to tell a result, and nothing until it is touched.
  constexpr std::size_t kReserve = 8 << 20;
  memory_reserve = std::malloc(kReserve);
  std::set_new_handler(spend_reserve);
}

bool memory_ran_out() { return memory_spent; }

void catch_signals() {
  struct sigaction action {};
  action.sa_handler = on_signal;
  // No SA_RESTART: a wait for standard input must end.
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  std::signal(SIGPIPE, SIG_DFL);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on the size of files is then an error like a full disk
}

void print_out(const std::string& text) {
  // What there is of a result is printed after an interruption too, if somebody reads it.
  const bool interrupted_before = interrupted;
  int waits = 0;
  for (std::string_view rest = text; !rest.empty();) {
    // Whoever should read may have stopped: a piece that fits into a pipe at once does not make this process deaf.
    pollfd waiting{STDOUT_FILENO, POLLOUT, 0};
    constexpr int kPatienceMs = 50;
    constexpr int kMostWaits = 10;
    const int ready = ::poll(&waiting, 1, kPatienceMs);
    if (ready == 0) ++waits;
    if (interrupted && (!interrupted_before || waits > kMostWaits))
      throw Error(ErrorCategory::kInterrupted, "Interrupted.");
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t written = ::write(STDOUT_FILENO, rest.data(), std::min<std::size_t>(rest.size(), PIPE_BUF));
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      throw Error(ErrorCategory::kFile, fmt::format("Cannot write to standard output: {}.", std::strerror(errno)));
    }
  }
}

void print_message(std::string_view text) {
  // When standard error takes nothing there is nobody left to tell.
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

// A line on the terminal that is drawn again and again, from two seconds on.
class Session::ProgressBar {
 public:
  explicit ProgressBar(std::chrono::steady_clock::time_point start) : start_(start) {}
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void draw(double fraction, std::string_view phase) {
    const auto now = std::chrono::steady_clock::now();
    const double elapsed = std::chrono::duration<double>(now - start_).count();
    // What follows a comma is news of the phase, such as the loss of a training.
    if (const std::string_view name = phase.substr(0, phase.find(',')); name != phase_) {
      phase_ = name;
      phase_start_ = now;
    }
    if (elapsed < kSilent || std::chrono::duration<double>(now - drawn_).count() < kPeriod) return;
    drawn_ = now;
    const auto filled = static_cast<std::size_t>(fraction * kWidth);
    // Phases go at different speeds, so that only the time of this one tells how long it will take.
    const double in_phase = std::chrono::duration<double>(now - phase_start_).count();
    const std::string remaining =
        fraction > 0.01 ? fmt::format(": {:.0f} s left", std::ceil(in_phase * (1.0 - fraction) / fraction)) : "";
    print_message(fmt::format("\r\x1b[K[{}{}] {:3.0f} %  {}{}", std::string(filled, '#'),
                              std::string(kWidth - filled, '.'), 100.0 * fraction, phase, remaining));
    visible_ = true;
  }

  void clear() {
    if (visible_) print_message("\r\x1b[K");
    visible_ = false;
  }

 private:
  static constexpr double kSilent = 2.0;
  static constexpr double kPeriod = 0.1;
  static constexpr std::size_t kWidth = 30;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point drawn_;
  std::chrono::steady_clock::time_point phase_start_;
  std::string phase_;
  bool visible_ = false;
};

Session::Session(const CommonOptions& options, const Ranks* ranks)
    : options_(options), spelling_(spelling_of(options)), start_(std::chrono::steady_clock::now()) {
  context_.ranks = ranks;
  if (!speaks()) {
    options_.quiet = true;
    options_.verbose = false;
    options_.output.clear();
  }
  reserve_file(options_.output, "-o");
  context_.threads = options_.threads;
  if (ranks != nullptr && options_.threads == 0) {
    context_.threads = std::max(1, Context().thread_count() / ranks->local_size());
  }
  context_.seed = options_.seed;
  context_.interrupt = &interrupted;
  if (!options_.memory.empty()) context_.memory_limit = parse_memory(options_.memory);
  if (options_.time_limit > 0.0) {
    context_.deadline = start_ + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                     std::chrono::duration<double>(options_.time_limit));
  }
  if (!options_.quiet && isatty(STDERR_FILENO) != 0) {
    progress_ = std::make_unique<ProgressBar>(start_);
    context_.progress = [this](double fraction, std::string_view phase) { progress_->draw(fraction, phase); };
  }
  if (options_.verbose) {
    context_.log = [this](LogLevel, std::string_view text) {
      if (progress_) progress_->clear();
      print_message(fmt::format("{}\n", text));
    };
  }
}

// Where there is no result, behind what there would be one for: what is known may be the reason.
Session::~Session() { print_later_warnings(); }

std::optional<Error> Session::stop() const {
  try {
    context_.check_interrupt();
  } catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

bool Session::speaks() const { return context_.ranks == nullptr || context_.ranks->is_root(); }

bool Session::goes_on_alone() {
  if (!speaks()) return false;
  tell_traffic();
  context_.ranks = nullptr;
  context_.threads = options_.threads;
  return true;
}

void Session::tell_traffic() const {
  if (context_.ranks == nullptr) return;
  const Ranks::Traffic& traffic = context_.ranks->traffic();
  context_.log_info(fmt::format("Rank 0 of {} gave {} bytes to the others and got {}.", context_.ranks->size(),
                                traffic.given, traffic.got));
}

void Session::warn(const std::vector<Warning>& warnings) {
  std::vector<Warning> first;
  for (const Warning& warning : warnings) {
    if (!take_warning(warning) || options_.quiet) continue;
    if (could_change_decision(warning.code)) {
      first.push_back(warning);
    } else {
      later_ += warning_line(warning);
    }
  }
  if (first.empty()) return;
  if (first.size() == 1 || options_.explain_warnings) {
    for (const Warning& warning : first) print_now(warning_line(warning));
    return;
  }
  std::vector<std::string> codes;
  std::string lines;
  for (const Warning& warning : first) {
    if (std::find(codes.begin(), codes.end(), warning.code) == codes.end()) codes.push_back(warning.code);
    lines += warning_line(warning);
  }
  later_ = lines + later_;
  print_now(message_line(fmt::format("{} findings could change the decision ({}). They are listed below the answer.",
                                     first.size(), fmt::join(codes, ", "))));
}

// False where it is known already.
namespace {

// A result as the terminal shows it; unchanged where there is none.
std::string for_terminal(const std::string& text) {
  const std::size_t width = terminal_width(STDOUT_FILENO);
  const std::string lines = width > 0 && width < kLineWidth ? fitted_to(text, kLineWidth, width) : text;
  return has_colours(STDOUT_FILENO) ? highlighted(lines) : lines;
}

}  // namespace

bool Session::take_warning(const Warning& warning) {
  // Many contexts may give the same warning; once is enough.
  const bool known = std::any_of(warnings_.begin(), warnings_.end(), [&](const Warning& other) {
    return other.code == warning.code && other.text == warning.text && other.where == warning.where;
  });
  if (known) return false;
  if (options_.strict) {
    throw Error(ErrorCategory::kData, fmt::format("{} With --strict this is an error.", warning.text),
                warning.remedies);
  }
  warnings_.push_back(warning);
  return true;
}

std::string Session::warning_line(const Warning& warning) const {
  if (!options_.explain_warnings)
    return message_line(fmt::format("{} [{}]", first_sentence(warning.text), warning.code));
  std::string text = fmt::format("{} [{}]", warning_text(warning, spelling_), warning.code);
  if (const WarningCode* const known = find_warning_code(warning.code))
    text += fmt::format(" In general: {}", known->meaning);
  return message_line(text);
}

std::string Session::message_line(std::string_view text) const {
  constexpr std::string_view kStart = "warning: ";
  const std::size_t width = terminal_width(STDERR_FILENO);
  const std::string lines =
      width == 0 ? fmt::format("{}{}\n", kStart, text) : wrap_text(text, width, std::string(kStart.size(), ' '));
  const std::string start =
      has_colours(STDERR_FILENO) ? styled("warning:", Style::kWarning) + " " : std::string(kStart);
  return start + lines.substr(kStart.size());
}

void Session::print_now(const std::string& lines) {
  if (progress_) progress_->clear();
  print_message(lines);
  shortened_ = true;
}

void Session::print_later_warnings() {
  if (later_.empty() && !shortened_) return;
  if (!options_.explain_warnings)
    later_ += "What to do about warnings: --explain-warnings, or olem explain-warning CODE.\n";
  if (progress_) progress_->clear();
  print_message(later_);
  later_.clear();
  shortened_ = false;
}

void Session::refuse_twice(const std::string& path, std::string_view flag) const {
  for (const Output& other : outputs_) {
    if (std::filesystem::path(other.path).lexically_normal() != std::filesystem::path(path).lexically_normal())
      continue;
    throw Error(ErrorCategory::kUsage,
                fmt::format("{} and {} both name {}. Give them two names.", flag, other.flag, path));
  }
}

void Session::reserve_file(const std::string& path, std::string_view flag) {
  if (path.empty() || !speaks()) return;
  refuse_twice(path, flag);
  check_writable(path, options_.force);
  outputs_.push_back({path, std::string(flag), OutputLock(path)});
}

void Session::reserve_folder(const std::string& path, std::string_view flag) {
  if (path.empty() || !speaks()) return;
  refuse_twice(path, flag);
  outputs_.push_back({path, std::string(flag), OutputLock(path)});
}

void Session::protect(const std::string& input, std::string_view what) const {
  for (const Output& output : outputs_) {
    std::error_code unknown;
    if (!std::filesystem::equivalent(output.path, input, unknown)) continue;
    throw Error(ErrorCategory::kUsage,
                fmt::format("{}: {} is {}. Give the result another name.", output.flag, output.path, what));
  }
}

void Session::finish(const std::string& verb, const Json& result, Json verb_options, const std::string& text,
                     const std::string& page, const std::function<void()>& write_more) {
  if (memory_ran_out()) throw std::bad_alloc();
  if (!speaks()) return;
  tell_traffic();
  if (progress_) progress_->clear();
  verb_options["threads"] = context_.thread_count();
  const Json object = result_json(verb, result, std::move(verb_options), options_.seed,
                                  std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(),
                                  warnings_, spelling_);
  // A file name need not be UTF-8; JSON must be.
  const std::string json = object.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  const std::string page_text = page.empty() ? "" : report_page(object, page);
  if (write_more) write_more();
  if (!options_.output.empty()) write_file_atomically(options_.output, json, options_.force);
  if (!page.empty()) write_file_atomically(page, page_text, options_.force);
  outputs_.clear();  // whoever reads standard output may end this process at any moment
  print_out(options_.json ? json : for_terminal(text));
  print_later_warnings();
}

void add_common_options(CLI::App& verb, CommonOptions& options, const std::string& output) {
  const std::string group = kResourceGroup;
  verb.add_flag("--json", options.json, "print one JSON object instead of text")->group(group);
  verb.add_option("-o,--output", options.output, output)->type_name("FILE")->group(group);
  verb.add_flag("--force", options.force, "replace the output file if it exists")->group(group);
  add_resource_options(verb, options);
}

void add_resource_options(CLI::App& verb, CommonOptions& options, const std::string& time_limit) {
  options.verbs.push_back(&verb);
  const std::string group = kResourceGroup;
  verb.add_option_function<std::string>(
          "--seed",
          [&options](const std::string& text) {
            options.seed = parse_number<std::uint64_t>("seed", text, "a whole number from 0 to 2^64 - 1",
                                                       [](std::uint64_t) { return true; });
          },
          "of every random draw (default 0)")
      ->type_name("NUMBER")
      ->group(group);
  verb.add_option_function<std::string>(
          "--threads",
          [&options](const std::string& text) {
            options.threads = parse_number<int>("threads", text, "a whole number from 0 to 4096",
                                                [](int value) { return value >= 0 && value <= 4096; });
          },
          "0: one per core (default); the result does not depend on it")
      ->type_name("NUMBER")
      ->group(group);
  verb.add_option("--memory", options.memory, "refuse to use more than this, such as 500M or 2G")
      ->type_name("SIZE")
      ->group(group);
  verb.add_option_function<std::string>(
          "--time-limit",
          [&options](const std::string& text) {
            // The clock counts nanoseconds in 64 bits; a century is far from its end.
            options.time_limit = parse_number<double>("time_limit", text, "a number of seconds above 0, at most 3e9",
                                                      [](double value) { return value > 0.0 && value <= 3e9; });
          },
          time_limit)
      ->type_name("SECONDS")
      ->group(group);
  verb.add_flag("--strict", options.strict, "treat every warning as an error")->group(group);
  verb.add_flag("--explain-warnings", options.explain_warnings, "print every warning in full, with what to do")
      ->group(group);
  verb.add_flag("-q,--quiet", options.quiet, "no warnings or progress on the terminal; warnings stay in the JSON")
      ->group(group);
  verb.add_flag("-v,--verbose", options.verbose, "say what is being done")->group(group);
  // Read before the command line proper, see main.cpp; named here for --help.
  verb.add_option("--config", "options from a JSON file with the long option names as keys; flags win")
      ->type_name("FILE")
      ->group(group);
}

void add_described_options(CLI::App& verb, const OptionSet& set, const std::string& group) {
  for (const Option& option : set.options()) {
    const std::string flag = flag_name(option.name);
    if (option.kind == OptionKind::kFlag) {
      verb.add_flag_callback(
              flag, [option] { option.set_text("true"); }, with_flags(option.help))
          ->group(group);
      continue;
    }
    std::string help = with_flags(option.help);
    if (option.kind == OptionKind::kChoice) {
      std::vector<std::string_view> names;
      for (const Choice& choice : option.choices) names.push_back(choice.name);
      help += fmt::format(": {}", fmt::join(names, ", "));
    }
    const char* const type = option.kind == OptionKind::kChoice ? "NAME" : "NUMBER";
    CLI::Option* const added = verb.add_option_function<std::string>(
        flag, [option](const std::string& value) { option.set_text(value); },
        fmt::format("{} (default {})", help, option.text()));
    added->type_name(type)->group(group);
    std::vector<std::string> choices;
    for (const Choice& choice : option.choices) choices.emplace_back(choice.name);
    if (!choices.empty()) keep_choices(*added, std::move(choices));
  }
}

}  // namespace olem::app

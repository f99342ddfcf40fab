#include "terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "olem/ranks.h"
#include "olem/text.h"

namespace olem::app {

namespace {

constexpr std::array<std::pair<std::string_view, Style>, 3> kSeverities = {
    {{"error: ", Style::kError}, {"strong warning: ", Style::kWarning}, {"warning: ", Style::kWarning}}};

// What stands behind a step of an order that does not count as decided by the data.
constexpr std::array<std::string_view, 3> kOpenVerdicts = {"NOT DECIDED", "decided by scale only", "  by units"};

std::string highlighted_line(std::string_view line) {
  for (const auto& [start, style] : kSeverities) {
    if (line.starts_with(start)) return styled(line, style);
  }
  for (const std::string_view verdict : kOpenVerdicts) {
    if (line.ends_with(verdict))
      return std::string(line.substr(0, line.size() - verdict.size())) + styled(verdict, Style::kWarning);
  }
  constexpr std::string_view kSuccess = "Probability of success: ";
  if (line.starts_with(kSuccess)) {
    const std::size_t end = line.find('%');
    if (end != std::string_view::npos)
      return styled(line.substr(0, end + 1), Style::kStrong) + std::string(line.substr(end + 1));
  }
  return std::string(line);
}

}  // namespace

// mpirun gives its first rank a terminal of its own, whatever becomes of the text.
bool is_terminal(int descriptor) { return isatty(descriptor) != 0 && !Ranks::expected(); }

bool has_colours(int descriptor) {
  const char* const refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != '\0') return false;
  const char* const terminal = std::getenv("TERM");
  if (terminal == nullptr || std::string_view(terminal) == "dumb") return false;
  return is_terminal(descriptor);
}

std::size_t terminal_width(int descriptor) {
  if (!is_terminal(descriptor)) return 0;
  constexpr std::size_t kUsual = 80;
  constexpr std::size_t kLeast = 40;
  winsize size{};
  if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return kUsual;
  return std::max<std::size_t>(size.ws_col, kLeast);
}

std::string styled(std::string_view text, Style style) {
  const int code = style == Style::kError ? 31 : style == Style::kWarning ? 33 : 1;
  return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string fitted_to(std::string_view text, std::size_t written, std::size_t width) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  const auto is_prose = [](std::string_view line) {
    return !line.empty() && line.front() != ' ' && line.find("  ") == std::string_view::npos;
  };
  // A line was broken where what comes next did not fit.
  const auto goes_on = [&](std::string_view line, std::string_view next) {
    return is_prose(next) && display_width(line) + 1 + display_width(next.substr(0, first_piece(next))) > written;
  };
  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::string paragraph(lines[i]);
    if (is_prose(lines[i])) {
      while (i + 1 < lines.size() && goes_on(lines[i], lines[i + 1])) paragraph.append(" ").append(lines[++i]);
      out += wrap_text(paragraph, width);
    } else if (paragraph.starts_with("  ") && paragraph.find(" > ") != std::string::npos) {
      // A chain of names, each line of which ends with the sign.
      while (paragraph.ends_with("> ") && i + 1 < lines.size()) paragraph += lines[++i].substr(2);
      out += wrap_text(std::string_view(paragraph).substr(2), width, "  ");
    } else {
      out += paragraph + "\n";
    }
  }
  return out;
}

std::string highlighted(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += highlighted_line(text.substr(0, end));
    if (end < text.size()) out += '\n';
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

}  // namespace olem::app

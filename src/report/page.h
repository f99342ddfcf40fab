#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace olem::internal {

// A page of HTML under construction. Every text that is given is escaped; only figure() and markup() take markup.
class Page {
 public:
  // The question in the heading, and the answer under it; an empty answer is left out.
  Page(std::string heading, std::string answer) : heading_(std::move(heading)), answer_(std::move(answer)) {}

  void section(std::string_view title);
  void subsection(std::string_view title);
  void paragraph(std::string_view text);
  // Small print, such as where the data come from.
  void byline(std::string_view text);
  void list(const std::vector<std::string>& entries);
  // What follows until unfold() is shown when its title is asked for, and when the page is printed.
  void fold(std::string_view title);
  void unfold();
  // Columns from the second on are aligned to the right, as numbers are, unless they hold words; cells of a row that is
  // shorter are empty.
  void table(const std::vector<std::string>& header, const std::vector<std::vector<std::string>>& rows,
             bool words = false);
  void figure(const std::string& svg, std::string_view caption);
  void markup(std::string_view html) { body_ += html; }

  // The whole document.
  std::string finish() const;

 private:
  std::string heading_;
  std::string answer_;
  std::string body_;
};

}  // namespace olem::internal

#include <fmt/format.h>

#include "core/text.h"
#include "olem/error.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

std::vector<std::string> listed_names(std::string_view text, const std::string& key) {
  if (text.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& field : first_record(text, ',', key).fields) {
    names.emplace_back(field.find_first_of(",\"") == std::string::npos ? std::string(trim(field)) : field);
    if (names.back().empty())
      throw Error::of_option(key, fmt::format("'{}' is not a list of names separated by commas.", text));
  }
  return names;
}

bool truth(std::string_view text, const std::string& key) {
  if (text != "true" && text != "false")
    throw Error::of_option(key, fmt::format("'{}' is not true or false.", show_text(text)));
  return text == "true";
}

}  // namespace

std::vector<std::string> read_option_keys() {
  return {"delimiter", "header", "no_header", "missing", "columns", "drop_columns"};
}

void set_read_option(ReadOptions& options, std::string_view given, std::string_view text) {
  const std::string key(given);
  if (key == "delimiter") {
    if (text != "tab" && text != "\\t" && text.size() > 1)
      throw Error::of_option(key, fmt::format("'{}' is not a single character or tab.", show_text(text)));
    options.delimiter = text.empty() ? '\0' : text.size() == 1 ? text.front() : '\t';
  } else if (key == "header") {
    options.header = truth(text, key) ? HeaderMode::kPresent : HeaderMode::kAbsent;
  } else if (key == "no_header") {
    options.header = truth(text, key) ? HeaderMode::kAbsent : HeaderMode::kPresent;
  } else if (key == "missing") {
    if (text != "error" && text != "drop")
      throw Error::of_option(key, fmt::format("'{}' is not one of: error, drop.", show_text(text)));
    options.missing = text == "drop" ? MissingPolicy::kDrop : MissingPolicy::kError;
  } else if (key == "columns") {
    options.columns = listed_names(text, key);
  } else if (key == "drop_columns") {
    options.drop_columns = listed_names(text, key);
  } else {
    throw Error(ErrorCategory::kUsage, fmt::format("There is no option '{}' of reading.", show_text(given)));
  }
}

}  // namespace olem

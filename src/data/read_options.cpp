#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "olem/error.h"
#include "olem/options.h"
#include "olem/remedy.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

struct NamedSeparator {
  std::string_view name;
  char separator;
};
constexpr NamedSeparator kNamedSeparators[] = {
    {"tab", '\t'}, {"\\t", '\t'}, {"space", ' '}, {"blank", ' '}, {"comma", ','}, {"semicolon", ';'}, {"pipe", '|'},
};

char parse_separator(std::string_view text) {
  if (text.empty()) return 0;
  if (text.size() == 1) return text.front();
  for (const NamedSeparator& known : kNamedSeparators) {
    if (text == known.name) return known.separator;
  }
  throw Error::of_option("delimiter", fmt::format("'{}' is not a single character, tab or space.", show_text(text)));
}

std::string separator_text(char separator) {
  if (separator == '\t') return "tab";
  return separator == ' ' ? "space" : std::string(1, separator);
}

char parse_decimal(std::string_view text) {
  if (text.empty()) return 0;
  if (text == "." || text == "point") return '.';
  if (text == "," || text == "comma") return ',';
  throw Error::of_option("decimal", fmt::format("'{}' is neither a point nor a comma.", show_text(text)));
}

bool parse_flag(std::string_view key, std::string_view text) {
  if (text == "true") return true;
  if (text == "false" || text.empty()) return false;
  throw Error::of_option(std::string(key), fmt::format("'{}' is neither true nor false.", show_text(text)));
}

std::optional<std::size_t> parse_line(std::string_view text) {
  std::size_t line = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), line);
  if (error != std::errc{} || stop != text.data() + text.size() || line == 0) return std::nullopt;
  return line;
}

std::vector<std::string> parse_words(std::string_view key, std::string_view text) {
  if (text.empty()) return {};
  const auto refuse = [&] {
    throw Error::of_option(std::string(key),
                           fmt::format("'{}' is not a list of words separated by commas.", show_text(text)));
  };
  std::vector<Record> records;
  try {
    records = split_records(text, ',', "");
  } catch (const Error&) {
    refuse();
  }
  if (records.size() != 1) refuse();
  for (const std::string& word : records[0].fields) {
    if (word.empty()) refuse();
  }
  return std::move(records[0].fields);
}

std::vector<LineRange> parse_lines(std::string_view text) {
  std::vector<LineRange> ranges;
  for (const std::string& part : parse_words("skip_lines", text)) {
    const std::size_t dash = part.find('-');
    const auto first = parse_line(trim(std::string_view(part).substr(0, dash)));
    const auto last = dash == std::string::npos ? first : parse_line(trim(std::string_view(part).substr(dash + 1)));
    if (!first || !last || *last < *first) {
      throw Error::of_option(
          "skip_lines",
          fmt::format("'{}' is not the number of a line, or of a first and a last one, such as 1-3.", show_text(part)),
          {{"Count the lines of the file from 1"}});
    }
    ranges.push_back({*first, *last});
  }
  return ranges;
}

// NAME=TYPE or NAME=TYPE:LEVEL,LEVEL. A name may hold = and :, a type cannot, so that the last = in front of a type
// separates.
DeclaredType parse_type(std::string_view text) {
  DeclaredType declared;
  for (std::size_t equals = text.find('='); equals != std::string_view::npos; equals = text.find('=', equals + 1)) {
    const std::string_view behind = text.substr(equals + 1);
    const std::size_t colon = std::min(behind.find(':'), behind.size());
    const auto type = find_column_type(trim(behind.substr(0, colon)));
    if (!type || equals == 0) continue;
    declared.name = text.substr(0, equals);
    declared.type = *type;
    if (colon == behind.size()) return declared;
    declared.levels = parse_words("type", behind.substr(colon + 1));
    if (!has_levels(*type)) {
      throw Error::of_option("type", fmt::format("'{}' names levels, but {} columns have none.", show_text(text),
                                                 column_type_name(*type)));
    }
    return declared;
  }
  const std::size_t equals = text.rfind('=');
  const std::vector<std::string> names = column_type_names();
  if (equals == std::string_view::npos || equals == 0) {
    throw Error::of_option("type",
                           fmt::format("'{}' is not a column and its type, such as vendor=category.", show_text(text)));
  }
  const std::string wrong(text.substr(equals + 1));
  const std::string near = closest_name(wrong, names);
  throw Error::of_option("type", fmt::format("'{}' is not a type. {}", show_text(wrong),
                                             near.empty() ? fmt::format("The types are {}.", fmt::join(names, ", "))
                                                          : fmt::format("Did you mean '{}'?", near)));
}

std::string type_text(const DeclaredType& declared) {
  std::string text = fmt::format("{}={}", declared.name, column_type_name(declared.type));
  if (!declared.levels.empty()) text += ":" + name_list(declared.levels);
  return text;
}

std::string lines_text(const std::vector<LineRange>& ranges) {
  std::vector<std::string> parts;
  for (const LineRange& range : ranges)
    parts.push_back(range.first == range.last ? fmt::format("{}", range.first)
                                              : fmt::format("{}-{}", range.first, range.last));
  return fmt::format("{}", fmt::join(parts, ","));
}

struct ReadOptionKey {
  std::string_view key;
  void (*set)(ReadOptions& options, std::string_view text);
};

void set_header(ReadOptions& options, bool given, HeaderMode mode) {
  if (given) {
    options.header = mode;
  } else if (options.header == mode) {
    options.header = HeaderMode::kAuto;
  }
}

constexpr ReadOptionKey kReadOptionKeys[] = {
    {"delimiter", [](ReadOptions& options, std::string_view text) { options.delimiter = parse_separator(text); }},
    {"decimal", [](ReadOptions& options, std::string_view text) { options.decimal = parse_decimal(text); }},
    {"header", [](ReadOptions& options,
                  std::string_view text) { set_header(options, parse_flag("header", text), HeaderMode::kPresent); }},
    {"no_header",
     [](ReadOptions& options, std::string_view text) {
       set_header(options, parse_flag("no_header", text), HeaderMode::kAbsent);
     }},
    {"skip_lines", [](ReadOptions& options, std::string_view text) { options.skip_lines = parse_lines(text); }},
    {"comment", [](ReadOptions& options, std::string_view text) { options.comment = text; }},
    {"missing",
     [](ReadOptions& options, std::string_view text) {
       if (text != "error" && text != "drop" && text != "impute")
         throw Error::of_option("missing", fmt::format("'{}' is neither error, drop nor impute.", show_text(text)));
       options.missing = text == "drop"     ? MissingPolicy::kDrop
                         : text == "impute" ? MissingPolicy::kImpute
                                            : MissingPolicy::kError;
     }},
    {"imputations",
     [](ReadOptions& options, std::string_view text) {
       constexpr std::size_t kMostImputations = 60;
       const std::optional<std::size_t> count = parse_line(text);
       if (!count || *count > kMostImputations)
         throw Error::of_option(
             "imputations", fmt::format("'{}' is not a whole number from 1 to {}.", show_text(text), kMostImputations));
       options.imputations = static_cast<int>(*count);
     }},
    {"na", [](ReadOptions& options, std::string_view text) { options.na = parse_words("na", text); }},
    {"columns", [](ReadOptions& options, std::string_view text) { options.columns = parse_words("columns", text); }},
    {"drop_columns",
     [](ReadOptions& options, std::string_view text) { options.drop_columns = parse_words("drop_columns", text); }},
    {"type", [](ReadOptions& options, std::string_view text) { options.types.push_back(parse_type(text)); }},
};

}  // namespace

std::vector<std::string> read_option_keys() {
  std::vector<std::string> keys;
  for (const ReadOptionKey& known : kReadOptionKeys) keys.emplace_back(known.key);
  return keys;
}

void set_read_option(ReadOptions& options, std::string_view key, std::string_view text) {
  for (const ReadOptionKey& known : kReadOptionKeys) {
    if (known.key == key) return known.set(options, text);
  }
  const std::string near = closest_name(key, read_option_keys());
  throw Error(ErrorCategory::kUsage, fmt::format("There is no option '{}' of reading.{}", show_text(key),
                                                 near.empty() ? "" : fmt::format(" Did you mean '{}'?", near)));
}

Json to_json(const ReadOptions& options) {
  Json json = Json::object();
  if (options.delimiter != 0) json["delimiter"] = separator_text(options.delimiter);
  if (options.decimal != 0) json["decimal"] = std::string(1, options.decimal);
  if (options.header == HeaderMode::kPresent) json["header"] = true;
  if (options.header == HeaderMode::kAbsent) json["no_header"] = true;
  if (!options.skip_lines.empty()) json["skip_lines"] = lines_text(options.skip_lines);
  if (!options.comment.empty()) json["comment"] = options.comment;
  if (options.missing == MissingPolicy::kDrop) json["missing"] = "drop";
  if (options.missing == MissingPolicy::kImpute) json["missing"] = "impute";
  if (options.imputations != ReadOptions().imputations) json["imputations"] = options.imputations;
  if (!options.na.empty()) json["na"] = name_list(options.na);
  if (!options.columns.empty()) json["columns"] = name_list(options.columns);
  if (!options.drop_columns.empty()) json["drop_columns"] = name_list(options.drop_columns);
  for (const DeclaredType& declared : options.types) json["type"].push_back(type_text(declared));
  return json;
}

}  // namespace olem

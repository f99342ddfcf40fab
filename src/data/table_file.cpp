#include "data/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "core/gunzip.h"
#include "core/text.h"
#include "olem/error.h"
#include "olem/file.h"
#include "olem/table.h"

namespace olem::internal {

namespace {

using namespace std::string_view_literals;

// Files that people take for tables, by their first bytes. In `convert`, FILE stands for the path.
struct ForeignFormat {
  std::string_view magic;
  std::string_view description;
  std::string_view convert;  // a command line; empty: there is none worth a line
};

constexpr std::string_view kPandas =
    "python3 -c \"import pandas; pandas.READ('FILE').to_csv('FILE.csv', index=False)\"";
constexpr std::string_view kRscript = "Rscript -e 'write.csv(READ(\"FILE\"), \"FILE.csv\", row.names = FALSE)'";
constexpr std::string_view kSpreadsheet = "soffice -headless -convert-to csv 'FILE'";

constexpr ForeignFormat kForeignFormats[] = {
    {"PAR1"sv, "a Parquet file", "pandas.read_parquet"},
    {"ARROW1"sv, "an Arrow (Feather) file", "pandas.read_feather"},
    {"FEA1"sv, "a Feather file", "pandas.read_feather"},
    {"ORC"sv, "an ORC file", "pandas.read_orc"},
    {"Obj\x01"sv, "an Avro file", ""},
    {"SQLite format 3\0"sv, "an SQLite data base", "sqlite3 -header -csv 'FILE' 'SELECT * FROM NAME' > 'FILE.csv'"},
    {"<stata_dta>"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x73\x01\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x73\x02\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x72\x01\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x72\x02\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x71\x01\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"\x71\x02\x01"sv, "a Stata file (.dta)", "pandas.read_stata"},
    {"$FL2"sv, "an SPSS file (.sav)", "pandas.read_spss"},
    {"$FL3"sv, "an SPSS file (.zsav)", "pandas.read_spss"},
    {"\0\0\0\0\0\0\0\0\0\0\0\0\xC2\xEA\x81\x60"sv, "a SAS file (.sas7bdat)", "pandas.read_sas"},
    {"HEADER RECORD*******"sv, "a SAS file (.xpt)", "pandas.read_sas"},
    {"MATLAB 5.0 MAT-file"sv, "a MATLAB file (.mat)", ""},
    {"\x89HDF"sv, "an HDF5 file", "pandas.read_hdf"},
    {"RDX2\n"sv, "an R workspace (.RData)", ""},
    {"RDX3\n"sv, "an R workspace (.RData)", ""},
    {"X\n\0\0\0"sv, "an R object (.rds)", "r.readRDS"},
    {"\x80\x02"sv, "a Python pickle", "pandas.read_pickle"},
    {"\x80\x03"sv, "a Python pickle", "pandas.read_pickle"},
    {"\x80\x04"sv, "a Python pickle", "pandas.read_pickle"},
    {"\x80\x05"sv, "a Python pickle", "pandas.read_pickle"},
    {"\xD0\xCF\x11\xE0"sv, "an old spreadsheet (.xls)", "spreadsheet"},
    {"%PDF-"sv, "a PDF document", ""},
    {"{\\rtf"sv, "a text document (.rtf)", ""},
    {"\xFD"
     "7zXZ"sv,
     "compressed with xz", "xz -dk 'FILE'"},
    {"\x28\xB5\x2F\xFD"sv, "compressed with zstd", "zstd -dk 'FILE'"},
    {"BZh"sv, "compressed with bzip2", "bzip2 -dk 'FILE'"},
    {"7z\xBC\xAF\x27\x1C"sv, "a 7z archive", "7z x 'FILE'"},
};

// A control character other than a tab or a line end near the beginning: what a column called PAR1 does not bring.
bool is_binary(std::string_view bytes) {
  constexpr std::size_t kLooked = 4096;
  const std::string_view beginning = bytes.substr(0, kLooked);
  return std::any_of(beginning.begin(), beginning.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t' && c != '\n' && c != '\r') || byte == 0x7F;
  });
}

bool is_text_format(std::string_view magic) {
  return magic == "%PDF-"sv || magic == "{\\rtf"sv || magic == "<stata_dta>"sv || magic == "HEADER RECORD*******"sv;
}

std::string with(std::string_view pattern, std::string_view mark, std::string_view text) {
  std::string result(pattern);
  for (std::size_t at = result.find(mark); at != std::string::npos; at = result.find(mark, at + text.size()))
    result.replace(at, mark.size(), text);
  return result;
}

std::string conversion(std::string_view convert, const std::string& source) {
  std::string command(convert);
  if (convert == "spreadsheet") command = kSpreadsheet;
  if (convert.starts_with("pandas.")) command = with(kPandas, "READ", convert.substr("pandas."sv.size()));
  if (convert.starts_with("r.")) command = with(kRscript, "READ", convert.substr("r."sv.size()));
  // A path that the shell or the language would take for something else is left to the reader.
  const bool plain = source != "standard input" && source.find_first_of("'\"\\$`") == std::string::npos &&
                     show_text(source, source.size()) == source;
  return with(command, "FILE", plain ? source : std::string("FILE"));
}

[[noreturn]] void refuse_format(std::string_view description, std::string_view convert, const std::string& source) {
  const std::string command = convert.empty() ? "" : conversion(convert, source);
  throw Error(ErrorCategory::kData,
              fmt::format("{}: The file is {}, not CSV or .npy. Export the data as CSV in UTF-8{}{}", source,
                          description, command.empty() ? "." : ": ", command));
}

// A zip archive by the name of its first member, which stands in the first bytes, or, since writers of spreadsheets
// begin with different members, by the list of members at its end.
void check_zip(std::string_view bytes, const std::string& source) {
  if (!bytes.starts_with("PK\x03\x04"sv)) return;
  constexpr std::size_t kNameOffset = 30;
  constexpr std::size_t kLooked = 200;
  const std::string_view name = bytes.substr(std::min(kNameOffset, bytes.size()), kLooked);
  if (name.starts_with("[Content_Types].xml") || name.starts_with("_rels/") || name.starts_with("xl/") ||
      bytes.find("xl/workbook.xml") != std::string_view::npos)
    refuse_format("a spreadsheet (.xlsx)", "pandas.read_excel", source);
  if (name.starts_with("mimetypeapplication/vnd.oasis.opendocument.spreadsheet"))
    refuse_format("a spreadsheet (.ods)", "spreadsheet", source);
  if (name.substr(0, name.find('\0')).find(".npy") != std::string_view::npos)
    refuse_format("a NumPy archive (.npz)",
                  "python3 -c \"import numpy; numpy.save('FILE.npy', numpy.load('FILE')['arr_0'])\"", source);
  refuse_format("a zip archive (a spreadsheet or other files)", "unzip 'FILE'", source);
}

// The mark of a tar archive stands behind the name of its first member.
void check_tar(std::string_view bytes, const std::string& source) {
  constexpr std::size_t kMarkOffset = 257;
  if (bytes.size() > kMarkOffset && bytes.substr(kMarkOffset).starts_with("ustar"))
    refuse_format("a tar archive", "tar -xf 'FILE'", source);
}

// JSON and documents of the web, which begin with letters.
void check_markup(std::string_view bytes, const std::string& source) {
  if (bytes.starts_with("\xEF\xBB\xBF")) bytes.remove_prefix(3);
  constexpr std::size_t kLooked = 1000;
  const std::string_view beginning = trim(bytes.substr(0, kLooked));
  const std::string lower = lower_case(beginning.substr(0, 32));
  for (const std::string_view tag : {"<!doctype html"sv, "<html"sv, "<table"sv, "<head"sv, "<body"sv}) {
    if (lower.starts_with(tag))
      refuse_format("an HTML page",
                    "python3 -c \"import pandas; pandas.read_html('FILE')[0].to_csv('FILE.csv', index=False)\"",
                    source);
  }
  if (lower.starts_with("<?xml"sv)) refuse_format("an XML file", "pandas.read_xml", source);
  if (beginning.empty()) return;
  const std::string_view behind = trim(beginning.substr(1));
  const bool object = beginning[0] == '{' && (behind.starts_with('"') || behind.starts_with('}'));
  const bool lines = object && behind.find("}\n{") != std::string_view::npos;
  const bool array = beginning[0] == '[' && (behind.starts_with('{') || behind.starts_with('['));
  if (lines)
    refuse_format("JSON, one object a line",
                  "python3 -c \"import pandas; pandas.read_json('FILE', lines=True).to_csv('FILE.csv', index=False)\"",
                  source);
  if (object || array) refuse_format("JSON", "pandas.read_json", source);
}

}  // namespace

std::string table_source(const std::string& path) { return path == "-" ? "standard input" : path; }

void check_table_format(std::string_view bytes, const std::string& source) {
  for (const ForeignFormat& format : kForeignFormats) {
    if (bytes.starts_with(format.magic) && (is_text_format(format.magic) || is_binary(bytes)))
      refuse_format(format.description, format.convert, source);
  }
  check_zip(bytes, source);
  check_tar(bytes, source);
  check_markup(bytes, source);
}

std::string read_table_file(const std::string& path, const Context& context) {
  std::error_code unknown;  // leaves what is wrong with the path to read_file, which says it better
  if (std::filesystem::is_regular_file(path, unknown)) {
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) {
      context.require_memory(static_cast<std::size_t>(std::min<std::uintmax_t>(size, SIZE_MAX)),
                             fmt::format("Reading {}", path));
    }
  }
  const std::string source = table_source(path);
  std::string content = read_file(path, context);
  if (is_gzip(content)) content = gunzip(content, source, context);
  if (is_gzip(content)) refuse_format("compressed with gzip twice", "gunzip 'FILE'", source);
  check_table_format(content, source);
  return content;
}

}  // namespace olem::internal

namespace olem {

void refuse_other_formats(std::string_view bytes, const std::string& source) {
  internal::check_table_format(bytes, source);
}

}  // namespace olem

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>

#include "olem/error.h"
#include "olem/file.h"
#include "olem/table.h"

namespace olem {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

// Files that people take for tables, by first bytes that no CSV file in UTF-8 begins with.
struct ForeignFormat {
  std::string_view magic;
  std::string_view description;
};
constexpr ForeignFormat kForeignFormats[] = {
    {"PK\x03\x04", "a zip archive, such as a spreadsheet (.xlsx, .ods) or .npz"},
    {"\xD0\xCF\x11\xE0", "an old spreadsheet (.xls)"},
    {"\x1F\x8B", "compressed with gzip"},
    {"\xFD"
     "7zXZ",
     "compressed with xz"},
    {"\x28\xB5\x2F\xFD", "compressed with zstd"},
    {"\x89HDF", "an HDF5 file"},
};

}  // namespace

ReadResult read_table(const std::string& path, const ReadOptions& options, const Context& context) {
  std::error_code unknown;  // leaves what is wrong with the path to read_file, which says it better
  if (std::filesystem::is_regular_file(path, unknown)) {
    const std::uintmax_t size = std::filesystem::file_size(path, unknown);
    if (!unknown) {
      context.require_memory(static_cast<std::size_t>(std::min<std::uintmax_t>(size, SIZE_MAX)),
                             fmt::format("Reading {}", path));
    }
  }
  const std::string content = read_file(path, context);
  const std::string source = path == "-" ? "standard input" : path;
  if (content.starts_with(kNpyMagic) || path.ends_with(".npy")) {
    return read_npy_bytes(content, source, options, context);
  }
  for (const ForeignFormat& format : kForeignFormats) {
    if (content.starts_with(format.magic)) {
      throw Error(ErrorCategory::kData, fmt::format("{}: The file is {}. Unpack it or export the data as CSV in UTF-8.",
                                                    source, format.description));
    }
  }
  return read_csv_text(content, source, options, context);
}

}  // namespace olem

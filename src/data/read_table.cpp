#include "data/table_file.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

}  // namespace

ReadResult read_table(const std::string& path, const ReadOptions& options, const Context& context) {
  const std::string content = read_table_file(path, context);
  const std::string source = table_source(path);
  if (content.starts_with(kNpyMagic) || path.ends_with(".npy")) {
    return read_npy_bytes(content, source, options, context);
  }
  return read_csv_text(content, source, options, context);
}

}  // namespace olem

#include <vector>

#include "core/gunzip.h"
#include "data/table_file.h"
#include "olem/column.h"
#include "support.h"

using namespace olem;
using namespace olem::internal;

// What stands before a table: gzip, and the signs of files that are no table. An input without the first bytes of gzip
// is taken for what follows them, so that most inputs get past them.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(fuzz::as_text(data, size));
  const std::string packed = is_gzip(bytes) ? bytes : std::string("\x1F\x8B\x08\0\0\0\0\0\0\3", 10) + bytes;
  const auto unpacked = fuzz::accepted([&] { return gunzip(packed, fuzz::kSource, fuzz::small_context()); });
  if (unpacked) {
    fuzz::require(unpacked->size() <= std::size_t{32} << 20U, "what is unpacked fits into memory");
    fuzz::accepted([&] { return read_csv_text(*unpacked, fuzz::kSource, {}, fuzz::small_context()); });
  }
  fuzz::accepted([&] {
    check_table_format(bytes, fuzz::kSource);
    return true;
  });
  return 0;
}

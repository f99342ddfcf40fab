#include "support.h"

using namespace olem;

// Tables in CSV, as they are and with incomplete rows left out.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  for (const MissingPolicy missing : {MissingPolicy::kError, MissingPolicy::kDrop}) {
    ReadOptions options;
    options.missing = missing;
    const auto read = fuzz::accepted(
        [&] { return read_csv_text(fuzz::as_text(data, size), fuzz::kSource, options, fuzz::small_context()); });
    if (read) fuzz::require_table_survives_csv(read->table);
  }
  return 0;
}

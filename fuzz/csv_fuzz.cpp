#include "support.h"

using namespace olem;

// Tables in CSV: as they are, with incomplete rows left out, and with every option that changes how text is read.
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<ReadOptions> ways(5);
  ways[1].missing = MissingPolicy::kDrop;
  ways[2].delimiter = ' ';
  ways[2].missing = MissingPolicy::kDrop;
  ways[3].decimal = ',';
  ways[3].header = HeaderMode::kPresent;
  ways[3].na = {"-999", "x"};
  ways[4].header = HeaderMode::kAbsent;
  ways[4].skip_lines = {{2, 2}};
  ways[4].comment = "%";
  ways[4].types = {{"V1", ColumnType::kCategory, {}}};
  for (const ReadOptions& options : ways) {
    const auto read = fuzz::accepted(
        [&] { return read_csv_text(fuzz::as_text(data, size), fuzz::kSource, options, fuzz::small_context()); });
    if (!read) continue;
    fuzz::require_table_survives_csv(read->table);
    // What was found out reads the same table.
    const Table again =
        read_csv_text(fuzz::as_text(data, size), fuzz::kSource, read->used, fuzz::small_context()).table;
    fuzz::require(again.names() == read->table.names() && again.about() == read->table.about(),
                  "the options that were found read the same table");
  }
  return 0;
}

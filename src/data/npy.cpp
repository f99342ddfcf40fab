#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "data/npy_header.h"
#include "data/reading.h"
#include "olem/error.h"
#include "olem/table.h"

namespace olem {

using namespace internal;

namespace {

// Where the numbers of a two-dimensional view of the array lie.
struct Layout {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;  // in bytes
  std::size_t column_stride = 0;
};

// Compares what the header says with the bytes that follow it. Afterwards every number of the layout lies inside them.
Layout lay_out(const NpyHeader& header, std::size_t data_bytes, const std::string& source) {
  if (header.shape.empty() || header.shape.size() > 2 || (header.structured && header.shape.size() != 1)) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The array has {}{}. Save one with rows and columns.", source,
                            counted(header.shape.size(), "dimension"),
                            header.structured ? " and a structured type" : ", but a table has 1 or 2"));
  }
  std::uint64_t needed = header.element_size;
  bool overflow = false;
  for (const std::uint64_t length : header.shape)
    overflow = __builtin_mul_overflow(needed, length, &needed) || overflow;
  if (overflow || needed != data_bytes) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The header announces an array of shape ({}) with {} bytes to an element, but {} bytes "
                            "follow it. The file is damaged; save the array again.",
                            source, fmt::join(header.shape, ", "), header.element_size, data_bytes));
  }
  Layout layout;
  layout.rows = header.shape[0];
  if (header.structured) {
    layout.columns = header.fields.size();
    layout.row_stride = header.element_size;
    return layout;
  }
  layout.columns = header.shape.size() == 2 ? header.shape[1] : 1;
  layout.row_stride = header.fortran_order ? header.element_size : header.element_size * layout.columns;
  layout.column_stride = header.fortran_order ? header.element_size * layout.rows : header.element_size;
  return layout;
}

using CopyNumbers = void (*)(const char* first, std::size_t stride, std::size_t count, double* out);

template <class Number, bool Swap>
void copy_numbers(const char* first, std::size_t stride, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    char bytes[sizeof(Number)];
    std::memcpy(bytes, first + i * stride, sizeof bytes);
    if constexpr (Swap) std::reverse(bytes, bytes + sizeof bytes);
    Number number;
    std::memcpy(&number, bytes, sizeof number);
    out[i] = static_cast<double>(number);
  }
}

void copy_booleans(const char* first, std::size_t stride, std::size_t count, double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = first[i * stride] != 0 ? 1.0 : 0.0;
}

template <class Number>
CopyNumbers with_order(bool big_endian) {
  return big_endian == (std::endian::native == std::endian::big) ? copy_numbers<Number, false>
                                                                 : copy_numbers<Number, true>;
}

CopyNumbers copy_of(const NpyField& field) {
  const bool big = field.big_endian;
  if (field.kind == 'b') return copy_booleans;
  if (field.kind == 'f') return field.size == 4 ? with_order<float>(big) : with_order<double>(big);
  const bool is_signed = field.kind == 'i';
  switch (field.size) {
    case 1: return is_signed ? with_order<std::int8_t>(big) : with_order<std::uint8_t>(big);
    case 2: return is_signed ? with_order<std::int16_t>(big) : with_order<std::uint16_t>(big);
    case 4: return is_signed ? with_order<std::int32_t>(big) : with_order<std::uint32_t>(big);
    default: return is_signed ? with_order<std::int64_t>(big) : with_order<std::uint64_t>(big);
  }
}

// Counts the rows with a number that is not finite and moves those that are used together.
void remove_incomplete_rows(std::vector<double>& values, std::size_t rows, const std::vector<std::size_t>& chosen,
                            const std::vector<double>& missing_values, MissingPolicy policy, MissingCells& missing) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    std::size_t gaps = 0;
    for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
      const double value = values[slot * rows + i];
      values[slot * rows + kept] = value;
      if (!std::isfinite(value) ||
          std::find(missing_values.begin(), missing_values.end(), value) != missing_values.end()) {
        missing.add(i + 1, chosen[slot]);
        values[slot * rows + kept] = std::numeric_limits<double>::quiet_NaN();
        ++gaps;
      }
    }
    const bool empty = gaps == chosen.size();
    missing.end_row(gaps == 0, empty);
    if (gaps == 0 || (policy == MissingPolicy::kImpute && !empty)) ++kept;
  }
}

}  // namespace

ReadResult read_npy_bytes(std::string_view bytes, const std::string& source, const ReadOptions& options,
                          const Context& context) {
  context.check_interrupt();
  const NpyHeader header = parse_npy_header(bytes, source);
  const Layout layout = lay_out(header, bytes.size() - header.data_offset, source);
  // Empty arrays may claim any number of columns, so they must go before anything is made for each column.
  if (layout.rows == 0 || layout.columns == 0) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: The array is empty. At least 2 rows and a column are needed.", source));
  }
  constexpr std::size_t kBytesPerColumn = 12 * sizeof(std::string);
  context.require_memory(layout.columns * kBytesPerColumn, fmt::format("The columns of {}", source));
  std::vector<std::string> names;
  if (header.structured) {
    for (const NpyField& field : header.fields) names.push_back(field.name);
  } else {
    names = numbered_column_names(layout.columns);
  }
  const std::vector<std::size_t> chosen = choose_columns(names, options, source);

  std::size_t cells = 0;
  std::size_t table_bytes = 0;
  if (__builtin_mul_overflow(layout.rows, chosen.size(), &cells) ||
      __builtin_mul_overflow(cells, sizeof(double), &table_bytes)) {
    table_bytes = SIZE_MAX;
  }
  context.require_memory(table_bytes, fmt::format("The table in {}", source));
  std::vector<double> values(cells);
  const char* const data = bytes.data() + header.data_offset;
  // Blocks of rows keep the lines of the cache that neighbouring columns share.
  constexpr std::size_t kBlockRows = 256;
  for (std::size_t first = 0; first < layout.rows; first += kBlockRows) {
    context.check_interrupt();
    const std::size_t count = std::min(kBlockRows, layout.rows - first);
    for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
      const NpyField& field = header.fields[header.structured ? chosen[slot] : 0];
      const char* const start = data + first * layout.row_stride + chosen[slot] * layout.column_stride + field.offset;
      copy_of(field)(start, layout.row_stride, count, values.data() + slot * layout.rows + first);
    }
  }
  MissingCells missing("row", names.size());
  remove_incomplete_rows(values, layout.rows, chosen, missing_numbers(options), options.missing, missing);
  missing.check(options, names, source);
  const std::size_t rows = missing.left(options.missing);
  close_up(values, chosen.size(), layout.rows, rows);
  std::vector<Column> about;
  about.reserve(chosen.size());
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    context.check_interrupt();
    Column found;
    if (header.fields[header.structured ? chosen[slot] : 0].kind == 'b') {
      found.type = ColumnType::kBinary;
      found.levels = {{0.0, "false"}, {1.0, "true"}};
      found.reason = "booleans";
    }
    about.push_back(finish_known({values.data() + slot * rows, rows}, [&](std::span<double> known) {
      return typed_column(names[chosen[slot]], known, options, found);
    }));
  }
  ReadResult result =
      finish_reading(names, chosen, std::move(values), std::move(about), missing, options.missing, source);
  result.used = options;
  return result;
}

}  // namespace olem

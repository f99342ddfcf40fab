#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace olem::internal {

// One number of an element.
struct NpyField {
  std::string name;        // empty unless the type of the array is structured
  char kind = 'f';         // f float, i signed, u unsigned, b boolean
  std::size_t size = 8;    // in bytes
  std::size_t offset = 0;  // in the element
  bool big_endian = false;
};

// What the first part of a .npy file says. Nothing in it has been compared with the size of the file.
struct NpyHeader {
  std::vector<NpyField> fields;  // one unless structured
  bool structured = false;
  std::size_t element_size = 0;
  bool fortran_order = false;
  std::vector<std::uint64_t> shape;
  std::size_t data_offset = 0;  // never beyond the end of `bytes`
};

// Parses the header of format versions 1.0, 2.0 and 3.0. Throws a data error that names `source` for anything else, a
// header that is cut off or malformed, and types other than f4, f8, i1..i8, u1..u8, b1 and structures of these.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& source);

}  // namespace olem::internal

#include "data/npy_header.h"

#include <fmt/format.h>

#include <charconv>

#include "data/reading.h"
#include "olem/error.h"

namespace olem::internal {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the subset of Python's literals that NumPy writes into headers, such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (853, 11), }
class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void parse(NpyHeader& header) {
    bool has_type = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      expect(':');
      if (key == "descr" && !has_type) {
        parse_type(header);
        has_type = true;
      } else if (key == "fortran_order" && !has_order) {
        header.fortran_order = parse_boolean();
        has_order = true;
      } else if (key == "shape" && !has_shape) {
        header.shape = parse_shape();
        has_shape = true;
      } else {
        fail();
      }
      if (!accept(',') && !at('}')) fail();
    }
    if (!has_type || !has_order || !has_shape) fail();
    skip_blanks();
    if (position_ != text_.size()) fail();
  }

 private:
  [[noreturn]] void fail() const {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}: The header of the .npy file is malformed at byte {}, near '{}'. Save the array again with "
                    "numpy.save.",
                    source_, position_, show_text(text_.substr(position_), 20)));
  }

  [[noreturn]] void fail_type(const std::string& type) const {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: Arrays of type '{}' cannot be read. Convert the array to float64 with "
                            "array.astype('float64') before saving it.",
                            source_, show_text(type)));
  }

  void skip_blanks() {
    while (position_ < text_.size() && std::string_view(" \t\r\n").find(text_[position_]) != std::string_view::npos) {
      ++position_;
    }
  }

  bool at(char c) {
    skip_blanks();
    return position_ < text_.size() && text_[position_] == c;
  }

  bool accept(char c) {
    if (!at(c)) return false;
    ++position_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) fail();
  }

  std::string parse_string() {
    const char quote = at('"') ? '"' : '\'';
    expect(quote);
    std::string value;
    while (position_ < text_.size() && text_[position_] != quote) {
      if (text_[position_] == '\\') {
        ++position_;
        // Other escapes stand for characters that nobody needs in the name of a column.
        if (position_ == text_.size() || std::string_view("\\'\"").find(text_[position_]) == std::string_view::npos) {
          fail();
        }
      }
      value += text_[position_++];
    }
    if (position_ == text_.size()) fail();
    ++position_;
    return value;
  }

  bool parse_boolean() {
    skip_blanks();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(position_).starts_with(word)) {
        position_ += word.size();
        return value;
      }
    }
    fail();
  }

  std::vector<std::uint64_t> parse_shape() {
    std::vector<std::uint64_t> shape;
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      std::uint64_t length = 0;
      const char* const first = text_.data() + position_;
      const auto [stop, error] = std::from_chars(first, text_.data() + text_.size(), length);
      if (error != std::errc{}) fail();
      position_ += static_cast<std::size_t>(stop - first);
      shape.push_back(length);
      if (!accept(',') && !at(')')) fail();
    }
    return shape;
  }

  void parse_type(NpyHeader& header) {
    if (!at('[')) {
      add_field(header, "", parse_string());
      return;
    }
    header.structured = true;
    expect('[');
    while (!accept(']')) {
      expect('(');
      if (at('(')) fail_structure("a field with a title");
      std::string name = parse_string();
      expect(',');
      if (at('[')) fail_structure("a structure inside a structure");
      const std::string type = parse_string();
      if (accept(',') && !at(')')) fail_structure("an array inside a structure");
      expect(')');
      if (!skip_padding(header, name, type)) add_field(header, std::move(name), type);
      if (!accept(',') && !at(']')) fail();
    }
  }

  [[noreturn]] void fail_structure(std::string_view what) const {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}: The type of the array has {}, which cannot be read. Save an array with two dimensions, or "
                    "a structured one with simple named fields.",
                    source_, what));
  }

  // Aligned structures have fields without a name and of type |V<bytes> as gaps.
  bool skip_padding(NpyHeader& header, const std::string& name, const std::string& type) {
    if (!name.empty() || !type.starts_with("|V")) return false;
    grow(header, parse_size(type), type);
    return true;
  }

  std::size_t parse_size(const std::string& type) const {
    std::size_t size = 0;
    const char* const last = type.data() + type.size();
    if (type.size() < 3) fail_type(type);
    const auto [stop, error] = std::from_chars(type.data() + 2, last, size);
    if (error != std::errc{} || stop != last) fail_type(type);
    return size;
  }

  void grow(NpyHeader& header, std::size_t size, const std::string& type) const {
    if (__builtin_add_overflow(header.element_size, size, &header.element_size)) fail_type(type);
  }

  void add_field(NpyHeader& header, std::string name, const std::string& type) const {
    NpyField field;
    field.size = parse_size(type);
    field.kind = type[1];
    const bool known = (field.kind == 'f' && (field.size == 4 || field.size == 8)) ||
                       ((field.kind == 'i' || field.kind == 'u') &&
                        (field.size == 1 || field.size == 2 || field.size == 4 || field.size == 8)) ||
                       (field.kind == 'b' && field.size == 1);
    if (!known) fail_type(type);
    if (type[0] != '<' && type[0] != '>' && !(type[0] == '|' && field.size == 1)) fail_type(type);
    field.name = std::move(name);
    field.offset = header.element_size;
    field.big_endian = type[0] == '>';
    header.fields.push_back(std::move(field));
    grow(header, header.fields.back().size, type);
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t position_ = 0;
};

}  // namespace

NpyHeader parse_npy_header(std::string_view bytes, const std::string& source) {
  const auto byte = [bytes](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const auto cut_off = [&source] {
    return Error(
        ErrorCategory::kData,
        fmt::format("{}: The .npy file ends inside its header. Save the array again with numpy.save.", source));
  };
  if (!bytes.starts_with(kMagic)) {
    throw Error(
        ErrorCategory::kData,
        fmt::format("{}: This is not a .npy file: it does not begin as one. Rename a CSV file to .csv.", source));
  }
  const std::size_t version_at = kMagic.size();
  if (bytes.size() < version_at + 2) throw cut_off();
  const std::size_t major = byte(version_at);
  if (major < 1 || major > 3 || byte(version_at + 1) != 0) {
    throw Error(ErrorCategory::kData,
                fmt::format("{}: Version {}.{} of the .npy format is unknown; 1.0, 2.0 and 3.0 can be read. Save the "
                            "array with another release of NumPy, or as CSV.",
                            source, major, byte(version_at + 1)));
  }
  const std::size_t length_at = version_at + 2;
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  if (bytes.size() < length_at + length_bytes) throw cut_off();
  std::size_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= byte(length_at + i) << (8 * i);
  const std::size_t text_at = length_at + length_bytes;
  if (length > bytes.size() - text_at) throw cut_off();

  NpyHeader header;
  header.data_offset = text_at + length;
  HeaderParser(bytes.substr(text_at, length), source).parse(header);
  return header;
}

}  // namespace olem::internal

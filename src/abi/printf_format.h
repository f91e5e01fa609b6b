// Parses the conversion specifications of OpenCL C printf (OpenCL C 6.15.14.2). It is shared by the
// pass that packs the arguments (work_item/lower_printf.cpp) and the host function that prints them
// (device_printf.h). Both therefore agree on the size of each argument.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

struct PrintfConversion {
  enum class Length : uint8_t { none, hh, h, hl, l };

  std::string flags; // from "-+ #0", in the order written
  std::optional<unsigned> width;
  std::optional<unsigned> precision;
  unsigned vector_size = 0; // 0: no vector specifier
  Length length = Length::none;
  char specifier = 0; // one of d i o u x X f F e E g G a A c s p %

  bool is_float() const;
  bool is_signed() const { return specifier == 'd' || specifier == 'i'; }

  // Layout of the packed argument: `element_count` elements of `element_size` bytes. Vectors of 3
  // have space for 4. "%%" has no argument.
  unsigned element_size() const;
  unsigned element_count() const { return vector_size ? vector_size : 1; }
  unsigned packed_size() const;
};

// Removes the next piece from `format`: text up to a `%` (returned in `text`), or one conversion.
// `malformed` is set when a `%` begins nothing that section 6.15.14.2 defines; the rest of the
// format is then unusable.
struct PrintfPiece {
  std::string_view text;
  std::optional<PrintfConversion> conversion;
  bool malformed = false;
};
PrintfPiece next_printf_piece(std::string_view &format);

// The arguments of the conversion %s.
struct PrintfString {
  uint32_t offset; // in the packed arguments
  uint32_t limit;  // the precision: most characters that are printed
};
std::vector<PrintfString> printf_strings(std::string_view format);

} // namespace lockstep::compiler

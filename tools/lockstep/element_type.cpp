#include "tools/lockstep/element_type.h"

#include <array>
#include <charconv>
#include <fmt/format.h>

namespace lockstep::cli {
namespace {

struct Row {
  std::string_view name;
  Scalar scalar;
};

constexpr auto scalars = std::to_array<Row>({
    {"char", Scalar::int8},
    {"uchar", Scalar::uint8},
    {"short", Scalar::int16},
    {"ushort", Scalar::uint16},
    {"int", Scalar::int32},
    {"uint", Scalar::uint32},
    {"long", Scalar::int64},
    {"ulong", Scalar::uint64},
    {"half", Scalar::float16},
    {"float", Scalar::float32},
    {"double", Scalar::float64},
});

} // namespace

size_t scalar_size(Scalar scalar) {
  switch (scalar) {
  case Scalar::int8:
  case Scalar::uint8:
    return 1;
  case Scalar::int16:
  case Scalar::uint16:
  case Scalar::float16:
    return 2;
  case Scalar::int32:
  case Scalar::uint32:
  case Scalar::float32:
    return 4;
  case Scalar::int64:
  case Scalar::uint64:
  case Scalar::float64:
    return 8;
  }
  return 0;
}

bool is_floating(Scalar scalar) {
  return scalar >= Scalar::float16;
}

Result<ElementType> parse_element_type(std::string_view text) {
  size_t letters = text.find_first_of("0123456789");
  std::string_view name = text.substr(0, letters);
  uint32_t width = 1;
  bool width_is_number = true;
  if (letters != std::string_view::npos) {
    auto [end, error] = std::from_chars(text.data() + letters, text.data() + text.size(), width);
    width_is_number = error == std::errc() && end == text.data() + text.size() &&
                      (width == 2 || width == 3 || width == 4 || width == 8 || width == 16);
  }
  for (const Row &row : scalars)
    if (row.name == name && width_is_number)
      return ElementType{row.scalar, width, std::string(text)};
  return Error{
      ErrorKind::invalid_argument,
      fmt::format(
          "'{}' is not a type; expected char, uchar, short, ushort, int, uint, long, ulong, half, "
          "float or double, or a vector of them such as float4 (2, 3, 4, 8, 16)",
          text)};
}

} // namespace lockstep::cli

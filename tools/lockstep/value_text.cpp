#include "tools/lockstep/value_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace lockstep::cli {
namespace {

// Calls `body` with a value of the C++ type of `scalar`.
template <class Body> auto with_type(Scalar scalar, Body body) {
  switch (scalar) {
  case Scalar::int8:
    return body(int8_t());
  case Scalar::uint8:
    return body(uint8_t());
  case Scalar::int16:
    return body(int16_t());
  case Scalar::uint16:
    return body(uint16_t());
  case Scalar::int32:
    return body(int32_t());
  case Scalar::uint32:
    return body(uint32_t());
  case Scalar::int64:
    return body(int64_t());
  case Scalar::uint64:
    return body(uint64_t());
  case Scalar::float16:
    return body(_Float16());
  case Scalar::float32:
    return body(float());
  case Scalar::float64:
    break;
  }
  return body(double());
}

template <class T>
constexpr bool floating = std::is_floating_point_v<T> || std::is_same_v<T, _Float16>;

template <class T> T load(const std::byte *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class T> void store(std::byte *to, T value) {
  std::memcpy(to, &value, sizeof value);
}

template <class T> Result<void> parse_integer(std::byte *to, std::string_view text) {
  std::string_view digits = text;
  bool negative = digits.starts_with('-');
  if (negative || digits.starts_with('+'))
    digits.remove_prefix(1);
  bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  if (hexadecimal)
    digits.remove_prefix(2);
  uint64_t magnitude = 0;
  auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude,
                                      hexadecimal ? 16 : 10);
  if (digits.empty() || error == std::errc::invalid_argument ||
      end != digits.data() + digits.size())
    return Error{ErrorKind::invalid_argument, fmt::format("'{}' is not a whole number", text)};
  uint64_t limit = negative
                       ? (std::is_signed_v<T> ? uint64_t(std::numeric_limits<T>::max()) + 1 : 0)
                       : uint64_t(std::numeric_limits<T>::max());
  // 0xffffffff is a usual way to write an int with all bits set.
  if (hexadecimal && !negative)
    limit = uint64_t(std::make_unsigned_t<T>(~uint64_t(0)));
  if (error == std::errc::result_out_of_range || magnitude > limit)
    return Error{ErrorKind::invalid_argument,
                 fmt::format("{} does not fit into {} bits", text, 8 * sizeof(T))};
  store(to, T(negative ? 0 - magnitude : magnitude));
  return {};
}

Result<void> parse_float(Scalar scalar, std::byte *to, std::string_view text) {
  std::string copy(text);
  if (copy.ends_with('f') && copy != "inf" && !copy.starts_with("0x"))
    copy.pop_back();
  char *end = nullptr;
  double value = std::strtod(copy.c_str(), &end);
  if (copy.empty() || *end)
    return Error{ErrorKind::invalid_argument, fmt::format("'{}' is not a number", text)};
  // Parsing as double first would round a float twice.
  if (scalar == Scalar::float32)
    store(to, std::strtof(copy.c_str(), &end));
  else
    write_rounded(scalar, to, value);
  return {};
}

} // namespace

Result<void> write_number(Scalar scalar, std::byte *to, std::string_view text) {
  return with_type(scalar, [&](auto type) -> Result<void> {
    using T = decltype(type);
    if constexpr (floating<T>)
      return parse_float(scalar, to, text);
    else
      return parse_integer<T>(to, text);
  });
}

void write_rounded(Scalar scalar, std::byte *to, double value) {
  with_type(scalar, [&](auto type) { store(to, static_cast<decltype(type)>(value)); });
}

void write_integer(Scalar scalar, std::byte *to, int64_t value) {
  with_type(scalar, [&](auto type) { store(to, static_cast<decltype(type)>(value)); });
}

double read_number(Scalar scalar, const std::byte *from) {
  return with_type(scalar,
                   [&](auto type) { return static_cast<double>(load<decltype(type)>(from)); });
}

std::string number_text(Scalar scalar, const std::byte *from) {
  return with_type(scalar, [&](auto type) {
    using T = decltype(type);
    if constexpr (std::is_same_v<T, _Float16>)
      return fmt::format("{}", static_cast<float>(load<T>(from)));
    else if constexpr (sizeof(T) == 1)
      return fmt::format("{}", static_cast<int>(load<T>(from)));
    else
      return fmt::format("{}", load<T>(from));
  });
}

std::string element_text(const ElementType &type, const std::byte *from) {
  if (type.width == 1)
    return number_text(type.scalar, from);
  std::string text = "(";
  for (uint32_t lane = 0; lane < type.width; ++lane)
    text += (lane ? ", " : "") + number_text(type.scalar, from + lane * scalar_size(type.scalar));
  return text + ")";
}

Difference compare(const ElementType &type, std::span<const std::byte> actual,
                   std::span<const std::byte> expected, double tolerance) {
  Difference result;
  size_t step = scalar_size(type.scalar);
  for (size_t element = 0; element < std::min(actual.size(), expected.size()) / type.size();
       ++element) {
    for (uint32_t lane = 0; lane < type.width; ++lane) {
      size_t at = element * type.size() + lane * step;
      if (std::memcmp(&actual[at], &expected[at], step) == 0)
        continue;
      double a = read_number(type.scalar, &actual[at]), b = read_number(type.scalar, &expected[at]);
      if (is_floating(type.scalar) && (a == b || (std::isnan(a) && std::isnan(b))))
        continue;
      double distance = std::abs(a - b);
      if (std::isnan(distance))
        distance = std::numeric_limits<double>::infinity();
      result.largest = std::max(result.largest, distance);
      if (tolerance > 0 && distance <= tolerance * std::max(1.0, std::abs(b)))
        continue;
      if (result.count++ == 0) {
        result.first_element = element;
        result.first_lane = lane;
      }
    }
  }
  return result;
}

} // namespace lockstep::cli

#include "abi/printf_format.h"

#include <algorithm>

namespace lockstep::compiler {
namespace {

// The largest width and precision. Wider fields are rejected: no reader needs them, and they would
// consume the host's memory.
constexpr unsigned largest_number = 1u << 20;

bool take(std::string_view &text, std::string_view prefix) {
  if (!text.starts_with(prefix))
    return false;
  text.remove_prefix(prefix.size());
  return true;
}

// Parses decimal digits; returns nothing if there are none, and at most `largest_number` + 1.
std::optional<unsigned> take_number(std::string_view &text) {
  size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  unsigned number = 0;
  for (char digit : text.substr(0, digits))
    number = std::min(number * 10 + static_cast<unsigned>(digit - '0'), largest_number + 1);
  text.remove_prefix(digits);
  return digits ? std::optional(number) : std::nullopt;
}

PrintfConversion::Length take_length(std::string_view &text) {
  using Length = PrintfConversion::Length;
  constexpr std::pair<std::string_view, Length> lengths[] = {
      {"hh", Length::hh},
      {"hl", Length::hl},
      {"h", Length::h},
      // ll and j are C's, z and t OpenCL C 3.1's; all are 64 bits wide here.
      {"ll", Length::l},
      {"l", Length::l},
      {"z", Length::l},
      {"t", Length::l},
      {"j", Length::l}};
  for (auto [name, length] : lengths)
    if (take(text, name))
      return length;
  return Length::none;
}

bool is_vector_size(unsigned size) {
  return size == 2 || size == 3 || size == 4 || size == 8 || size == 16;
}

// Parses the text after the `%`.
std::optional<PrintfConversion> take_conversion(std::string_view &format) {
  PrintfConversion result;
  size_t flags = std::min(format.find_first_not_of("-+ #0"), format.size());
  result.flags = format.substr(0, flags);
  format.remove_prefix(flags);
  result.width = take_number(format);
  if (take(format, "."))
    result.precision = take_number(format).value_or(0);
  if (take(format, "v")) {
    result.vector_size = take_number(format).value_or(0);
    if (!is_vector_size(result.vector_size))
      return std::nullopt;
  }
  result.length = take_length(format);
  std::string_view specifiers = result.vector_size ? "dioxuXfFeEgGaA" : "dioxuXfFeEgGaAcsp%";
  if (format.empty() || specifiers.find(format.front()) == specifiers.npos ||
      result.width.value_or(0) > largest_number || result.precision.value_or(0) > largest_number)
    return std::nullopt;
  result.specifier = format.front();
  format.remove_prefix(1);
  return result;
}

} // namespace

bool PrintfConversion::is_float() const {
  return std::string_view("fFeEgGaA").find(specifier) != std::string_view::npos;
}

unsigned PrintfConversion::element_size() const {
  if (specifier == '%')
    return 0;
  if (specifier == 's' || specifier == 'p')
    return 8;
  if (!vector_size) // C's promotions: char and short to int, float to double
    return is_float() || length == Length::l ? 8 : 4;
  switch (length) {
  case Length::hh:
    return 1;
  case Length::h:
    return 2;
  case Length::hl:
    return 4;
  case Length::l:
    return 8;
  case Length::none:
    break; // not allowed with vectors; treated as C treats a scalar
  }
  return is_float() ? 8 : 4;
}

unsigned PrintfConversion::packed_size() const {
  return element_size() * (vector_size == 3 ? 4 : element_count());
}

PrintfPiece next_printf_piece(std::string_view &format) {
  PrintfPiece piece;
  size_t percent = std::min(format.find('%'), format.size());
  if (percent > 0) {
    piece.text = format.substr(0, percent);
    format.remove_prefix(percent);
    return piece;
  }
  if (take(format, "%")) {
    piece.conversion = take_conversion(format);
    piece.malformed = !piece.conversion;
  }
  return piece;
}

std::vector<PrintfString> printf_strings(std::string_view format) {
  std::vector<PrintfString> strings;
  uint32_t end = 0;
  while (!format.empty()) {
    const PrintfPiece piece = next_printf_piece(format);
    if (piece.malformed)
      break;
    const uint32_t size = piece.conversion ? piece.conversion->packed_size() : 0;
    if (size == 0)
      continue;
    const uint32_t offset = (end + size - 1) / size * size;
    if (piece.conversion->specifier == 's')
      strings.push_back({offset, piece.conversion->precision.value_or(~uint32_t{0})});
    end = offset + size;
  }
  return strings;
}

} // namespace lockstep::compiler

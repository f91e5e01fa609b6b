#include "support/json.h"

#include <cstddef>
#include <fmt/format.h>

namespace lockstep {

namespace {

struct Sequence {
  std::size_t length; // in bytes, at least 1
  bool is_valid;
};

// The first character of the text (RFC 3629), or the longest invalid prefix that could begin one.
Sequence first_of(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80)
    return {1, true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4)
    return {1, false};
  // Excludes overlong encodings, UTF-16 surrogates, and code points beyond U+10FFFF.
  unsigned least = 0x80, most = 0xbf;
  if (first == 0xe0)
    least = 0xa0;
  else if (first == 0xed)
    most = 0x9f;
  else if (first == 0xf0)
    least = 0x90;
  else if (first == 0xf4)
    most = 0x8f;
  for (std::size_t i = 1; i != length; ++i) {
    if (i == text.size() || byte(i) < least || byte(i) > most)
      return {i, false};
    least = 0x80;
    most = 0xbf;
  }
  return {length, true};
}

} // namespace

std::string json_string(std::string_view text) {
  std::string result = "\"";
  while (!text.empty()) {
    const auto [length, is_valid] = first_of(text);
    const char c = text.front();
    if (!is_valid) {
      result += "\xef\xbf\xbd";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      result += fmt::format("\\u{:04x}", unsigned(c));
    } else {
      if (c == '"' || c == '\\')
        result += '\\';
      result += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  return result + '"';
}

} // namespace lockstep

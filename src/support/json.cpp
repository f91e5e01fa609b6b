#include "support/json.h"

#include <fmt/format.h>

namespace lockstep {

std::string json_string(std::string_view text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\')
      result += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      result += fmt::format("\\u{:04x}", unsigned(c));
    else
      result += c;
  }
  return result + '"';
}

} // namespace lockstep

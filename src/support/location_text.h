// Formats a place in the source of a kernel for messages.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

// "a.cl:12:5"; empty: not known. The line or column may be 0, and the file empty.
inline std::string location_text(const std::string &file, uint32_t line, uint32_t column) {
  if (line == 0)
    return "";
  const std::string text = (file.empty() ? "<source>" : file) + ':' + std::to_string(line);
  return column ? text + ':' + std::to_string(column) : text;
}

} // namespace lockstep

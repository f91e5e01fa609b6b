// Lines of source files, for reports of programs that do not carry their source.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::runtime {

// Without leading and trailing blanks. `directory`: that `file` may be relative to. Empty: the file
// cannot be read, has no such line, or is newer than the program, so that its lines may be others.
std::string line_of_source(const std::string &directory, const std::string &file, uint32_t line);

} // namespace lockstep::runtime

// Where in its source a place of the program's own code is, as far as debug information says.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::compiler {

struct HostCodePlace {
  std::string file, function; // empty: not known
  uint32_t line = 0, column = 0;
};

HostCodePlace place_of_host_code(const void *address);

} // namespace lockstep::compiler

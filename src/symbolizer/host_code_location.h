// Finds the source location of an address in the program's own code, as far as debug information
// has it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

struct HostCodeLocation {
  std::string file, function; // empty: not known
  uint32_t line = 0, column = 0;
};

HostCodeLocation location_of_host_code(const void *address);
// Also of the functions that this place was inlined into, the innermost one first.
std::vector<HostCodeLocation> inlined_at_host_code(const void *address);

} // namespace lockstep::compiler

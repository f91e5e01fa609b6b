// What machine code may call in this process, as data (host_functions.def).
#pragma once

#include <span>

namespace lockstep::compiler {

struct HostFunction {
  const char *symbol; // as machine code names it
  void *address;
};

std::span<const HostFunction> host_functions();

} // namespace lockstep::compiler

// What machine code may call in this process, as data (host_functions.def, library_functions.def).
#pragma once

#include <span>
#include <string_view>

namespace lockstep::compiler {

struct HostFunction {
  const char *symbol; // as machine code names it
  void *address;
};

std::span<const HostFunction> host_functions();

// Is it one of the C library's functions that LLVM makes calls to?
bool is_library_function(std::string_view symbol);

} // namespace lockstep::compiler

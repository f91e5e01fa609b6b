// Lists the functions that machine code may call in this process (host_functions.def,
// library_functions.def).
#pragma once

#include <span>
#include <string_view>

namespace lockstep::compiler {

struct HostFunction {
  const char *symbol; // the name in machine code
  void *address;
};

std::span<const HostFunction> host_functions();

// True for functions of the C library that LLVM generates calls to.
bool is_library_function(std::string_view symbol);

} // namespace lockstep::compiler

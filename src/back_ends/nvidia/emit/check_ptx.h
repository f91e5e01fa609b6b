// Checks PTX for faults that LLVM does not report and that the driver rejects.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::compiler {

// The first fault, as a sentence; empty: there is none. A fault is a declared name that PTX does not
// accept, or a function or variable that is declared but not defined. Memory that the launch gives
// (`.extern .shared`) is no fault.
std::string fault_in_ptx(std::string_view text);

} // namespace lockstep::compiler

// Replaces calls that throw in the standard library, or that end the program, by traps. The runtime
// reports a trap as a fault of the kernel. In the user's own code a throw is an error
// (device_rules.h). The replacement must precede writing the bitcode: clang calls __cxa_throw with
// pointers of the wrong address space, and LLVM rejects such bitcode.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace lockstep::driver {

// Returns true for functions that throw or end the program.
bool ends_the_kernel(llvm::StringRef mangled_name);

void replace_throws(llvm::Module &module);

} // namespace lockstep::driver

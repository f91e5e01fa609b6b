// What throws in the standard library, or ends the program, ends a kernel: the calls become traps, which the runtime
// reports as a fault of the kernel. (In the user's own code a throw is an error: device_rules.h.) It must be done before
// bitcode is written: clang calls __cxa_throw with pointers of the wrong address space, which no reader takes.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace llvm {
class Module;
}

namespace lockstep::driver {

// Is it a function that throws, or ends the program?
bool ends_the_kernel(llvm::StringRef mangled_name);

void replace_throws(llvm::Module &module);

} // namespace lockstep::driver

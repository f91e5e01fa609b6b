// Finds the kernel in a module, from link-device-library to the finished work-group function.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace lockstep::compiler {

inline constexpr char kernel_symbol[] = "lockstep.kernel";       // from link-device-library on
inline constexpr char workgroup_symbol[] = "lockstep.workgroup"; // from lower-launch on

// The symbols of the coroutine form (resumable_abi.h).
inline constexpr char start_symbol[] = "lockstep.start";
inline constexpr char resume_symbol[] = "lockstep.resume";

// The function named kernel_symbol. Without one, the only function with a body that is not out of
// line: IR tests may use any name.
llvm::Function *kernel_function(llvm::Module &module);

// The out-of-line functions, callees before their callers.
llvm::SmallVector<llvm::Function *> out_of_line_functions_of(llvm::Module &module);

} // namespace lockstep::compiler

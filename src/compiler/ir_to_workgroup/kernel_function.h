// Finding the kernel in a module on its way to a work-group function.
#pragma once

#include "llvm/ADT/SmallVector.h"

namespace llvm {
class Function;
class Module;
} // namespace llvm

namespace lockstep::compiler {

inline constexpr char kernel_symbol[] = "lockstep.kernel";       // from link-device-library on
inline constexpr char workgroup_symbol[] = "lockstep.workgroup"; // from lower-launch on

// The resumable form has these instead (resumable_abi.h).
inline constexpr char start_symbol[] = "lockstep.start";
inline constexpr char resume_symbol[] = "lockstep.resume";

// The function named kernel_symbol, else the only function with a body that is not kept beside a kernel (IR tests need
// not use our name).
llvm::Function *kernel_function(llvm::Module &module);

// Functions that stay beside the kernel, those first that are called by others of them.
llvm::SmallVector<llvm::Function *> kept_functions(llvm::Module &module);

} // namespace lockstep::compiler

// Out-of-line functions: functions that are not inlined into the kernel (docs/kernel_ir.md,
// "Functions that are kept out of line").
#pragma once

#include "llvm/IR/Function.h"

namespace lockstep::compiler {

// Function attribute, from keep-out-of-line on.
inline constexpr char out_of_line_function[] = "lockstep-out-of-line";

// Attribute of out-of-line functions that read or write an image; the image descriptor is their
// first argument.
inline constexpr char image_access_function[] = "lockstep-image-access";

inline bool is_out_of_line(const llvm::Function &function) {
  return function.hasFnAttribute(out_of_line_function);
}

} // namespace lockstep::compiler

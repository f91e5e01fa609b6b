// Functions that stay functions beside the kernel (docs/kernel_ir.md, "Functions that are kept").
#pragma once

#include "llvm/IR/Function.h"

namespace lockstep::compiler {

// Function attribute, from keep-functions on.
inline constexpr char kept_function[] = "lockstep-kept-function";

// Of those that read or write an image, whose descriptor is their first argument.
inline constexpr char image_access_function[] = "lockstep-image-access";

inline bool is_kept(const llvm::Function &function) {
  return function.hasFnAttribute(kept_function);
}

} // namespace lockstep::compiler

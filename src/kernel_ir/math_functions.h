// Intrinsics that become calls of the C library, one for each element of a vector.
#pragma once

#include "llvm/IR/Intrinsics.h"

namespace lockstep::compiler {

inline bool is_maths_function(llvm::Intrinsic::ID intrinsic) {
  switch (intrinsic) {
  case llvm::Intrinsic::sin:
  case llvm::Intrinsic::cos:
  case llvm::Intrinsic::tan:
  case llvm::Intrinsic::exp:
  case llvm::Intrinsic::exp2:
  case llvm::Intrinsic::exp10:
  case llvm::Intrinsic::log:
  case llvm::Intrinsic::log2:
  case llvm::Intrinsic::log10:
  case llvm::Intrinsic::pow:
    return true;
  default:
    return false;
  }
}

} // namespace lockstep::compiler

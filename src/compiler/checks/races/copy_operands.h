// The bytes that one side of an async copy of a group reaches, as operands of the call.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class CallInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// `size` contiguous bytes, repeated in up to three dimensions.
struct CopyOperands {
  struct Repeat {
    llvm::Value *count;
    llvm::Value *distance; // null: 1
    uint64_t scale;        // bytes for each unit of `distance`
  };
  // `side`: 0 the destination, 1 the source.
  CopyOperands(const llvm::CallInst &copy, unsigned side);
  bool is_row() const; // the bytes are contiguous: elements of `size` bytes

  uint64_t size = 0; // 0: known only at run time
  llvm::SmallVector<Repeat, 3> repeats;
};

} // namespace lockstep::compiler

// Finds private variables that can be interleaved although out-of-line functions get their
// addresses.
//
// The layout of a variable can change if all code that accesses it is known: its own function, the
// functions that get its address, and callers that pass another variable for the same parameter.
// All these share one layout and form one set. A set is interleaved if interleave-private could
// interleave each member with elements of one size.
//
// An address of any other origin (a select of two addresses, an integer) prevents this: the
// variables of the set then remain in one piece per lane.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Argument.h"

#include <cstdint>

namespace llvm {
class CallInst;
class Function;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class PrivateLayouts {
public:
  // An out-of-line function, and its copy that becomes the vector variant.
  struct Copy {
    llvm::Function *original, *copy;
  };
  // Marks the variables with `interleaved_memory`.
  PrivateLayouts(llvm::Function &kernel, llvm::ArrayRef<Copy> copies);

  // The size in bytes of an element of the memory that a parameter of a copy points to; 0 if it is
  // not interleaved.
  uint64_t element_size(const llvm::Argument &parameter) const {
    return element_sizes_.lookup(&parameter);
  }

private:
  llvm::DenseMap<const llvm::Value *, uint64_t> element_sizes_;
};

} // namespace lockstep::compiler

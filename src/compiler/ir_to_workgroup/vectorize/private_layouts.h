// Which private variables are interleaved although functions that are kept are passed their addresses.
//
// A variable can be laid out anew if all that reads and writes it knows of it: the function that has it, those that are
// passed its address, and whoever else passes them another variable for the same parameter. All these share one layout, so
// they are one set; it is interleaved if interleave-private would do it for each of them, with elements of one size.
//
// An address that comes from anywhere else (a choice between two, an integer) spoils the set, and what is in it lies in one
// piece for each lane.
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
  // A function that is kept, and its copy that becomes the function of a sub-group.
  struct Copy {
    llvm::Function *original, *copy;
  };
  // Marks the variables with `interleaved_memory`.
  PrivateLayouts(llvm::Function &kernel, llvm::ArrayRef<Copy> copies);

  // Of the memory that a parameter of a copy points to: bytes of an element, or 0: not interleaved.
  uint64_t element_size(const llvm::Argument &parameter) const {
    return element_sizes_.lookup(&parameter);
  }

private:
  llvm::DenseMap<const llvm::Value *, uint64_t> element_sizes_;
};

} // namespace lockstep::compiler

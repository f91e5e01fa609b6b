// Follows the address of a private variable to all its uses, for passes that change the variable's
// layout.
#pragma once

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace llvm {
class DataLayout;
class Instruction;
class Use;
class Value;
} // namespace llvm

namespace lockstep::compiler {

struct AddressFlow {
  // `root`: an alloca, or the value that replaces an address parameter of a vector variant.
  AddressFlow(llvm::Value &root, const llvm::DataLayout &layout);

  llvm::SetVector<llvm::Value *> addresses;        // the root, then all values derived from it
  llvm::SmallVector<llvm::Instruction *> accesses; // loads and stores
  llvm::SmallVector<llvm::Use *> passed_on;        // arguments of calls of out-of-line functions
  uint64_t element_size = 0;                       // of all accesses; 0 if there are none
  bool gets_away = false;                          // has other uses, or accesses of different sizes

private:
  void follow(llvm::Use &use);
  void access(llvm::Instruction &instruction);

  const llvm::DataLayout &layout_;
};

// Is each address a multiple of the element size away from the root, whatever the indices are?
bool steps_by_elements(const AddressFlow &flow, uint64_t element_size,
                       const llvm::DataLayout &layout);

// Is the size of the variable a multiple of `element_size`, the size of all its accesses? True for
// a root that is not an alloca.
bool is_of_elements(const llvm::Value &root, uint64_t element_size, const llvm::DataLayout &layout);

} // namespace lockstep::compiler

// Where the address of a private variable goes, for those who want to lay the variable out anew.
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
  // `root`: an alloca, or what stands for an address that a function is given.
  AddressFlow(llvm::Value &root, const llvm::DataLayout &layout);

  llvm::SetVector<llvm::Value *> addresses;        // the root, then what is derived from it
  llvm::SmallVector<llvm::Instruction *> accesses; // loads and stores
  llvm::SmallVector<llvm::Use *> passed_on;        // to functions that are kept
  uint64_t element_size = 0;                       // of all accesses; 0: there are none
  bool gets_away = false;                          // otherwise; or is accessed in sizes that differ

private:
  void follow(llvm::Use &use);
  void access(llvm::Instruction &instruction);

  const llvm::DataLayout &layout_;
};

// Is each address a whole number of elements away from the root, whatever the indices are?
bool steps_by_elements(const AddressFlow &flow, uint64_t element_size,
                       const llvm::DataLayout &layout);

// Of a variable that belongs to a whole sub-group; `element_size` as all its accesses have it.
bool is_of_elements(const llvm::Value &root, uint64_t element_size, const llvm::DataLayout &layout);

} // namespace lockstep::compiler

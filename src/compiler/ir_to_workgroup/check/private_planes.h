// Private variables of which each bit is known to be defined or not: beside such a variable stand two of its size, planes,
// one for its undefined bits and one for those that were computed from undefined ones.
//
// A variable has planes if all that happens to it is seen: its address is in no memory and goes into no call. Nothing is
// ever said of the others. What is in a variable with planes before it is written is 0, so that no pass makes anything of
// its being undefined that would differ from what the report says.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

class PrivatePlanes {
public:
  struct Place {
    llvm::Value *bits = nullptr, *computed = nullptr; // pointers; null: nothing is known there
    explicit operator bool() const { return bits != nullptr; }
  };

  explicit PrivatePlanes(llvm::Function &function);
  // Where a pointer points to.
  Place of(llvm::Value *pointer);
  void finish_joins();
  // At the beginning of the function and of a variable's life: all of it is undefined.
  void begin(llvm::Instruction &before, llvm::AllocaInst &variable);
  llvm::ArrayRef<llvm::AllocaInst *> variables() const { return variables_.getArrayRef(); }

private:
  llvm::SmallVector<llvm::Instruction *> joins_of(llvm::AllocaInst &variable, bool &escapes) const;

  llvm::Function &function_;
  llvm::SetVector<llvm::AllocaInst *> variables_;
  llvm::DenseMap<llvm::Value *, Place> places_;
  llvm::SmallVector<llvm::PHINode *> phis_;
};

} // namespace lockstep::compiler

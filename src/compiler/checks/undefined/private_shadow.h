// Shadow memory of private variables: beside a variable are two more of its size. One has the
// undefined bits, the other the bits that were computed from undefined ones.
//
// A variable has shadow memory if all its uses are visible: its address is neither stored nor
// passed to a call. Other variables are never reported. A variable with shadow memory is
// initialized to 0, so that no optimization exploits its being undefined and contradicts the
// report.
#pragma once

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

class PrivateShadow {
public:
  struct Place {
    llvm::Value *bits = nullptr, *computed = nullptr; // pointers to the shadow; null: no shadow
    explicit operator bool() const { return bits != nullptr; }
  };

  explicit PrivateShadow(llvm::Function &function);
  // The shadow of the memory at `pointer`.
  Place of(llvm::Value *pointer);
  void finish_joins();
  // Marks all bits undefined. Called at function entry and where the variable's lifetime starts.
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

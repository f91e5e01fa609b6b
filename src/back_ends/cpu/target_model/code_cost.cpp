#include "back_ends/cpu/target_model/code_cost.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Computes live ranges: walks from each value's uses back to its definition.
class LiveValues {
public:
  LiveValues(const llvm::Function &function, uint32_t vector_bits)
      : layout_(function.getDataLayout()), vector_bits_(vector_bits) {
    for (const llvm::BasicBlock &block : function)
      seen_by_[&block] = 0;
  }

  void add(const llvm::Instruction &value, CodeCost &cost) {
    ++number_;
    todo_.clear();
    for (const llvm::Use &use : value.uses()) {
      auto &user = *llvm::cast<llvm::Instruction>(use.getUser());
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(&user))
        enter(value, phi->getIncomingBlock(use));
      else
        enter(value, user.getParent());
    }
    uint64_t blocks = 0;
    for (; !todo_.empty(); ++blocks)
      for (const llvm::BasicBlock *before : llvm::predecessors(todo_.pop_back_val()))
        enter(value, before);
    cost.values += 3000 * registers(value);
    cost.crossings += blocks * blocks * registers(value);
  }

private:
  void enter(const llvm::Instruction &value, const llvm::BasicBlock *block) {
    if (block != value.getParent() && std::exchange(seen_by_[block], number_) != number_)
      todo_.push_back(block);
  }

  uint64_t registers(const llvm::Instruction &value) const {
    if (!value.getType()->isSized()) // a store
      return 1;
    return llvm::divideCeil(layout_.getTypeSizeInBits(value.getType()).getKnownMinValue(),
                            vector_bits_);
  }

  const llvm::DataLayout &layout_;
  const uint32_t vector_bits_;
  unsigned number_ = 0; // number of the current value
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> seen_by_;
  llvm::SmallVector<const llvm::BasicBlock *> todo_;
};

} // namespace

CodeCost code_cost(const llvm::Module &module, uint32_t vector_bits, uint64_t limit) {
  CodeCost cost;
  for (const llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    LiveValues values(function, vector_bits);
    for (const llvm::Instruction &instruction : llvm::instructions(function)) {
      values.add(instruction, cost);
      if (cost.crossings > limit)
        return cost;
    }
  }
  return cost;
}

} // namespace lockstep::compiler

// Puts variables into a coroutine's frame if their addresses live across a suspension.
//
// A variable that is not used across a suspension needs no slot in the frame: each function that a
// coroutine is split into has it on its stack. CoroSplitPass of LLVM 22 decides that by the
// variable's lifetime markers. But an address within the variable may be computed before its
// lifetime begins, as LICM does with loop-invariant ones. If a suspension is in between, the frame
// stores that address, which points to the stack of a function that has returned. Without markers
// CoroSplitPass follows the uses, but not through all instructions: it does not see accesses
// through a shufflevector of the address.
//
// So a variable loses its markers, and a ptrtoint makes its address escape for CoroSplitPass, if
// - an address derived from it lives across a suspension and is not rematerialized, or
// - it has no markers, and CoroSplitPass does not see all its uses.
//
// Position: after make-coroutine and the removal of unused instructions; before variables share
// slots of the frame.
//
// Upstream: not reported yet. "CoroSplit: an address of an alloca that is computed before
// llvm.lifetime.start, and used after it behind a coro.suspend, is spilled to the frame while the
// alloca stays on the stack"; llvm_still_needs_it.ll is the example.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;

llvm::IntrinsicInst *intrinsic(llvm::Instruction &instruction, llvm::Intrinsic::ID id) {
  auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == id ? call : nullptr;
}

// The instructions through which CoroSplitPass follows an address.
bool is_followed(const llvm::Instruction &value) {
  return llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::BitCastInst,
                   llvm::AddrSpaceCastInst, llvm::InsertElementInst, llvm::InsertValueInst,
                   llvm::PtrToIntInst>(value);
}

// Whether the result may be an address within the variable if an operand is one. Loads and calls do
// not count: CoroSplitPass handles addresses that escape.
bool passes_addresses_on(const llvm::Instruction &user) {
  return is_followed(user) ||
         llvm::isa<llvm::CastInst, llvm::ShuffleVectorInst, llvm::ExtractElementInst,
                   llvm::ExtractValueInst, llvm::FreezeInst, llvm::BinaryOperator>(user);
}

class Frames {
public:
  Frames(llvm::Function &function,
         const KeepVariablesInFramesPass::InstructionPredicate &is_rematerialized)
      : is_rematerialized_(is_rematerialized) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
        variables_.push_back(variable);
      if (intrinsic(instruction, llvm::Intrinsic::coro_suspend))
        suspensions_.insert(instruction.getParent());
      if (auto *begin = intrinsic(instruction, llvm::Intrinsic::coro_begin))
        begin_ = begin;
      if (auto *id = intrinsic(instruction, llvm::Intrinsic::coro_id))
        promise_ = id->getArgOperand(1);
    }
  }

  bool run() {
    bool changed = false;
    if (begin_)
      for (llvm::AllocaInst *variable : variables_)
        if (variable != promise_ && must_be_kept(*variable)) {
          keep(*variable);
          changed = true;
        }
    return changed;
  }

private:
  bool must_be_kept(llvm::AllocaInst &variable) const {
    bool has_lifetime = false, is_hidden = false;
    llvm::SetVector<llvm::Instruction *> addresses;
    auto add_users = [&](llvm::Instruction &value) {
      for (llvm::User *user : value.users()) {
        auto *instruction = llvm::cast<llvm::Instruction>(user);
        if (passes_addresses_on(*instruction))
          addresses.insert(instruction);
        else
          has_lifetime |= instruction->isLifetimeStartOrEnd();
      }
    };
    add_users(variable);
    for (size_t index = 0; index != addresses.size(); ++index) { // grows
      is_hidden |= !is_followed(*addresses[index]);
      add_users(*addresses[index]);
    }
    if (is_hidden && !has_lifetime)
      return true;
    return llvm::any_of(addresses, [&](llvm::Instruction *address) {
      return lives_across_suspension(*address) && !is_rematerialized_address(*address, addresses);
    });
  }

  // Whether the address and all addresses that it derives from are rematerialized; otherwise one of
  // them is in the frame.
  bool is_rematerialized_address(llvm::Instruction &address,
                                 const llvm::SetVector<llvm::Instruction *> &addresses) const {
    llvm::SetVector<llvm::Instruction *> steps;
    steps.insert(&address);
    for (size_t index = 0; index != steps.size(); ++index) { // grows
      if (!is_rematerialized_(*steps[index]))
        return false;
      for (const llvm::Use &use : steps[index]->operands())
        if (auto *operand = llvm::dyn_cast<llvm::Instruction>(use.get());
            operand && addresses.contains(operand))
          steps.insert(operand);
    }
    return true;
  }

  bool lives_across_suspension(llvm::Instruction &value) const {
    llvm::SmallVector<BasicBlock *> open; // the value is live at their ends
    llvm::SmallPtrSet<const BasicBlock *, 32> seen;
    for (llvm::Use &use : value.uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(user))
        open.push_back(phi->getIncomingBlock(use));
      else if (user->getParent() != value.getParent())
        open.append(llvm::pred_begin(user->getParent()), llvm::pred_end(user->getParent()));
    }
    while (!open.empty()) {
      BasicBlock *block = open.pop_back_val();
      if (!seen.insert(block).second)
        continue;
      if (suspensions_.contains(block))
        return true;
      if (block != value.getParent())
        open.append(llvm::pred_begin(block), llvm::pred_end(block));
    }
    return false;
  }

  void keep(llvm::AllocaInst &variable) {
    for (llvm::User *user : llvm::make_early_inc_range(variable.users()))
      if (auto *marker = llvm::cast<llvm::Instruction>(user); marker->isLifetimeStartOrEnd())
        marker->eraseFromParent();
    llvm::IRBuilder<> builder(begin_->getNextNode());
    builder.CreatePtrToInt(&variable, builder.getInt64Ty(), "kept.in.frame");
  }

  const KeepVariablesInFramesPass::InstructionPredicate &is_rematerialized_;
  llvm::SmallVector<llvm::AllocaInst *> variables_;
  // each suspension is at the end of its block
  llvm::SmallPtrSet<const BasicBlock *, 8> suspensions_;
  llvm::IntrinsicInst *begin_ = nullptr;
  llvm::Value *promise_ = nullptr;
};

} // namespace

llvm::PreservedAnalyses KeepVariablesInFramesPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  if (!function.isPresplitCoroutine() || !Frames(function, is_rematerialized_).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler

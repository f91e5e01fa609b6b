// Replaces queries of the sub-group's size, id and lanes by values once the number of lanes is
// known.
//
// Input:  the kernel after lane-ids: `__lockstep_local_id` is the id of the sub-group's first lane.
// Output: no `__lockstep_sub_group_width` and no `__lockstep_sub_group_id`; one `__lockstep_lane`
//         in the entry block. `__lockstep_active_lanes` remains only where a sub-group may be
//         partial. With one lane, no sub-group operation remains: each is replaced by its own
//         argument.
//
// Runs after lane-ids, so that the sub-group's id is computed from uniform values, and before
// linearize, which queries uniformity.
#include "compiler/lanes/packetize/passes.h"

#include "compiler/lanes/packetize/sub_group_code.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler {

namespace {

class Answers {
public:
  explicit Answers(llvm::Function &function)
      : width_(sub_group_size(function)), size_(own_local_size(function)),
        at_entry_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()) {}

  // Returns the value that replaces the call, or null if the call remains.
  llvm::Value *answer(llvm::CallInst &call, Primitive primitive) {
    switch (primitive) {
    case Primitive::sub_group_width:
      return llvm::ConstantInt::get(call.getType(), width_);
    case Primitive::sub_group_id:
      return id(call.getType());
    case Primitive::lane:
      return lane();
    case Primitive::active_lanes:
      return is_always_full() ? llvm::ConstantInt::get(call.getType(), width_) : nullptr;
    default:
      return nullptr;
    }
  }

  unsigned width() const { return width_; }

private:
  bool is_always_full() const {
    uint64_t items = uint64_t{size_[0]} * size_[1] * size_[2];
    return width_ == 1 || (items != 0 && items % width_ == 0);
  }

  // A single call in the entry block. Calls elsewhere would count as work that is worth a branch.
  llvm::Value *lane() {
    if (!lane_)
      lane_ =
          width_ == 1 ? static_cast<llvm::Value *>(at_entry_.getInt64(0)) : emit_lane(at_entry_);
    return lane_;
  }

  llvm::Value *id(llvm::Type *type) {
    if (id_)
      return id_;
    auto query = [&](Primitive primitive, unsigned dimension) {
      auto callee = declare_primitive(*at_entry_.GetInsertBlock()->getModule(), primitive,
                                      at_entry_.getInt64Ty(), {at_entry_.getInt32Ty()});
      auto *call = at_entry_.CreateCall(callee, at_entry_.getInt32(dimension));
      call->setDoesNotThrow();
      call->setDoesNotAccessMemory(); // otherwise it would count as divergent
      return call;
    };
    auto size = [&](unsigned dimension) -> llvm::Value * {
      return size_[0] ? static_cast<llvm::Value *>(at_entry_.getInt64(size_[dimension]))
                      : query(Primitive::local_size, dimension);
    };
    auto local_id = [&](unsigned dimension) -> llvm::Value * {
      return size_[dimension] == 1 ? static_cast<llvm::Value *>(at_entry_.getInt64(0))
                                   : query(Primitive::local_id, dimension);
    };
    llvm::Value *item = query(Primitive::local_id, 0);
    if (size_[0] == 0 || size_[1] * size_[2] != 1) {
      llvm::Value *row = at_entry_.CreateNUWMul(local_id(2), size(1));
      row = at_entry_.CreateNUWAdd(row, local_id(1));
      item = at_entry_.CreateNUWAdd(at_entry_.CreateNUWMul(row, size(0)), item);
    }
    return id_ = at_entry_.CreateTrunc(at_entry_.CreateLShr(item, llvm::Log2_32(width_)), type,
                                       "sub.group.id");
  }

  unsigned width_;
  std::array<uint32_t, 3> size_;
  llvm::IRBuilder<> at_entry_;
  llvm::Value *lane_ = nullptr, *id_ = nullptr;
};

} // namespace

llvm::PreservedAnalyses AnswerSubGroupQueriesPass::run(llvm::Function &function,
                                                       llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction))
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  Answers answers(function);
  llvm::SmallVector<llvm::CallInst *> answered; // erased last: the first may be the insertion point
  for (llvm::CallInst *call : calls) {
    Primitive primitive = *called_primitive(*call);
    llvm::Value *now = answers.answer(*call, primitive);
    if (answers.width() == 1 && is_sub_group_operation(primitive)) {
      llvm::IRBuilder<> builder(call);
      now = emit_for_one_lane(builder, *call);
    } else if (!now) {
      continue;
    }
    if (now)
      call->replaceAllUsesWith(now);
    answered.push_back(call);
  }
  if (answered.empty())
    return llvm::PreservedAnalyses::all();
  for (llvm::CallInst *call : answered)
    call->eraseFromParent();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler

// Specializes calls of atomics, fences and barriers whose scope or flags are not constant, such as
// arguments of a helper function or variables.
//
// Requires: a module before its builtins are linked.
// Ensures: each atomic and fence has a constant scope, and each fence has constant flags. Others
//   become a switch with one call for each distinct combination. A barrier keeps its flags, which
//   remain operands of its instruction. A barrier whose scope is not constant gets the scope of the
//   work-group and, before and behind it, fences that execute if the scope is wider. It is not
//   duplicated, since all work-items must reach the same barrier.
// Why here: before record-scopes, which reads constants only, and after record-arguments, which
//   checks whether the scope of a barrier is uniform. If inlining the helper makes the value
//   constant, the switch folds away. Inlining here instead would not cover values in memory, and
//   variables must not be promoted to registers yet (track-undefined).
#include "compiler/checks/races/passes.h"

#include "compiler/checks/races/record_scopes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

// memory_scope of OpenCL C; scopes wider than the device count as `device` (record_scopes.h).
constexpr uint64_t work_item = 0, work_group = 1, device = 2, sub_group = 4;
constexpr uint64_t acquire_and_release = 4; // memory_order_acq_rel

bool is_open(const llvm::Value &value) {
  return !llvm::isa<llvm::ConstantInt>(value);
}

class Exposed {
public:
  explicit Exposed(llvm::Module &module) : module_(module), builder_(module.getContext()) {}

  void visit(llvm::CallInst &call) {
    const llvm::StringRef name = builtin_name(*call.getCalledFunction());
    const bool is_barrier = name == "barrier" || name == "work_group_barrier",
               is_fence = name == "atomic_work_item_fence" || is_legacy_fence(name);
    if (is_barrier && takes_scope(*call.getCalledFunction()))
      part_barrier(call);
    else if (is_fence)
      part_fence(call);
    else if (name.starts_with("atomic_") && takes_scope(*call.getCalledFunction()))
      part_by_scope(call);
  }

private:
  static unsigned last(const llvm::CallInst &call) { return call.arg_size() - 1; }

  // Replaces the call by a switch: one call for each value, and one with `other` for the rest. The
  // operand has 32 bits.
  llvm::SmallVector<llvm::CallInst *> part(llvm::CallInst &call, unsigned operand,
                                           llvm::Value *value, llvm::ArrayRef<uint64_t> values,
                                           uint64_t other) {
    llvm::SmallVector<llvm::CallInst *> calls;
    llvm::BasicBlock *head = call.getParent(), *rest = llvm::SplitBlock(head, &call);
    head->getTerminator()->eraseFromParent();
    llvm::Type *type = call.getArgOperand(operand)->getType();
    auto block_for = [&](uint64_t each) {
      auto *block =
          llvm::BasicBlock::Create(module_.getContext(), "scope", head->getParent(), rest);
      auto *own = llvm::cast<llvm::CallInst>(call.clone());
      own->setArgOperand(operand, llvm::ConstantInt::get(type, each));
      own->insertInto(block, block->end());
      builder_.SetInsertPoint(block);
      builder_.SetCurrentDebugLocation(call.getDebugLoc());
      builder_.CreateBr(rest);
      calls.push_back(own);
      return block;
    };
    llvm::BasicBlock *default_edge = block_for(other);
    builder_.SetInsertPoint(head);
    builder_.SetCurrentDebugLocation(call.getDebugLoc());
    llvm::SwitchInst *choice =
        builder_.CreateSwitch(value, default_edge, static_cast<unsigned>(values.size()));
    for (uint64_t each : values)
      choice->addCase(llvm::ConstantInt::get(llvm::cast<llvm::IntegerType>(type), each),
                      block_for(each));
    if (!call.getType()->isVoidTy()) {
      builder_.SetInsertPoint(&call);
      llvm::PHINode *result =
          builder_.CreatePHI(call.getType(), static_cast<unsigned>(calls.size()));
      for (llvm::CallInst *each : calls)
        result->addIncoming(each, each->getParent());
      call.replaceAllUsesWith(result);
    }
    call.eraseFromParent();
    return calls;
  }

  void part_by_scope(llvm::CallInst &call) {
    llvm::Value *scope = call.getArgOperand(last(call));
    if (is_open(*scope))
      part(call, last(call), scope, {work_item, work_group, sub_group}, device);
  }

  void part_fence(llvm::CallInst &call) {
    const bool has_scope = takes_scope(*call.getCalledFunction());
    llvm::SmallVector<llvm::CallInst *> calls = {&call};
    if (llvm::Value *flags = call.getArgOperand(0); is_open(*flags)) {
      builder_.SetInsertPoint(&call);
      builder_.SetCurrentDebugLocation(call.getDebugLoc());
      llvm::Type *type = flags->getType();
      auto number = [type](uint64_t value) { return llvm::ConstantInt::get(type, value); };
      llvm::Value *is_global =
          builder_.CreateIsNotNull(builder_.CreateAnd(flags, number(global_fence | image_fence)));
      llvm::Value *both =
          builder_.CreateOr(builder_.CreateAnd(flags, number(local_fence)),
                            builder_.CreateSelect(is_global, number(global_fence), number(0)));
      calls = part(call, 0, both, {0, local_fence, global_fence}, local_fence | global_fence);
    }
    if (has_scope)
      for (llvm::CallInst *each : calls)
        part_by_scope(*each);
  }

  void part_barrier(llvm::CallInst &barrier) {
    llvm::Value *scope = barrier.getArgOperand(last(barrier)), *flags = barrier.getArgOperand(0);
    if (!is_open(*scope))
      return;
    barrier.setArgOperand(last(barrier), llvm::ConstantInt::get(scope->getType(), work_group));
    builder_.SetInsertPoint(&barrier);
    builder_.SetCurrentDebugLocation(barrier.getDebugLoc());
    llvm::Value *is_wide = builder_.getTrue();
    for (uint64_t narrow : {work_item, work_group, sub_group})
      is_wide = builder_.CreateAnd(
          is_wide, builder_.CreateICmpNE(scope, llvm::ConstantInt::get(scope->getType(), narrow)));
    // The fence before the barrier passes on what this work-item has acquired; the fence behind it
    // releases what the work-group has done.
    for (llvm::Instruction *place :
         {static_cast<llvm::Instruction *>(&barrier), barrier.getNextNode()}) {
      builder_.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_wide, place, false));
      builder_.SetCurrentDebugLocation(barrier.getDebugLoc());
      llvm::CallInst *fence =
          builder_.CreateCall(this->fence(), {flags, builder_.getInt32(acquire_and_release),
                                              builder_.getInt32(device)});
      fence->setCallingConv(barrier.getCallingConv());
      part_fence(*fence);
    }
  }

  llvm::FunctionCallee fence() {
    llvm::Type *number = builder_.getInt32Ty();
    llvm::FunctionCallee callee =
        module_.getOrInsertFunction("_Z22atomic_work_item_fencej12memory_order12memory_scope",
                                    builder_.getVoidTy(), number, number, number);
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    return callee;
  }

  llvm::Module &module_;
  llvm::IRBuilder<> builder_;
};

} // namespace

llvm::PreservedAnalyses ExposeScopesPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call && call->getCalledFunction() && call->getCalledFunction()->isDeclaration() &&
          !call->arg_empty())
        calls.push_back(call);
  Exposed exposed(module);
  for (llvm::CallInst *call : calls)
    exposed.visit(*call);
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

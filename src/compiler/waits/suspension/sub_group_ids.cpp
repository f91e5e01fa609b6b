// Computes the local ids of a sub-group in the coroutine form from its number.
//
// Input:  the function of one sub-group; `__lockstep_local_id` is that of the first lane.
// Output: no `__lockstep_local_id` and no `__lockstep_active_lanes`. Both are computed from
//         `__lockstep_sub_group` and the local size in the entry block. Cheap arithmetic is
//         rematerialized after each suspension rather than kept in the frame (rematerialize.h).
//
// In the loop form, the loops over sub-groups provide the ids (regions/work_item_loop_nest.h); here
// there is no loop.
#include "compiler/waits/suspension/passes.h"

#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

// Creates every value on demand, so that a kernel pays only for what it uses.
class SubGroupIds {
public:
  explicit SubGroupIds(llvm::Function &function)
      : known_size_(specialized_local_size(function)), width_(sub_group_size(function)),
        builder_(&*function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca()),
        module_(*function.getParent()) {}

  llvm::Value *id(unsigned dimension) {
    if (dimension >= 3)
      return builder_.getInt64(0);
    if (!id_[dimension])
      id_[dimension] = make_id(dimension);
    return id_[dimension];
  }

  // The number of the group's remaining work-items, at most the width.
  llvm::Value *active_lanes() {
    if (!active_lanes_) {
      llvm::Value *items =
          builder_.CreateNUWMul(size(0), builder_.CreateNUWMul(size(1), size(2)), "local.items");
      llvm::Value *left = builder_.CreateSub(items, first(), "items.left");
      active_lanes_ = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left,
                                                     builder_.getInt64(width_), {}, "active.lanes");
    }
    return active_lanes_;
  }

private:
  llvm::Value *call(Primitive primitive, llvm::ArrayRef<llvm::Value *> arguments,
                    const llvm::Twine &name) {
    llvm::SmallVector<llvm::Type *, 1> types;
    for (llvm::Value *argument : arguments)
      types.push_back(argument->getType());
    auto *type = llvm::FunctionType::get(builder_.getInt64Ty(), types, false);
    auto callee = declare_primitive(module_, primitive, type);
    auto *call = builder_.CreateCall(callee, arguments, name);
    call->setDoesNotThrow();
    call->setDoesNotAccessMemory();
    return call;
  }

  llvm::Value *size(unsigned dimension) {
    if (known_size_[0] != 0)
      return builder_.getInt64(known_size_[dimension]);
    if (!size_[dimension])
      size_[dimension] = call(Primitive::local_size, {builder_.getInt32(dimension)}, "local.size");
    return size_[dimension];
  }

  // The index of the first lane's work-item in the group.
  llvm::Value *first() {
    if (!first_)
      first_ = builder_.CreateNUWMul(call(Primitive::sub_group, {}, "sub.group"),
                                     builder_.getInt64(width_), "first.item");
    return first_;
  }

  llvm::Value *make_id(unsigned dimension) {
    bool is_line = known_size_[0] != 0 && known_size_[1] == 1 && known_size_[2] == 1;
    if (is_line)
      return dimension == 0 ? first() : builder_.getInt64(0);
    // Work-groups have less than 2^32 items, and a narrow division takes a third of the time.
    llvm::Type *narrow = builder_.getInt32Ty();
    llvm::Value *number = builder_.CreateTrunc(first(), narrow);
    for (unsigned before = 0; before != dimension; ++before)
      number = builder_.CreateUDiv(number, builder_.CreateTrunc(size(before), narrow));
    if (dimension != 2)
      number = builder_.CreateURem(number, builder_.CreateTrunc(size(dimension), narrow));
    return builder_.CreateZExt(number, builder_.getInt64Ty(), "local.id");
  }

  std::array<uint32_t, 3> known_size_;
  uint32_t width_;
  llvm::IRBuilder<> builder_;
  llvm::Module &module_;
  llvm::Value *first_ = nullptr, *active_lanes_ = nullptr;
  std::array<llvm::Value *, 3> id_{}, size_{};
};

llvm::Value *local_id(SubGroupIds &ids, llvm::CallInst &call) {
  if (auto dimension = constant_dimension(call))
    return ids.id(*dimension);
  llvm::Value *id[3] = {ids.id(0), ids.id(1), ids.id(2)};
  llvm::IRBuilder<> builder(&call);
  llvm::Value *result = id[2];
  for (unsigned dimension : {1u, 0u})
    result = builder.CreateSelect(
        builder.CreateICmpEQ(call.getArgOperand(0), builder.getInt32(dimension)), id[dimension],
        result);
  return result;
}

} // namespace

llvm::PreservedAnalyses SubGroupIdsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto primitive = called_primitive(instruction);
        primitive == Primitive::local_id || primitive == Primitive::active_lanes)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  if (calls.empty())
    return llvm::PreservedAnalyses::all();
  SubGroupIds ids(function);
  for (llvm::CallInst *call : calls) {
    bool counts = called_primitive(*call) == Primitive::active_lanes;
    call->replaceAllUsesWith(counts ? ids.active_lanes() : local_id(ids, *call));
  }
  for (llvm::CallInst *call : calls) // last: new code is inserted before the first call
    call->eraseFromParent();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler

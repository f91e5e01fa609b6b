// Lowers `__lockstep_group_combine` to a loop over the sub-groups' partial results.
//
// Requires: the function of one work-group, in which the call executes once per group. The scratch
// memory holds 8 bytes for the result, then 8 bytes for each sub-group.
// Ensures: a reduction stores its result at the front of the scratch memory. An exclusive scan
// replaces each partial result by the combination of those before it. A pick copies one to the
// front.
//
// Position: after work-item-loops, which places the call between two loops over the sub-groups. So
// the partial results are combined once per group.
#include "compiler/regions/passes.h"

#include "compiler/lanes/packetize/sub_group_code.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

using llvm::Value;

llvm::Type *type_of(llvm::CallInst &call) {
  llvm::LLVMContext &context = call.getContext();
  llvm::StringRef suffix = call.getCalledFunction()->getName().rsplit('_').second;
  if (suffix == "f32")
    return llvm::Type::getFloatTy(context);
  if (suffix == "f64")
    return llvm::Type::getDoubleTy(context);
  unsigned bits = 0;
  suffix.drop_front().getAsInteger(10, bits);
  return llvm::IntegerType::get(context, bits);
}

class Lowering {
public:
  explicit Lowering(llvm::CallInst &call)
      : call_(call), type_(type_of(call)), scratch_(call.getArgOperand(2)),
        count_(call.getArgOperand(3)) {}

  void run() {
    auto kind = static_cast<GroupCombination>(
        llvm::cast<llvm::ConstantInt>(call_.getArgOperand(1))->getZExtValue());
    if (kind == GroupCombination::pick) { // `count` is the index
      llvm::IRBuilder<> builder(&call_);
      store_result(builder, load(builder, builder.CreateAdd(count_, builder.getInt64(1))));
    } else {
      emit_loop(kind == GroupCombination::exclusive_scan);
    }
    call_.eraseFromParent();
  }

private:
  Value *slot(llvm::IRBuilderBase &builder, Value *index) {
    return builder.CreateInBoundsGEP(builder.getInt64Ty(), scratch_, index);
  }
  Value *load(llvm::IRBuilderBase &builder, Value *index) {
    return builder.CreateAlignedLoad(type_, slot(builder, index), llvm::Align(8));
  }
  void store_result(llvm::IRBuilderBase &builder, Value *result) {
    builder.CreateAlignedStore(result, scratch_, llvm::Align(8));
  }

  void emit_loop(bool is_scan) {
    CombineOperation operation = operation_of(call_);
    llvm::BasicBlock *before = call_.getParent();
    llvm::BasicBlock *after = llvm::SplitBlock(before, &call_);
    after->setName("combined");
    auto *loop =
        llvm::BasicBlock::Create(call_.getContext(), "combine", before->getParent(), after);
    before->getTerminator()->setSuccessor(0, loop);
    llvm::IRBuilder<> builder(loop);
    builder.SetCurrentDebugLocation(call_.getDebugLoc());
    llvm::PHINode *index = builder.CreatePHI(builder.getInt64Ty(), 2, "partial");
    llvm::PHINode *sum = builder.CreatePHI(type_, 2, "so.far");
    index->addIncoming(builder.getInt64(1), before);
    // As in a scan over lanes, the first result is OpenCL's identity value.
    sum->addIncoming(is_scan && operation == CombineOperation::add
                         ? llvm::Constant::getNullValue(type_)
                         : identity_of(operation, type_),
                     before);
    Value *partial = load(builder, index);
    if (is_scan)
      builder.CreateAlignedStore(sum, slot(builder, index), llvm::Align(8));
    llvm::FastMathFlags flags; // the order of a reduction's additions is free
    flags.setAllowReassoc(!is_scan);
    flags.setNoSignedZeros(!is_scan);
    builder.setFastMathFlags(flags);
    Value *next_sum = combine(builder, operation, sum, partial);
    builder.clearFastMathFlags();
    Value *next = builder.CreateNUWAdd(index, builder.getInt64(1));
    index->addIncoming(next, loop);
    sum->addIncoming(next_sum, loop);
    builder.CreateCondBr(builder.CreateICmpULE(next, count_), loop, after);
    if (is_scan)
      return;
    builder.SetInsertPoint(&call_);
    store_result(builder, next_sum);
  }

  llvm::CallInst &call_;
  llvm::Type *type_;
  Value *scratch_, *count_;
};

} // namespace

llvm::PreservedAnalyses LowerGroupCombinePass::run(llvm::Function &function,
                                                   llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (called_primitive(instruction) == Primitive::group_combine)
      calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  for (llvm::CallInst *call : calls)
    Lowering(*call).run();
  return calls.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

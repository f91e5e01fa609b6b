#include "kernel_ir/atomic_multiply.h"

#include "kernel_ir/primitives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace lockstep::compiler {

namespace {

llvm::Value *product(llvm::IRBuilderBase &builder, llvm::Value *one, llvm::Value *other) {
  return one->getType()->isFloatingPointTy() ? builder.CreateFMul(one, other)
                                             : builder.CreateMul(one, other);
}

llvm::Align alignment_of(const llvm::Type &type) {
  return llvm::Align(type.getPrimitiveSizeInBits().getFixedValue() / 8);
}

} // namespace

std::optional<AtomicMultiply> atomic_multiply(const llvm::Instruction &instruction) {
  if (called_primitive(instruction) != Primitive::atomic_multiply)
    return std::nullopt;
  const uint64_t ordering =
      llvm::cast<llvm::ConstantInt>(instruction.getOperand(AtomicMultiply::ordering_operand))
          ->getZExtValue();
  return AtomicMultiply{instruction.getOperand(AtomicMultiply::pointer_operand),
                        instruction.getOperand(AtomicMultiply::value_operand),
                        static_cast<llvm::AtomicOrdering>(ordering & ~AtomicMultiply::device_flag),
                        (ordering & AtomicMultiply::device_flag) != 0};
}

llvm::CallInst *create_atomic_multiply(llvm::IRBuilderBase &builder,
                                       const AtomicMultiply &multiply) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  llvm::Type *type = multiply.value->getType();
  auto callee = declare_primitive_of_type(
      module, Primitive::atomic_multiply, type,
      llvm::FunctionType::get(builder.getVoidTy(),
                              {multiply.pointer->getType(), type, builder.getInt32Ty()}, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  if (multiply.ordering == llvm::AtomicOrdering::Monotonic)
    function->setOnlyAccessesArgMemory();
  const auto ordering = static_cast<uint32_t>(multiply.ordering);
  return builder.CreateCall(
      callee, {multiply.pointer, multiply.value,
               builder.getInt32(multiply.is_of_device ? ordering | AtomicMultiply::device_flag
                                                      : ordering)});
}

void lower_to_plain_multiply(llvm::CallInst &call) {
  const AtomicMultiply multiply = *atomic_multiply(call);
  llvm::IRBuilder<> builder(&call);
  llvm::Type *type = multiply.value->getType();
  llvm::Value *old = builder.CreateAlignedLoad(type, multiply.pointer, alignment_of(*type));
  builder.CreateAlignedStore(product(builder, old, multiply.value), multiply.pointer,
                             alignment_of(*type));
  call.eraseFromParent();
}

void lower_to_swap_loop(llvm::CallInst &call) {
  const AtomicMultiply multiply = *atomic_multiply(call);
  llvm::Type *type = multiply.value->getType();
  const llvm::Align alignment = alignment_of(*type);
  llvm::BasicBlock *before = call.getParent();
  llvm::BasicBlock *after = llvm::SplitBlock(before, &call);
  auto *loop = llvm::BasicBlock::Create(call.getContext(), "multiply", before->getParent(), after);
  llvm::IRBuilder<> builder(before->getTerminator());
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::Type *bits = builder.getIntNTy(unsigned(type->getPrimitiveSizeInBits()));
  auto *first = builder.CreateAlignedLoad(bits, multiply.pointer, alignment);
  first->setAtomic(llvm::AtomicOrdering::Monotonic);
  before->getTerminator()->setSuccessor(0, loop);
  builder.SetInsertPoint(loop);
  llvm::PHINode *expected = builder.CreatePHI(bits, 2);
  llvm::Value *next = builder.CreateBitCast(
      product(builder, builder.CreateBitCast(expected, type), multiply.value), bits);
  auto *swap = builder.CreateAtomicCmpXchg(
      multiply.pointer, expected, next, alignment, multiply.ordering,
      llvm::AtomicCmpXchgInst::getStrongestFailureOrdering(multiply.ordering));
  swap->setWeak(true);
  expected->addIncoming(first, before);
  expected->addIncoming(builder.CreateExtractValue(swap, 0), loop);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), after, loop);
  call.eraseFromParent();
}

} // namespace lockstep::compiler

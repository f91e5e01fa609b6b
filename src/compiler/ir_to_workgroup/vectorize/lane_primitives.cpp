#include "compiler/ir_to_workgroup/vectorize/lane_primitives.h"

#include "compiler/kernel_ir/primitives.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

llvm::CallInst *emit(llvm::IRBuilderBase &builder, Primitive primitive, llvm::Type *result,
                     llvm::ArrayRef<llvm::Value *> arguments, const llvm::Twine &name) {
  llvm::Module *module = builder.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type *, 1> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto callee = module->getOrInsertFunction(primitive_name(primitive),
                                            llvm::FunctionType::get(result, types, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  if (primitive == Primitive::mask)
    function->setOnlyAccessesInaccessibleMemory(); // or it would be removed as unused
  else
    function->setDoesNotAccessMemory();
  if (primitive == Primitive::mask || primitive == Primitive::any_lane)
    function->setConvergent();
  auto *call = builder.CreateCall(callee, arguments);
  if (!result->isVoidTy())
    call->setName(name);
  call->setAttributes(function->getAttributes());
  return call;
}

} // namespace

llvm::CallInst *emit_lane(llvm::IRBuilderBase &builder) {
  return emit(builder, Primitive::lane, builder.getInt64Ty(), {}, "lane");
}

llvm::CallInst *emit_active_lanes(llvm::IRBuilderBase &builder) {
  return emit(builder, Primitive::active_lanes, builder.getInt64Ty(), {}, "active.lanes");
}

llvm::CallInst *emit_mask(llvm::IRBuilderBase &builder, llvm::Value *mask) {
  return emit(builder, Primitive::mask, builder.getVoidTy(), {mask}, "");
}

llvm::CallInst *emit_any_lane(llvm::IRBuilderBase &builder, llvm::Value *condition) {
  return emit(builder, Primitive::any_lane, builder.getInt1Ty(), {condition}, "any");
}

llvm::CallInst *emit_all_lanes(llvm::IRBuilderBase &builder, llvm::Value *condition) {
  return emit(builder, Primitive::all_lanes, builder.getInt1Ty(), {condition}, "all");
}

llvm::CallInst *mask_call(llvm::BasicBlock &block) {
  for (llvm::Instruction &instruction : block)
    if (called_primitive(instruction) == Primitive::mask)
      return llvm::cast<llvm::CallInst>(&instruction);
  return nullptr;
}

} // namespace lockstep::compiler

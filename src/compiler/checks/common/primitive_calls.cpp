#include "compiler/checks/common/primitive_calls.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::CallInst *call_named(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *, 6> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto callee = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  llvm::CallInst *made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  return made;
}

llvm::CallInst *call_primitive(llvm::IRBuilder<> &builder, Primitive primitive, llvm::Type *result,
                               llvm::ArrayRef<llvm::Value *> arguments) {
  return call_named(builder, primitive_name(primitive), result, arguments);
}

llvm::CallInst *ask_constant(llvm::IRBuilder<> &builder, Primitive primitive,
                             llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = call_primitive(builder, primitive, builder.getInt64Ty(), arguments);
  made->setDoesNotAccessMemory();
  made->addFnAttr(llvm::Attribute::WillReturn);
  return made;
}

llvm::Value *linear_local_id(llvm::IRBuilder<> &builder) {
  auto id = [&](Primitive primitive, unsigned dimension) {
    return ask_constant(builder, primitive, {builder.getInt32(dimension)});
  };
  llvm::Value *plane = id(Primitive::local_id, 2), *rows = id(Primitive::local_size, 1);
  llvm::Value *row = id(Primitive::local_id, 1), *length = id(Primitive::local_size, 0);
  llvm::Value *place = id(Primitive::local_id, 0);
  row = builder.CreateAdd(row, builder.CreateMul(rows, plane));
  return builder.CreateAdd(place, builder.CreateMul(length, row), "item");
}

} // namespace lockstep::compiler

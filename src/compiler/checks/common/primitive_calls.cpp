#include "compiler/checks/common/primitive_calls.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

llvm::FunctionType *type_of_call(llvm::Type *result, llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::SmallVector<llvm::Type *, 6> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  return llvm::FunctionType::get(result, types, false);
}

llvm::CallInst *call(llvm::IRBuilder<> &builder, llvm::FunctionCallee callee,
                     llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  return made;
}

} // namespace

llvm::CallInst *call_named(llvm::IRBuilder<> &builder, llvm::StringRef name, llvm::Type *result,
                           llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  return call(builder, module.getOrInsertFunction(name, type_of_call(result, arguments)),
              arguments);
}

llvm::CallInst *call_primitive(llvm::IRBuilder<> &builder, Primitive primitive, llvm::Type *result,
                               llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  return call(builder, declare_primitive(module, primitive, type_of_call(result, arguments)),
              arguments);
}

llvm::CallInst *query_constant(llvm::IRBuilder<> &builder, Primitive primitive,
                               llvm::ArrayRef<llvm::Value *> arguments) {
  llvm::CallInst *made = call_primitive(builder, primitive, builder.getInt64Ty(), arguments);
  made->setDoesNotAccessMemory();
  made->addFnAttr(llvm::Attribute::WillReturn);
  return made;
}

llvm::Value *linear_local_id(llvm::IRBuilder<> &builder) {
  auto id = [&](Primitive primitive, unsigned dimension) {
    return query_constant(builder, primitive, {builder.getInt32(dimension)});
  };
  llvm::Value *plane = id(Primitive::local_id, 2), *rows = id(Primitive::local_size, 1);
  llvm::Value *row = id(Primitive::local_id, 1), *length = id(Primitive::local_size, 0);
  llvm::Value *place = id(Primitive::local_id, 0);
  row = builder.CreateAdd(row, builder.CreateMul(rows, plane));
  return builder.CreateAdd(place, builder.CreateMul(length, row), "item");
}

} // namespace lockstep::compiler

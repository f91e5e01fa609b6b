#include "kernel_ir/lane_primitives.h"

#include "kernel_ir/primitives.h"

#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

llvm::CallInst *emit(llvm::IRBuilderBase &builder, Primitive primitive, llvm::Type *result,
                     llvm::ArrayRef<llvm::Value *> arguments, const llvm::Twine &name) {
  llvm::Module *module = builder.GetInsertBlock()->getModule();
  llvm::SmallVector<llvm::Type *, 1> types;
  for (llvm::Value *argument : arguments)
    types.push_back(argument->getType());
  auto callee =
      declare_primitive(*module, primitive, llvm::FunctionType::get(result, types, false));
  auto *function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  if (primitive == Primitive::mask)
    function->setOnlyAccessesInaccessibleMemory(); // otherwise it would be removed as unused
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

// Operands: the condition, then the index if it is known: first, bound, last, predicate (0: not
// known).
llvm::CallInst *emit_all_lanes(llvm::IRBuilderBase &builder, llvm::Value *condition) {
  llvm::Value *none = builder.getInt64(0);
  return emit(builder, Primitive::all_lanes, builder.getInt1Ty(),
              {condition, none, none, none, builder.getInt32(0)}, "all");
}

std::optional<IndexBelow> index_of_all_lanes(const llvm::CallInst &call) {
  auto predicate = llvm::cast<llvm::ConstantInt>(call.getArgOperand(4))->getZExtValue();
  if (predicate == 0)
    return std::nullopt;
  return IndexBelow{call.getArgOperand(1), call.getArgOperand(2),
                    static_cast<llvm::CmpInst::Predicate>(predicate),
                    llvm::cast<llvm::ConstantInt>(call.getArgOperand(3))->getZExtValue()};
}

void set_index_of_all_lanes(llvm::CallInst &call, const IndexBelow &index) {
  llvm::LLVMContext &context = call.getContext();
  call.setArgOperand(0, llvm::ConstantInt::getTrue(context));
  call.setArgOperand(1, index.first);
  call.setArgOperand(2, index.bound);
  call.setArgOperand(3, llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), index.last));
  call.setArgOperand(4, llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), index.predicate));
}

void set_condition_of_all_lanes(llvm::CallInst &call, llvm::Value *condition) {
  call.setArgOperand(0, condition);
  for (unsigned argument : {1u, 2u, 3u, 4u})
    call.setArgOperand(argument,
                       llvm::Constant::getNullValue(call.getArgOperand(argument)->getType()));
}

llvm::Value *expand_all_lanes(llvm::IRBuilderBase &builder, const llvm::CallInst &call) {
  auto index = index_of_all_lanes(call);
  if (!index)
    return call.getArgOperand(0);
  llvm::Value *last = builder.CreateAdd(index->first, builder.getInt64(index->last), "last");
  bool is_signed = llvm::CmpInst::isSigned(index->predicate);
  llvm::Value *in_order = builder.CreateICmp(
      is_signed ? llvm::CmpInst::ICMP_SGE : llvm::CmpInst::ICMP_UGE, last, index->first);
  return builder.CreateAnd(in_order, builder.CreateICmp(index->predicate, last, index->bound));
}

llvm::CallInst *mask_call(llvm::BasicBlock &block) {
  for (llvm::Instruction &instruction : block)
    if (called_primitive(instruction) == Primitive::mask)
      return llvm::cast<llvm::CallInst>(&instruction);
  return nullptr;
}

bool is_of_lane(const llvm::Value &value) {
  auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&value);
  return extract && called_primitive(*extract->getIndexOperand()) == Primitive::lane;
}

bool is_lanes(const llvm::Value &value) {
  auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&value);
  return insert && called_primitive(*insert->getOperand(2)) == Primitive::lane;
}

llvm::Value *emit_is_active(llvm::IRBuilderBase &builder, llvm::Function &function) {
  llvm::Argument *bits = function.getArg(0);
  auto *type =
      llvm::FixedVectorType::get(builder.getInt1Ty(), bits->getType()->getIntegerBitWidth());
  return builder.CreateExtractElement(builder.CreateBitCast(bits, type), emit_lane(builder),
                                      "active");
}

void mark_interleaved(llvm::Instruction &root, uint64_t element_size) {
  llvm::LLVMContext &context = root.getContext();
  auto *size = llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), element_size);
  root.setMetadata(interleaved_memory,
                   llvm::MDNode::get(context, llvm::ConstantAsMetadata::get(size)));
}

uint64_t interleaved_element_size(const llvm::Instruction &root) {
  const llvm::MDNode *size = root.getMetadata(interleaved_memory);
  return size ? llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(0))->getZExtValue() : 0;
}

} // namespace lockstep::compiler

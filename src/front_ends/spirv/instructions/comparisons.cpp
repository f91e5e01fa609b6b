#include "front_ends/spirv/instructions/translators.h"

#include "llvm/IR/Constants.h"

#include <algorithm>

namespace lockstep::compiler::spirv {
namespace {

using llvm::CmpInst;
using llvm::Value;

struct Comparison {
  Op opcode;
  CmpInst::Predicate predicate;
};

constexpr Comparison comparisons[] = {
    {Op::OpIEqual, CmpInst::ICMP_EQ},
    {Op::OpINotEqual, CmpInst::ICMP_NE},
    {Op::OpLogicalEqual, CmpInst::ICMP_EQ},
    {Op::OpLogicalNotEqual, CmpInst::ICMP_NE},
    {Op::OpPtrEqual, CmpInst::ICMP_EQ},
    {Op::OpPtrNotEqual, CmpInst::ICMP_NE},
    {Op::OpUGreaterThan, CmpInst::ICMP_UGT},
    {Op::OpSGreaterThan, CmpInst::ICMP_SGT},
    {Op::OpUGreaterThanEqual, CmpInst::ICMP_UGE},
    {Op::OpSGreaterThanEqual, CmpInst::ICMP_SGE},
    {Op::OpULessThan, CmpInst::ICMP_ULT},
    {Op::OpSLessThan, CmpInst::ICMP_SLT},
    {Op::OpULessThanEqual, CmpInst::ICMP_ULE},
    {Op::OpSLessThanEqual, CmpInst::ICMP_SLE},
    {Op::OpFOrdEqual, CmpInst::FCMP_OEQ},
    {Op::OpFUnordEqual, CmpInst::FCMP_UEQ},
    {Op::OpFOrdNotEqual, CmpInst::FCMP_ONE},
    {Op::OpFUnordNotEqual, CmpInst::FCMP_UNE},
    {Op::OpFOrdLessThan, CmpInst::FCMP_OLT},
    {Op::OpFUnordLessThan, CmpInst::FCMP_ULT},
    {Op::OpFOrdGreaterThan, CmpInst::FCMP_OGT},
    {Op::OpFUnordGreaterThan, CmpInst::FCMP_UGT},
    {Op::OpFOrdLessThanEqual, CmpInst::FCMP_OLE},
    {Op::OpFUnordLessThanEqual, CmpInst::FCMP_ULE},
    {Op::OpFOrdGreaterThanEqual, CmpInst::FCMP_OGE},
    {Op::OpFUnordGreaterThanEqual, CmpInst::FCMP_UGE},
    {Op::OpLessOrGreater, CmpInst::FCMP_ONE},
    {Op::OpOrdered, CmpInst::FCMP_ORD},
    {Op::OpUnordered, CmpInst::FCMP_UNO},
};

CmpInst::Predicate predicate(Op opcode) {
  return std::ranges::find(comparisons, opcode, &Comparison::opcode)->predicate;
}

const char *relational_function(Op opcode) {
  switch (opcode) {
  case Op::OpIsInf:
    return "isinf";
  case Op::OpIsFinite:
    return "isfinite";
  case Op::OpIsNormal:
    return "isnormal";
  default:
    return "signbit";
  }
}

// What relational functions return: int for scalars, else a vector of integers as wide as the
// operand's components.
llvm::Type *relational_result(llvm::Type *operand) {
  llvm::Type *number = llvm::Type::getInt32Ty(operand->getContext());
  return operand->isVectorTy() ? llvm::VectorType::getInteger(llvm::cast<llvm::VectorType>(operand))
                               : number;
}

} // namespace

Result<Value *> translate_comparison(FunctionReader &reader, const Instruction &i) {
  return reader.builder().CreateCmp(predicate(i.opcode), reader.value(i, 0), reader.value(i, 1));
}

Result<Value *> translate_float_class(FunctionReader &reader, const Instruction &i) {
  Value *operand = reader.value(i, 0);
  if (i.opcode == Op::OpIsNan)
    return reader.builder().CreateFCmpUNO(operand, operand);
  llvm::Type *type = relational_result(operand->getType());
  Value *result = reader.call_builtin(relational_function(i.opcode), type,
                                      {{operand, *type_of(operand->getType(), true)}});
  return reader.builder().CreateICmpNE(result, llvm::Constant::getNullValue(type));
}

Result<Value *> translate_pointer_comparison(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  Value *left = reader.value(i, 0), *right = reader.value(i, 1);
  if (i.opcode != Op::OpPtrDiff)
    return builder.CreateICmp(predicate(i.opcode), left, right);
  const Type *element = reader.type(i, 0).element;
  if (!element || element->size == 0)
    return reader.fail(i, 0, "does not point to a type with a size");
  return builder.CreateSExtOrTrunc(builder.CreatePtrDiff(element->llvm, left, right),
                                   reader.result_type(i).llvm);
}

Result<Value *> translate_select(FunctionReader &reader, const Instruction &i) {
  const Type &condition = reader.type(i, 0);
  const Type &type = reader.result_type(i);
  if (condition.is(TypeKind::vector) &&
      (!type.is(TypeKind::vector) || type.count != condition.count))
    return reader.fail(i, 0, "has another number of components than the result");
  return reader.builder().CreateSelect(reader.value(i, 0), reader.value(i, 1), reader.value(i, 2));
}

} // namespace lockstep::compiler::spirv

#include "front_ends/spirv/instructions/composites.h"
#include "front_ends/spirv/instructions/translators.h"

#include "llvm/IR/Constants.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using llvm::Value;

bool has_element(Op opcode) {
  return opcode == Op::OpPtrAccessChain || opcode == Op::OpInBoundsPtrAccessChain;
}

bool is_in_bounds(Op opcode) {
  return opcode == Op::OpInBoundsAccessChain || opcode == Op::OpInBoundsPtrAccessChain;
}

// Adds the index in operand k, and goes on to the part that it selects.
Result<const Type *> add_index(FunctionReader &reader, const Instruction &i, size_t k,
                               const Type &type, std::vector<Value *> &indices) {
  if (!type.is(TypeKind::structure)) {
    if (!type.is(TypeKind::array) && !type.is(TypeKind::vector))
      return reader.fail(i, k, fmt::format("is an index, but {} has no parts", description(type)));
    indices.push_back(reader.value(i, k));
    return type.element;
  }
  const auto number = reader.constant(i, k);
  const Type *member = number ? part_type(type, *number) : nullptr;
  if (!member)
    return reader.fail(i, k, "is not a constant below the number of the structure's members");
  // LLVM numbers members by i32 only.
  indices.push_back(reader.builder().getInt32(static_cast<uint32_t>(*number)));
  return member;
}

} // namespace

Result<Value *> translate_access_chain(FunctionReader &reader, const Instruction &i) {
  const Type *base = reader.type(i, 0).element;
  if (!base || base->size == 0)
    return reader.fail(i, 0, "does not point to a type with a size");
  std::vector<Value *> indices;
  size_t k = 1;
  if (has_element(i.opcode))
    indices.push_back(reader.value(i, k++));
  else
    indices.push_back(reader.builder().getInt32(0));
  const Type *part = base;
  for (; k < reader.count(i); ++k) {
    auto next = add_index(reader, i, k, *part, indices);
    LOCKSTEP_TRY(next);
    part = *next;
  }
  const Type &result = reader.result_type(i);
  if (result.element && result.element->llvm != part->llvm)
    return reader.fail(i, fmt::format("it points to {}, its result type to {}", description(*part),
                                      description(*result.element)));
  return reader.builder().CreateGEP(base->llvm, reader.value(i, 0), indices, "",
                                    is_in_bounds(i.opcode) ? llvm::GEPNoWrapFlags::inBounds()
                                                           : llvm::GEPNoWrapFlags::none());
}

} // namespace lockstep::compiler::spirv

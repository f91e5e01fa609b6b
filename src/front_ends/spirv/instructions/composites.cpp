#include "front_ends/spirv/instructions/composites.h"

#include "front_ends/spirv/instructions/translators.h"

#include "llvm/IR/Constants.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

using llvm::Value;

Result<Value *> construct_vector(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  const Type &type = reader.result_type(i);
  Value *vector = llvm::PoisonValue::get(type.llvm);
  uint64_t at = 0;
  for (size_t k = 0; k < reader.count(i); ++k) {
    const Type &part = reader.type(i, k);
    if (&part.scalar() != type.element && part.scalar().llvm != type.element->llvm)
      return reader.fail(
          i, k,
          fmt::format("is {}, which is not a part of {}", description(part), description(type)));
    if (at + part.components() > type.count)
      return reader.fail(i, k, "is one component too many");
    if (!part.is(TypeKind::vector)) {
      vector = builder.CreateInsertElement(vector, reader.value(i, k), at++);
      continue;
    }
    for (uint64_t component = 0; component < part.count; ++component)
      vector = builder.CreateInsertElement(
          vector, builder.CreateExtractElement(reader.value(i, k), component), at++);
  }
  if (at != type.count)
    return reader.fail(i, "it has fewer components than its result");
  return vector;
}

Result<Value *> construct(FunctionReader &reader, const Instruction &i) {
  const Type &type = reader.result_type(i);
  if (type.is(TypeKind::vector))
    return construct_vector(reader, i);
  const uint64_t parts = type.is(TypeKind::array) ? type.count : type.members.size();
  if (parts != reader.count(i))
    return reader.fail(
        i, fmt::format("it has {} constituents; its result has {}", reader.count(i), parts));
  Value *composite = llvm::PoisonValue::get(type.llvm);
  for (size_t k = 0; k < reader.count(i); ++k) {
    if (part_type(type, k)->llvm != reader.type(i, k).llvm)
      return reader.fail(i, k,
                         fmt::format("is {}, not {}", description(reader.type(i, k)),
                                     description(*part_type(type, k))));
    composite =
        reader.builder().CreateInsertValue(composite, reader.value(i, k), static_cast<unsigned>(k));
  }
  return composite;
}

// The type of the part that the literals from operand `first` on select.
Result<const Type *> selected_type(FunctionReader &reader, const Instruction &i, const Type &type,
                                   size_t first) {
  const Type *part = &type;
  for (size_t k = first; k < reader.count(i); ++k) {
    const Type *next = part_type(*part, reader.word(i, k));
    if (!next)
      return reader.fail(i, k,
                         fmt::format("is {}, but {} does not have such a part", reader.word(i, k),
                                     description(*part)));
    part = next;
  }
  return part;
}

// The indices of structures and arrays. Whether a component of a vector follows is `in_vector`.
std::vector<unsigned> aggregate_indices(FunctionReader &reader, const Instruction &i, size_t first,
                                        const Type &type, bool &in_vector) {
  std::vector<unsigned> indices;
  const Type *part = &type;
  in_vector = false;
  for (size_t k = first; k < reader.count(i); ++k) {
    if (part->is(TypeKind::vector)) {
      in_vector = true;
      break;
    }
    indices.push_back(reader.word(i, k));
    part = part_type(*part, reader.word(i, k));
  }
  return indices;
}

Value *extract_part(Builder &builder, Value *composite, llvm::ArrayRef<unsigned> indices) {
  return indices.empty() ? composite : builder.CreateExtractValue(composite, indices);
}

Result<Value *> extract(FunctionReader &reader, const Instruction &i) {
  LOCKSTEP_TRY(selected_type(reader, i, reader.type(i, 0), 1));
  bool in_vector = false;
  const auto indices = aggregate_indices(reader, i, 1, reader.type(i, 0), in_vector);
  Value *part = extract_part(reader.builder(), reader.value(i, 0), indices);
  if (!in_vector)
    return part;
  return reader.builder().CreateExtractElement(part, uint64_t{i.operands.back()});
}

Result<Value *> insert(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  const Type &type = reader.result_type(i);
  auto part_wanted = selected_type(reader, i, type, 2);
  LOCKSTEP_TRY(part_wanted);
  if ((*part_wanted)->llvm != reader.type(i, 0).llvm)
    return reader.fail(
        i, 0,
        fmt::format("is {}, not {}", description(reader.type(i, 0)), description(**part_wanted)));
  bool in_vector = false;
  const auto indices = aggregate_indices(reader, i, 2, type, in_vector);
  Value *composite = reader.value(i, 1), *part = reader.value(i, 0);
  if (in_vector)
    part = builder.CreateInsertElement(extract_part(builder, composite, indices), part,
                                       uint64_t{i.operands.back()});
  return indices.empty() ? part : builder.CreateInsertValue(composite, part, indices);
}

// A copy whose type has the same parts, with other ids.
Value *copy_parts(FunctionReader &reader, Value *value, const Type &from, const Type &to) {
  if (from.llvm == to.llvm)
    return value;
  Builder &builder = reader.builder();
  Value *copy = llvm::PoisonValue::get(to.llvm);
  const uint64_t parts = to.is(TypeKind::array) ? to.count : to.members.size();
  for (unsigned k = 0; k < parts; ++k)
    copy = builder.CreateInsertValue(copy,
                                     copy_parts(reader, builder.CreateExtractValue(value, k),
                                                *part_type(from, k), *part_type(to, k)),
                                     k);
  return copy;
}

// Whether the types match logically (SPIR-V 2.9, OpCopyLogical). `steps` limits shared parts.
bool match(const Type &from, const Type &to, unsigned &steps) {
  if (from.llvm == to.llvm)
    return true;
  if (from.kind != to.kind || from.count != to.count || from.members.size() != to.members.size() ||
      steps == 0)
    return false;
  --steps;
  if (from.is(TypeKind::array))
    return match(*from.element, *to.element, steps);
  if (!from.is(TypeKind::structure))
    return false;
  for (size_t k = 0; k < from.members.size(); ++k)
    if (!match(*from.members[k], *to.members[k], steps))
      return false;
  return true;
}

} // namespace

const Type *part_type(const Type &type, uint64_t index) {
  if (type.is(TypeKind::structure))
    return index < type.members.size() ? type.members[index] : nullptr;
  if (type.is(TypeKind::array) || type.is(TypeKind::vector))
    return index < type.count ? type.element : nullptr;
  return nullptr;
}

Result<Value *> translate_vector_element(FunctionReader &reader, const Instruction &i) {
  const Type &vector = reader.type(i, 0);
  if (i.opcode == Op::OpVectorExtractDynamic)
    return reader.builder().CreateExtractElement(reader.value(i, 0), reader.value(i, 1));
  if (reader.type(i, 1).llvm != vector.element->llvm)
    return reader.fail(
        i, 1,
        fmt::format("is {}, not {}", description(reader.type(i, 1)), description(*vector.element)));
  return reader.builder().CreateInsertElement(reader.value(i, 0), reader.value(i, 1),
                                              reader.value(i, 2));
}

Result<Value *> translate_vector_shuffle(FunctionReader &reader, const Instruction &i) {
  Builder &builder = reader.builder();
  const Type &left = reader.type(i, 0), &right = reader.type(i, 1);
  if (left.element->llvm != right.element->llvm)
    return reader.fail(i, 1,
                       fmt::format("is {}, which has other components than {}", description(right),
                                   description(left)));
  // LLVM shuffles vectors of one type.
  const uint64_t width = std::max(left.count, right.count);
  auto widened = [&](Value *value, uint64_t count) {
    std::vector<int> indices;
    for (uint64_t k = 0; k < width; ++k)
      indices.push_back(k < count ? static_cast<int>(k) : -1);
    return count == width ? value : builder.CreateShuffleVector(value, indices);
  };
  std::vector<int> indices;
  for (size_t k = 2; k < reader.count(i); ++k) {
    const uint32_t index = reader.word(i, k);
    if (index != 0xffffffff && index >= left.count + right.count)
      return reader.fail(i, k, fmt::format("is {}, beyond the last component", index));
    if (index == 0xffffffff)
      indices.push_back(-1);
    else
      indices.push_back(static_cast<int>(index < left.count ? index : index - left.count + width));
  }
  const Type &result = reader.result_type(i);
  if (indices.size() != result.count || result.element->llvm != left.element->llvm)
    return reader.fail(i, fmt::format("the result cannot be {}", description(result)));
  return builder.CreateShuffleVector(widened(reader.value(i, 0), left.count),
                                     widened(reader.value(i, 1), right.count), indices);
}

Result<Value *> translate_composite(FunctionReader &reader, const Instruction &i) {
  switch (i.opcode) {
  case Op::OpCompositeConstruct:
    return construct(reader, i);
  case Op::OpCompositeExtract:
    return extract(reader, i);
  case Op::OpCompositeInsert:
    return insert(reader, i);
  default: { // OpCopyLogical
    unsigned steps = 1000;
    if (!match(reader.type(i, 0), reader.result_type(i), steps))
      return reader.fail(i, 0, "does not match the result's type");
    return copy_parts(reader, reader.value(i, 0), reader.type(i, 0), reader.result_type(i));
  }
  }
}

Result<Value *> translate_copy(FunctionReader &reader, const Instruction &i) {
  if (reader.type(i, 0).is(TypeKind::sampled_image))
    reader.set_sampler(i.result, reader.find_sampler(reader.word(i, 0)));
  return reader.value(i, 0);
}

} // namespace lockstep::compiler::spirv

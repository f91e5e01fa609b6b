#include "front_ends/spirv/type_reader.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DerivedTypes.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

constexpr uint64_t largest_size = uint64_t{1} << 47; // bytes; sums and products do not overflow
constexpr unsigned largest_depth = 255;              // SPIR-V 2.17, universal limits
constexpr size_t most_members = 16'383;
constexpr size_t most_parameters = 255;
constexpr uint64_t largest_alignment = 128;

const char *opaque_name(Op opcode) {
  switch (opcode) {
  case Op::OpTypeSampler:
    return "spirv.Sampler";
  case Op::OpTypeEvent:
    return "spirv.Event";
  case Op::OpTypeDeviceEvent:
    return "spirv.DeviceEvent";
  case Op::OpTypeReserveId:
    return "spirv.ReserveId";
  case Op::OpTypeQueue:
    return "spirv.Queue";
  default:
    return "spirv.Pipe";
  }
}

TypeKind opaque_kind(Op opcode) {
  switch (opcode) {
  case Op::OpTypeSampler:
    return TypeKind::sampler;
  case Op::OpTypeEvent:
    return TypeKind::event;
  case Op::OpTypeDeviceEvent:
    return TypeKind::device_event;
  case Op::OpTypeReserveId:
    return TypeKind::reserve_id;
  case Op::OpTypeQueue:
    return TypeKind::queue;
  default:
    return TypeKind::pipe;
  }
}

} // namespace

Result<void> TypeReader::read(const Instruction &instruction) {
  if (instruction.opcode == Op::OpTypeForwardPointer)
    return read_forward_pointer(instruction);
  // A forward pointer has its record already.
  Type *&record = reader_.types_[instruction.result];
  const bool is_new = !record;
  if (is_new)
    record = &reader_.type_records_.emplace_back();
  else if (instruction.opcode != Op::OpTypePointer)
    return error_at(instruction, "the id was declared as a forward pointer");
  Type &type = *record;
  type.id = instruction.result;
  if (is_new) // not yet known: it cannot be part of itself
    reader_.types_.erase(type.id);
  LOCKSTEP_TRY(fill(instruction, type));
  reader_.types_[type.id] = &type;
  return {};
}

// flat: one case for each type
Result<void> TypeReader::fill(const Instruction &instruction, Type &type) {
  llvm::LLVMContext &context = reader_.context();
  switch (instruction.opcode) {
  case Op::OpTypeVoid:
    type.kind = TypeKind::void_type;
    type.llvm = llvm::Type::getVoidTy(context);
    return {};
  case Op::OpTypeBool:
    type.kind = TypeKind::bool_type;
    type.width = 1;
    type.llvm = llvm::Type::getInt1Ty(context);
    return set_size(instruction, type, 1);
  case Op::OpTypeInt:
  case Op::OpTypeFloat:
    return read_number(instruction, type);
  case Op::OpTypeVector:
    return read_vector(instruction, type);
  case Op::OpTypeArray:
    return read_array(instruction, type);
  case Op::OpTypeStruct:
    return read_structure(instruction, type);
  case Op::OpTypePointer:
    return read_pointer(instruction, type, instruction.operands[1]);
  case Op::OpTypeFunction:
    return read_function(instruction, type);
  case Op::OpTypeImage:
  case Op::OpTypeSampledImage:
    return read_image(instruction, type);
  case Op::OpTypeOpaque:
  case Op::OpTypeSampler:
  case Op::OpTypeEvent:
  case Op::OpTypeDeviceEvent:
  case Op::OpTypeReserveId:
  case Op::OpTypeQueue:
  case Op::OpTypePipe:
    return read_opaque(instruction, type);
  default:
    return error_at(instruction, "kernels have no such type");
  }
}

Result<void> TypeReader::set_size(const Instruction &instruction, Type &type, uint64_t bound) {
  if (bound >= largest_size)
    return error_at(instruction, "the type is larger than 2^47 bytes");
  if (type.depth > largest_depth)
    return error_at(instruction, "types are nested more than 255 deep (SPIR-V 2.17)");
  type.size = reader_.target().getDataLayout().getTypeAllocSize(type.llvm);
  return {};
}

Result<const Type *> TypeReader::operand(const Instruction &instruction, size_t number) const {
  const Type *type = reader_.find_type(instruction.operands[number]);
  if (!type)
    return error_at(instruction, number + 1, "is not the id of a type that was defined before");
  return type;
}

Result<const Type *> TypeReader::element(const Instruction &instruction, size_t number) const {
  auto type = operand(instruction, number);
  LOCKSTEP_TRY(type);
  if ((*type)->size == 0 && !(*type)->is(TypeKind::structure) && !(*type)->is(TypeKind::array))
    return error_at(instruction, number + 1,
                    fmt::format("is {}, which has no size", description(**type)));
  return type;
}

Result<void> TypeReader::read_number(const Instruction &instruction, Type &type) {
  llvm::LLVMContext &context = reader_.context();
  type.width = instruction.operands[0];
  if (instruction.opcode == Op::OpTypeInt) {
    type.kind = TypeKind::int_type;
    if (type.width != 8 && type.width != 16 && type.width != 32 && type.width != 64)
      return error_at(instruction, 1,
                      fmt::format("is {}; integers have 8, 16, 32 or 64 bits", type.width));
    type.llvm = llvm::Type::getIntNTy(context, type.width);
    return set_size(instruction, type, 8);
  }
  type.kind = TypeKind::float_type;
  if (type.width != 16 && type.width != 32 && type.width != 64)
    return error_at(instruction, 1,
                    fmt::format("is {}; floats have 16, 32 or 64 bits", type.width));
  if (instruction.operands.size() > 1)
    return error_at(instruction, 2, "names an encoding; only IEEE 754 is supported");
  type.llvm = type.width == 16   ? llvm::Type::getHalfTy(context)
              : type.width == 32 ? llvm::Type::getFloatTy(context)
                                 : llvm::Type::getDoubleTy(context);
  return set_size(instruction, type, 8);
}

Result<void> TypeReader::read_vector(const Instruction &instruction, Type &type) {
  auto component = operand(instruction, 0);
  LOCKSTEP_TRY(component);
  type.kind = TypeKind::vector;
  type.element = *component;
  type.count = instruction.operands[1];
  if ((*component)->width == 0)
    return error_at(
        instruction, 1,
        fmt::format("is {}; vectors are of numbers or bools", description(**component)));
  if (type.count != 2 && type.count != 3 && type.count != 4 && type.count != 8 && type.count != 16)
    return error_at(instruction, 2,
                    fmt::format("is {}; vectors have 2, 3, 4, 8 or 16 components", type.count));
  type.llvm = llvm::FixedVectorType::get((*component)->llvm, static_cast<unsigned>(type.count));
  return set_size(instruction, type, 128);
}

Result<void> TypeReader::read_array(const Instruction &instruction, Type &type) {
  auto element_type = element(instruction, 0);
  LOCKSTEP_TRY(element_type);
  auto *constant = reader_.find_constant<llvm::ConstantInt>(instruction.operands[1]);
  if (!constant)
    return error_at(instruction, 2, "is not an integer constant");
  type.kind = TypeKind::array;
  type.element = *element_type;
  type.count = constant->getZExtValue();
  if (type.count >= largest_size)
    return error_at(instruction, "the type is larger than 2^47 bytes");
  uint64_t bound = 0;
  if (__builtin_mul_overflow(type.count, (*element_type)->size, &bound) ||
      __builtin_mul_overflow(type.count, (*element_type)->leaves, &type.leaves))
    return error_at(instruction, "the type is larger than 2^47 bytes");
  type.depth = (*element_type)->depth + 1;
  type.has_null = (*element_type)->has_null;
  type.llvm = llvm::ArrayType::get((*element_type)->llvm, type.count);
  return set_size(instruction, type, bound);
}

Result<void> TypeReader::read_structure(const Instruction &instruction, Type &type) {
  if (instruction.operands.size() > most_members)
    return error_at(instruction, "it has more than 16383 members (SPIR-V 2.17)");
  type.kind = TypeKind::structure;
  type.leaves = 0;
  std::vector<llvm::Type *> members;
  uint64_t bound = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    auto member = element(instruction, i);
    LOCKSTEP_TRY(member);
    type.members.push_back(*member);
    members.push_back((*member)->llvm);
    type.leaves += (*member)->leaves;
    type.has_null &= (*member)->has_null;
    type.depth = std::max(type.depth, (*member)->depth + 1);
    bound += (*member)->size + largest_alignment;
    if (bound >= largest_size || type.leaves >= largest_size)
      return error_at(instruction, "the type is larger than 2^47 bytes");
  }
  const bool is_packed =
      reader_.source().has_decoration(instruction.result, spv::Decoration::CPacked);
  const llvm::StringRef name = reader_.source().name_of(instruction.result);
  type.llvm = llvm::StructType::create(reader_.context(), members, name.empty() ? "struct" : name,
                                       is_packed);
  return set_size(instruction, type, bound);
}

Result<void> TypeReader::read_pointer(const Instruction &instruction, Type &type, Id pointee) {
  const auto storage = static_cast<spv::StorageClass>(instruction.operands[0]);
  if (type.is(TypeKind::pointer) && type.storage_class != storage)
    return error_at(instruction, 1, "is not the storage class of the forward pointer");
  const auto space = address_space(storage);
  if (!space)
    return error_at(
        instruction, 1,
        fmt::format("is {}, a storage class that kernels do not have", instruction.operands[0]));
  const Type *element_type = reader_.find_type(pointee);
  if (!element_type)
    return error_at(instruction, 2, "is not the id of a type that was defined before");
  type.kind = TypeKind::pointer;
  type.storage_class = storage;
  type.element = element_type;
  type.llvm = llvm::PointerType::get(reader_.context(), *space);
  return set_size(instruction, type, 8);
}

Result<void> TypeReader::read_forward_pointer(const Instruction &instruction) {
  const Id id = instruction.operands[0];
  const auto storage = static_cast<spv::StorageClass>(instruction.operands[1]);
  const auto space = address_space(storage);
  if (!space)
    return error_at(instruction, 2, "is a storage class that kernels do not have");
  if (reader_.find_type(id))
    return error_at(instruction, 1, "is a type that was defined or declared before");
  Type &type = reader_.type_records_.emplace_back();
  type.kind = TypeKind::pointer;
  type.id = id;
  type.storage_class = storage;
  type.llvm = llvm::PointerType::get(reader_.context(), *space);
  reader_.types_[id] = &type;
  return set_size(instruction, type, 8);
}

Result<void> TypeReader::read_function(const Instruction &instruction, Type &type) {
  if (instruction.operands.size() > most_parameters + 1)
    return error_at(instruction, "it has more than 255 parameters (SPIR-V 2.17)");
  auto result = operand(instruction, 0);
  LOCKSTEP_TRY(result);
  if ((*result)->is(TypeKind::function) || (*result)->is(TypeKind::opaque))
    return error_at(instruction, 1, fmt::format("is {}", description(**result)));
  type.kind = TypeKind::function;
  type.has_null = false;
  type.element = *result;
  std::vector<llvm::Type *> parameters;
  for (size_t i = 1; i < instruction.operands.size(); ++i) {
    auto parameter = element(instruction, i);
    LOCKSTEP_TRY(parameter);
    type.members.push_back(*parameter);
    parameters.push_back((*parameter)->llvm);
  }
  type.llvm = llvm::FunctionType::get((*result)->llvm, parameters, false);
  return {};
}

Result<void> TypeReader::read_image(const Instruction &instruction, Type &type) {
  auto operand_type = operand(instruction, 0);
  LOCKSTEP_TRY(operand_type);
  if (instruction.opcode == Op::OpTypeSampledImage) {
    if (!(*operand_type)->is(TypeKind::image))
      return error_at(instruction, 1,
                      fmt::format("is {}, not an image", description(**operand_type)));
    type.kind = TypeKind::sampled_image;
    type.element = *operand_type;
    type.llvm = (*operand_type)->llvm;
    type.has_null = false;
    return set_size(instruction, type, 8);
  }
  const auto words = instruction.operands;
  type.kind = TypeKind::image;
  type.has_null = false;
  type.image.dimension = static_cast<spv::Dim>(words[1]);
  type.image.is_depth = words[2] == 1;
  type.image.is_array = words[3] != 0;
  type.image.is_multisampled = words[4] != 0;
  if (words.size() > 7)
    type.image.access = static_cast<spv::AccessQualifier>(words[7]);
  if (words[1] > 2 && type.image.dimension != spv::Dim::Buffer)
    return error_at(instruction, 2, "is a dimension that images of kernels do not have");
  if (words[2] > 2 || words[3] > 1 || words[4] > 1 || (words.size() > 7 && words[7] > 2))
    return error_at(instruction, "a literal is larger than its enumeration allows");
  std::vector<unsigned> numbers(words.begin() + 1, words.begin() + 7);
  numbers[1] = type.image.is_depth;
  numbers.push_back(static_cast<unsigned>(type.image.access));
  type.llvm = llvm::TargetExtType::get(reader_.context(), "spirv.Image",
                                       {llvm::Type::getVoidTy(reader_.context())}, numbers);
  return set_size(instruction, type, 8);
}

Result<void> TypeReader::read_opaque(const Instruction &instruction, Type &type) {
  llvm::LLVMContext &context = reader_.context();
  if (instruction.opcode == Op::OpTypeOpaque) {
    type.kind = TypeKind::opaque;
    type.llvm = llvm::StructType::create(context, *string_operand(instruction, 0));
    return {};
  }
  type.kind = opaque_kind(instruction.opcode);
  std::vector<unsigned> numbers;
  if (type.is(TypeKind::pipe)) {
    if (instruction.operands[0] > 2)
      return error_at(instruction, 1, "is not an access qualifier");
    type.access = static_cast<spv::AccessQualifier>(instruction.operands[0]);
    numbers.push_back(instruction.operands[0]);
  }
  auto *target = llvm::TargetExtType::get(context, opaque_name(instruction.opcode), {}, numbers);
  type.llvm = target;
  type.has_null = target->hasProperty(llvm::TargetExtType::HasZeroInit);
  return set_size(instruction, type, 8);
}

} // namespace lockstep::compiler::spirv

#include "front_ends/spirv/check_operands.h"

#include "llvm/IR/Constants.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// LLVM takes large values apart into their scalars. Programs copy such memory instead.
constexpr uint64_t most_leaves = 65'536;

bool is_number(const Type &type) {
  return type.is(TypeKind::int_type) || type.is(TypeKind::float_type);
}

bool is_int(const Type &type, uint32_t width) {
  return type.is(TypeKind::int_type) && type.width == width;
}

bool is_vector_of(const Type &type, TypeKind component) {
  return type.is(TypeKind::vector) && type.element->is(component);
}

bool is_value(const Type &type) {
  return !type.is(TypeKind::void_type) && !type.is(TypeKind::function) &&
         !type.is(TypeKind::opaque);
}

// flat: one case for each class of types
bool belongs(const Type &type, OperandClass operand_class) {
  switch (operand_class) {
  case OperandClass::void_type:
    return type.is(TypeKind::void_type);
  case OperandClass::any:
    return is_value(type);
  case OperandClass::any_or_void:
    return is_value(type) || type.is(TypeKind::void_type);
  case OperandClass::bool_scalar:
    return type.is(TypeKind::bool_type);
  case OperandClass::bools:
    return type.scalar().is(TypeKind::bool_type);
  case OperandClass::int_scalar:
  case OperandClass::constant_int:
    return type.is(TypeKind::int_type);
  case OperandClass::ints:
    return type.scalar().is(TypeKind::int_type);
  case OperandClass::int8:
    return is_int(type, 8);
  case OperandClass::int16:
    return is_int(type, 16);
  case OperandClass::int32:
    return is_int(type, 32);
  case OperandClass::int64:
    return is_int(type, 64);
  case OperandClass::float_scalar:
    return type.is(TypeKind::float_type);
  case OperandClass::floats:
    return type.scalar().is(TypeKind::float_type);
  case OperandClass::number:
    return is_number(type);
  case OperandClass::numbers:
    return is_number(type.scalar());
  case OperandClass::scalar:
    return is_number(type) || type.is(TypeKind::bool_type);
  case OperandClass::pointer:
    return type.is(TypeKind::pointer);
  case OperandClass::vector:
    return type.is(TypeKind::vector);
  case OperandClass::int_vector:
    return is_vector_of(type, TypeKind::int_type);
  case OperandClass::float_vector:
    return is_vector_of(type, TypeKind::float_type);
  case OperandClass::bool_vector:
    return is_vector_of(type, TypeKind::bool_type);
  case OperandClass::composite:
    return type.is(TypeKind::vector) || type.is(TypeKind::array) || type.is(TypeKind::structure);
  case OperandClass::structure:
    return type.is(TypeKind::structure);
  case OperandClass::image:
    return type.is(TypeKind::image);
  case OperandClass::sampler:
    return type.is(TypeKind::sampler);
  case OperandClass::sampled_image:
    return type.is(TypeKind::sampled_image);
  case OperandClass::event:
    return type.is(TypeKind::event);
  case OperandClass::device_event:
    return type.is(TypeKind::device_event);
  case OperandClass::queue:
    return type.is(TypeKind::queue);
  case OperandClass::reserve_id:
    return type.is(TypeKind::reserve_id);
  case OperandClass::pipe:
    return type.is(TypeKind::pipe);
  default:
    return false;
  }
}

// Checks one instruction inside of a function.
class OperandCheck {
public:
  OperandCheck(FunctionReader &reader, const Instruction &instruction)
      : reader_(reader), instruction_(instruction) {}

  Result<void> check() {
    if (instruction_.row->has_result_type) {
      auto result = check_result_type(reader_.reader(), instruction_);
      LOCKSTEP_TRY(result);
      result_ = *result;
      if (result_->leaves > most_leaves)
        return reader_.fail(instruction_, fmt::format("the result has more than {} scalars and "
                                                      "vectors",
                                                      most_leaves));
    }
    const auto &patterns = instruction_.row->operands;
    for (size_t i = 0; i < instruction_.operands.size() && !patterns.empty(); ++i) {
      const OperandPattern &pattern = patterns[std::min(i, patterns.size() - 1)];
      if (pattern.operand_class == OperandClass::string)
        break; // the last operand of such instructions
      LOCKSTEP_TRY(check_operand(i, pattern));
    }
    return {};
  }

private:
  Result<void> check_operand(size_t operand, const OperandPattern &pattern) {
    const Id id = instruction_.operands[operand];
    switch (pattern.operand_class) {
    case OperandClass::word:
    case OperandClass::id:
      return {};
    case OperandClass::label:
      if (!reader_.find_block(id))
        return reader_.fail(instruction_, operand, "is not a label of this function");
      return {};
    case OperandClass::type:
      if (!reader_.find_type(id))
        return reader_.fail(instruction_, operand, "is not a type");
      return {};
    case OperandClass::function:
      if (!reader_.reader().find_function(id))
        return reader_.fail(instruction_, operand, "is not a function");
      return {};
    default:
      return check_value(operand, pattern);
    }
  }

  Result<void> check_value(size_t operand, const OperandPattern &pattern) {
    const TypedValue *value = reader_.find_value(instruction_.operands[operand]);
    types_.resize(operand + 1);
    if (!value)
      return reader_.fail(instruction_, operand,
                          fmt::format("is %{}, which is not a value that is defined here",
                                      instruction_.operands[operand]));
    const Type &type = *value->type;
    types_[operand] = &type;
    if (!belongs(type, pattern.operand_class))
      return reader_.fail(
          instruction_, operand,
          fmt::format("is {}, not {}", description(type), word_of(pattern.operand_class)));
    if (pattern.operand_class == OperandClass::constant_int &&
        !llvm::isa<llvm::ConstantInt>(value->value))
      return reader_.fail(instruction_, operand, "is not a constant");
    LOCKSTEP_TRY(check_same_type(operand, type, pattern));
    return check_same_count(operand, type, pattern);
  }

  // The type that '=' or '#' refers to. Null: that operand is absent or not a value.
  const Type *referred(uint8_t reference) const {
    if (reference == 0)
      return result_;
    return reference <= types_.size() ? types_[reference - 1] : nullptr;
  }

  Result<void> check_same_type(size_t operand, const Type &type, const OperandPattern &pattern) {
    if (!pattern.same_type)
      return {};
    const Type *wanted = referred(*pattern.same_type);
    if (!wanted || wanted->llvm != type.llvm)
      return reader_.fail(instruction_, operand,
                          fmt::format("is {}, not {}", description(type),
                                      wanted ? description(*wanted) : "a type that fits"));
    return {};
  }

  Result<void> check_same_count(size_t operand, const Type &type, const OperandPattern &pattern) {
    if (!pattern.same_count)
      return {};
    const Type *wanted = referred(*pattern.same_count);
    if (!wanted || wanted->is(TypeKind::vector) != type.is(TypeKind::vector) ||
        wanted->components() != type.components())
      return reader_.fail(instruction_, operand,
                          fmt::format("is {}, which has another number of components than {}",
                                      description(type),
                                      wanted ? description(*wanted) : "its counterpart"));
    return {};
  }

  FunctionReader &reader_;
  const Instruction &instruction_;
  const Type *result_ = nullptr;
  llvm::SmallVector<const Type *, 8> types_; // of the operands that are values
};

} // namespace

Result<const Type *> check_result_type(const Reader &reader, const Instruction &instruction) {
  const Type *type = reader.find_type(instruction.result_type);
  if (!type)
    return error_at(instruction, fmt::format("its result type %{} is not a type that was defined "
                                             "before",
                                             instruction.result_type));
  const OperandClass wanted = instruction.row->result.operand_class;
  if (!belongs(*type, wanted))
    return error_at(instruction, fmt::format("its result type is {}, not {}", description(*type),
                                             word_of(wanted)));
  return type;
}

Result<void> check_operands(FunctionReader &reader, const Instruction &instruction) {
  return OperandCheck(reader, instruction).check();
}

} // namespace lockstep::compiler::spirv

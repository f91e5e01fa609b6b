// Instructions of extended sets: those of OpenCL.std are calls of builtins (opencl_std.def). All
// other sets that a module may import describe the program and do not change it.
#include "front_ends/spirv/check_operands.h"
#include "front_ends/spirv/instructions/builtin_calls.h"
#include "front_ends/spirv/instructions/translators.h"
#include "platform/linux/leaked.h"

#include "llvm/ADT/DenseMap.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// What the type of the result must be, besides the row's pattern.
enum class ResultRule : uint8_t {
  any,
  int32,
  float32,
  component,      // the type of operand 1, or its component
  same_component, // its component has the type of that of operand 1
  as_wide,        // as many bits as operand 1
  twice_as_wide,
};

enum class Form : uint8_t {
  plain,
  float_pointer, // a pointer is to a value of the result's type
  int_pointer,   // a pointer is to 32-bit integers, as many as the result has components
  load,
  load_half,
  store,
  store_half,
  print,
  prefetch,
};

struct StdInstruction {
  std::string_view name, builtin, signs;
  ResultRule rule;
  Form form;
  InstructionRow row;

  bool is_signed(size_t operand) const { return signs[std::min(operand, signs.size() - 1)] == 's'; }
};

IdMap<StdInstruction> make_table() {
  IdMap<StdInstruction> table;
#define SPIRV_STD(number, name, builtin, signs, pattern, rule, form)                               \
  table[number] = {#name, builtin, signs, ResultRule::rule, Form::form, parse_pattern(pattern)};
#include "front_ends/spirv/instructions/opencl_std.def"
  for (auto &[number, instruction] : table)
    instruction.row.name = instruction.name;
  return table;
}

const StdInstruction *find_instruction(uint32_t number) {
  const IdMap<StdInstruction> &table = leaked([] { return make_table(); });
  auto found = table.find(number);
  return found == table.end() ? nullptr : &found->second;
}

Result<void> check_count(FunctionReader &reader, const Instruction &i) {
  const auto &patterns = i.row->operands;
  size_t least = 0;
  while (least < patterns.size() && !patterns[least].is_optional)
    ++least;
  const bool is_open = !patterns.empty() && patterns.back().is_repeated;
  if (i.operands.size() < least || (i.operands.size() > patterns.size() && !is_open))
    return reader.fail(i, fmt::format("it has {} operands; the instruction takes {}",
                                      i.operands.size(), patterns.size()));
  return {};
}

bool keeps(ResultRule rule, const Type &result, const Type *first) {
  switch (rule) {
  case ResultRule::any:
    return true;
  case ResultRule::int32:
  case ResultRule::float32:
    return result.scalar().width == 32;
  case ResultRule::component:
    return result.llvm == first->scalar().llvm;
  case ResultRule::same_component:
    return result.scalar().llvm == first->scalar().llvm;
  case ResultRule::as_wide:
    return result.scalar().width == first->scalar().width;
  case ResultRule::twice_as_wide:
    return result.scalar().width == 2 * first->scalar().width;
  }
  return false;
}

// Translates an instruction whose operands are those after the number of the set.
class StdTranslator {
public:
  StdTranslator(FunctionReader &reader, const Instruction &i, const StdInstruction &what)
      : reader_(reader), i_(i), what_(what) {}

  Result<llvm::Value *> translate() {
    switch (what_.form) {
    case Form::load:
      return load(reader_.result_type(i_).scalar().llvm);
    case Form::load_half:
      return load(half());
    case Form::store:
      return store(reader_.type(i_, 0).scalar().llvm);
    case Form::store_half:
      return store(half());
    case Form::print:
      return print();
    case Form::prefetch:
      return prefetch();
    default:
      return plain();
    }
  }

private:
  Result<llvm::Value *> plain() {
    std::vector<BuiltinArgument> arguments;
    for (size_t operand = 0; operand < i_.operands.size(); ++operand)
      if (reader_.type(i_, operand).is(TypeKind::pointer))
        arguments.push_back(pointer_argument(reader_.value(i_, operand), pointee()));
      else
        arguments.push_back(operand_argument(reader_, i_, operand, what_.is_signed(operand)));
    return call(std::string(what_.builtin), arguments);
  }

  // What the pointers of fract, frexp and the like point to.
  ParameterType pointee() {
    llvm::Type *type = reader_.result_type(i_).llvm;
    if (what_.form == Form::int_pointer)
      type = type->getWithNewType(llvm::Type::getInt32Ty(reader_.context()));
    return argument_type(type);
  }

  Result<llvm::Value *> load(llvm::Type *element) {
    const Type &result = reader_.result_type(i_);
    if (i_.operands.size() > 2 && i_.operands[2] != result.components())
      return reader_.fail(i_, 2, "is not the number of components of the result");
    return call(with_count(std::string(what_.builtin), result),
                {offset(0), memory(1, element, is_const)});
  }

  Result<llvm::Value *> store(llvm::Type *element) {
    static constexpr std::string_view roundings[] = {"_rte", "_rtz", "_rtp", "_rtn"};
    std::string name = with_count(std::string(what_.builtin), reader_.type(i_, 0));
    if (i_.operands.size() > 3) {
      if (i_.operands[3] >= std::size(roundings))
        return reader_.fail(i_, 3, "is not a rounding mode");
      name += roundings[i_.operands[3]];
    }
    return call(name,
                {operand_argument(reader_, i_, 0), offset(1), memory(2, element, unqualified)});
  }

  Result<llvm::Value *> prefetch() {
    const Type *element = reader_.type(i_, 0).element;
    if (!element || !element->llvm)
      return reader_.fail(i_, 0, "is a pointer to a type that is not complete");
    return call("prefetch", {memory(0, element->llvm, is_const), offset(1)});
  }

  // As clang passes variable arguments. lower-printf converts integers by the format.
  Result<llvm::Value *> print() {
    Builder &builder = reader_.builder();
    llvm::Type *format = llvm::PointerType::get(reader_.context(), 2);
    std::vector<llvm::Value *> arguments = {
        builder.CreatePointerBitCastOrAddrSpaceCast(reader_.value(i_, 0), format)};
    for (size_t operand = 1; operand < i_.operands.size(); ++operand) {
      const Type &type = reader_.type(i_, operand);
      llvm::Value *value = reader_.value(i_, operand);
      if (type.is(TypeKind::float_type))
        value = builder.CreateFPExt(value, builder.getDoubleTy());
      else if (type.is(TypeKind::bool_type))
        value = bool_to_int(builder, value);
      else if (!type.is(TypeKind::int_type) && !type.is(TypeKind::pointer) &&
               !(type.is(TypeKind::vector) && !type.element->is(TypeKind::bool_type)))
        return reader_.fail(i_, operand,
                            fmt::format("is {}, which cannot be printed", description(type)));
      arguments.push_back(value);
    }
    return reader_.call_function(
        "printf", llvm::FunctionType::get(builder.getInt32Ty(), {format}, true), arguments);
  }

  Result<llvm::Value *> call(const std::string &name, llvm::ArrayRef<BuiltinArgument> arguments) {
    auto result = call_checked(reader_, i_, name, reader_.result_type(i_).llvm, arguments);
    LOCKSTEP_TRY(result);
    if (llvm::isa<llvm::FPMathOperator>(*result)) {
      llvm::FastMathFlags flags = reader_.fast_math(i_);
      flags.setAllowContract(false); // a call of a builtin is not contracted
      llvm::cast<llvm::Instruction>(*result)->setFastMathFlags(flags);
    }
    return result;
  }

  BuiltinArgument offset(size_t operand) {
    return argument(to_64(reader_.builder(), reader_.value(i_, operand)), false);
  }
  BuiltinArgument memory(size_t operand, llvm::Type *element, unsigned qualifiers) {
    return pointer_argument(reader_.value(i_, operand), argument_type(element), qualifiers);
  }
  static ParameterType argument_type(llvm::Type *type) {
    return type_of(type, true).value_or(scalar("?"));
  }
  llvm::Type *half() { return llvm::Type::getHalfTy(reader_.context()); }
  static std::string with_count(std::string name, const Type &type) {
    return type.is(TypeKind::vector) ? name + std::to_string(type.count) : name;
  }

  FunctionReader &reader_;
  const Instruction &i_;
  const StdInstruction &what_;
};

} // namespace

Result<llvm::Value *> translate_extended(FunctionReader &reader, const Instruction &instruction) {
  const auto &sets = reader.source().extended_sets;
  auto set = sets.find(instruction.operands[0]);
  if (set == sets.end())
    return reader.fail(instruction, 0, "is not an imported set of instructions");
  if (set->second != "OpenCL.std")
    return nullptr;
  const uint32_t number = instruction.operands[1];
  const StdInstruction *what = find_instruction(number);
  if (!what)
    return reader.fail(instruction, 1,
                       fmt::format("is {}; OpenCL.std has no such instruction", number));
  Instruction inner = instruction;
  inner.row = &what->row;
  inner.operands = instruction.operands.drop_front(2);
  LOCKSTEP_TRY(check_count(reader, inner));
  LOCKSTEP_TRY(check_operands(reader, inner));
  const Type *first = what->rule == ResultRule::any || what->rule == ResultRule::int32 ||
                              what->rule == ResultRule::float32
                          ? nullptr
                          : &reader.type(inner, 0);
  if (!keeps(what->rule, reader.result_type(inner), first))
    return reader.fail(
        inner, fmt::format("its result cannot be {}", description(reader.result_type(inner))));
  return StdTranslator(reader, inner, *what).translate();
}

} // namespace lockstep::compiler::spirv

#include "kernel_ir/primitives.h"

#include "kernel_ir/form.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <iterator>

namespace lockstep::compiler {

namespace {
enum class Functions { single, per_type };

struct Row {
  llvm::StringLiteral name;
  Functions functions;
};
constexpr Row rows[] = {
#define LOCKSTEP_PRIMITIVE(primitive, name, functions) {name, Functions::functions},
#include "kernel_ir/primitives.def"
};

constexpr llvm::StringLiteral type_suffixes[] = {"_i8", "_i16", "_i32", "_i64", "_f32", "_f64"};

void set_primitive(llvm::Function &function, Primitive primitive) {
  function.addFnAttr(primitive_attribute, llvm::utostr(static_cast<unsigned>(primitive)));
}
} // namespace

const char *primitive_name(Primitive primitive) {
  return rows[static_cast<unsigned>(primitive)].name.data();
}

std::optional<Primitive> primitive_named(llvm::StringRef name) {
  if (!name.starts_with("__lockstep_"))
    return std::nullopt;
  llvm::StringRef base = name;
  for (llvm::StringRef suffix : type_suffixes)
    base.consume_back(suffix);
  for (unsigned number = 0; number != std::size(rows); ++number)
    if (rows[number].functions == Functions::per_type ? base != name && base == rows[number].name
                                                      : name == rows[number].name)
      return static_cast<Primitive>(number);
  return std::nullopt;
}

void set_primitives(llvm::Module &module) {
  for (llvm::Function &function : module) {
    function.removeFnAttr(primitive_attribute); // a program's binary may contain any number
    if (const auto primitive = primitive_named(function.getName());
        primitive && function.isDeclaration())
      set_primitive(function, *primitive);
  }
}

llvm::FunctionCallee declare_primitive(llvm::Module &module, Primitive primitive,
                                       llvm::FunctionType *type) {
  llvm::FunctionCallee callee = module.getOrInsertFunction(primitive_name(primitive), type);
  set_primitive(*llvm::cast<llvm::Function>(callee.getCallee()), primitive);
  return callee;
}

llvm::FunctionCallee declare_primitive(llvm::Module &module, Primitive primitive,
                                       llvm::Type *result,
                                       llvm::ArrayRef<llvm::Type *> parameters) {
  return declare_primitive(module, primitive, llvm::FunctionType::get(result, parameters, false));
}

llvm::FunctionCallee declare_primitive_of_type(llvm::Module &module, Primitive primitive,
                                               llvm::Type *type, llvm::FunctionType *function) {
  const char *kind = type->isFloatingPointTy() ? "_f" : "_i";
  const std::string name = primitive_name(primitive) + std::string(kind) +
                           llvm::utostr(type->getPrimitiveSizeInBits().getFixedValue());
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, function);
  set_primitive(*llvm::cast<llvm::Function>(callee.getCallee()), primitive);
  return callee;
}

std::optional<Primitive> primitive_of(const llvm::Function &function) {
  unsigned number = 0;
  if (function.getFnAttribute(primitive_attribute).getValueAsString().getAsInteger(10, number))
    return std::nullopt; // no attribute
  return static_cast<Primitive>(number);
}

std::optional<Primitive> called_primitive(const llvm::Value &value) {
  auto *call = llvm::dyn_cast<llvm::CallInst>(&value);
  if (!call || !call->getCalledFunction())
    return std::nullopt;
  return primitive_of(*call->getCalledFunction());
}

bool is_group_operation(Primitive primitive) {
  return primitive == Primitive::barrier || is_group_copy(primitive) ||
         primitive == Primitive::group_combine;
}

bool is_group_operation(const llvm::Instruction &instruction) {
  auto primitive = called_primitive(instruction);
  return primitive && (is_group_operation(*primitive) ||
                       (*primitive == Primitive::suspend &&
                        llvm::cast<llvm::CallInst>(instruction).hasFnAttr(once_for_group)));
}

bool is_check(Primitive primitive) {
  return primitive >= Primitive::check_access && primitive <= Primitive::check_outside;
}

bool is_record(Primitive primitive) {
  return primitive >= Primitive::record_argument;
}

bool is_group_copy(Primitive primitive) {
  return primitive == Primitive::group_copy || primitive == Primitive::group_copy_lines;
}

bool is_sub_group_operation(Primitive primitive) {
  switch (primitive) {
  case Primitive::sub_group_barrier:
  case Primitive::sub_group_ballot:
  case Primitive::sub_group_broadcast:
  case Primitive::sub_group_shuffle:
  case Primitive::sub_group_reduce:
  case Primitive::sub_group_scan:
    return true;
  default:
    return false;
  }
}

bool is_of_work_item(Primitive primitive) {
  switch (primitive) {
  case Primitive::local_id:
  case Primitive::group_id:
  case Primitive::local_size:
  case Primitive::enqueued_local_size:
  case Primitive::global_size:
  case Primitive::global_offset:
  case Primitive::num_groups:
  case Primitive::work_dim:
    return true;
  default:
    return false;
  }
}

bool is_sub_group_uniform(const llvm::CallInst &call) {
  auto primitive = called_primitive(call);
  // A clustered reduction has a result for each cluster.
  if (primitive == Primitive::sub_group_reduce) {
    auto *cluster = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    return cluster && cluster->isZero();
  }
  return primitive == Primitive::check_load || primitive == Primitive::all_lanes ||
         primitive == Primitive::sub_group_ballot || primitive == Primitive::sub_group_broadcast ||
         primitive == Primitive::sub_group_id || primitive == Primitive::sub_group_width ||
         primitive == Primitive::watched;
}

std::optional<unsigned> constant_dimension(const llvm::CallInst &call) {
  if (call.arg_size() == 0)
    return std::nullopt;
  if (auto *dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0)))
    return static_cast<unsigned>(dimension->getZExtValue());
  return std::nullopt;
}

} // namespace lockstep::compiler

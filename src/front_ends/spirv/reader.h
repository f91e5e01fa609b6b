// Reads a parsed module into kernel IR. Holds what all functions share: types, constants and
// variables of the program.
#pragma once

#include "front_ends/front_ends.h"
#include "front_ends/spirv/module/module.h"
#include "front_ends/spirv/types.h"

#include "llvm/IR/Module.h"

#include <deque>
#include <memory>
#include <set>

namespace llvm {
class Function;
class Value;
} // namespace llvm

namespace lockstep::compiler::spirv {

struct TypedValue {
  llvm::Value *value = nullptr;
  const Type *type = nullptr;
  const Instruction *definition = nullptr; // null: a parameter
};

class Places;

// Names that only Lockstep and LLVM define.
bool is_reserved_name(llvm::StringRef name);

class Reader {
public:
  // `is_debug`: the program is built with -g.
  Reader(const Module &source, llvm::Module &target, const std::vector<SpecConstant> &constants,
         bool is_debug = false);
  ~Reader();
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  // Reads the whole module. The result is verified.
  Result<void> read();

  const Module &source() const { return source_; }
  llvm::Module &target() { return target_; }
  llvm::LLVMContext &context() { return target_.getContext(); }
  Places &places() { return *places_; }

  // Null: there is no such type.
  const Type *find_type(Id id) const;
  // A type, constant or variable of the program, or a function. Null: there is none.
  const TypedValue *find_global(Id id) const;
  // Null: the id names no constant of the class. Built-in variables have a type, but no value.
  template <class Constant = llvm::Constant> Constant *find_constant(Id id) const {
    const TypedValue *global = find_global(id);
    return global ? llvm::dyn_cast_or_null<Constant>(global->value) : nullptr;
  }
  // The built-in variable that the id names (built_in_variables.h).
  std::optional<spv::BuiltIn> built_in(Id id) const;
  llvm::Function *find_function(Id id) const { return functions_.lookup(id); }
  const Type *find_function_type(Id function) const { return function_types_.lookup(function); }
  bool is_kernel(Id function) const { return kernel_names_.contains(function); }
  // The names of the kernels that the function is; empty if it is not an entry point.
  llvm::ArrayRef<std::string> kernel_names(Id function) const;
  // Whether floating-point operations may be contracted: no kernel has ContractionOff.
  bool contracts() const { return contracts_; }

private:
  friend class TypeReader;
  friend class ConstantReader;
  friend class DeclarationReader;

  Result<void> read_entry_points();
  Result<void> read_bodies();
  Result<void> read_globals();
  Result<void> read_global(const Instruction &instruction);
  Result<void> read_functions();
  Result<void> verify();

  const Module &source_;
  llvm::Module &target_;
  const std::vector<SpecConstant> &constants_;
  std::unique_ptr<Places> places_;
  std::deque<Type> type_records_;
  IdMap<Type *> types_;
  IdMap<TypedValue> globals_;
  IdMap<spv::BuiltIn> built_ins_;
  IdMap<llvm::Function *> functions_;
  IdMap<const Type *> function_types_;
  IdMap<std::vector<std::string>> kernel_names_;
  std::set<std::string> used_kernel_names_;
  bool contracts_ = true;
};

} // namespace lockstep::compiler::spirv

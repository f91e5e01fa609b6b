// Translates the body of one function, in reverse post-order of its blocks. It checks the operands
// of each instruction against its row (instruction_table.h), then calls the row's translator.
//
// Translators may rely on the row: value() and type() have what the pattern says. All other rules
// are theirs to check before they build anything, because a wrong type is undefined behavior in
// LLVM without assertions.
#pragma once

#include "front_ends/spirv/mangle.h"
#include "front_ends/spirv/module/instruction_table.h"
#include "front_ends/spirv/reader.h"

#include "llvm/Analysis/TargetFolder.h"
#include "llvm/IR/IRBuilder.h"

#include <unordered_map>

namespace lockstep::compiler::spirv {

using Builder = llvm::IRBuilder<llvm::TargetFolder>;

struct BuiltinArgument {
  llvm::Value *value;
  ParameterType type;
};

class FunctionReader {
public:
  FunctionReader(Reader &reader, llvm::Function &function);

  // Translates the body into the function, which is empty.
  Result<void> read(const FunctionBody &body);
  // Translates one instruction outside of functions (OpSpecConstantOp) at the end of `block`.
  Result<TypedValue> read_alone(const Instruction &instruction, llvm::BasicBlock &block);

  Reader &reader() { return reader_; }
  const Module &source() const { return reader_.source(); }
  llvm::Module &target() { return reader_.target(); }
  llvm::LLVMContext &context() { return reader_.context(); }
  llvm::Function &function() { return function_; }
  bool in_function() const { return entry_ != nullptr; } // not for a constant of the module
  Builder &builder() { return builder_; }

  // ---- operands, counted from 0, after the result ----
  size_t count(const Instruction &i) const { return i.operands.size(); }
  uint32_t word(const Instruction &i, size_t operand) const { return i.operands[operand]; }
  bool has(const Instruction &i, size_t operand) const { return operand < i.operands.size(); }
  llvm::Value *value(const Instruction &i, size_t operand);
  const Type &type(const Instruction &i, size_t operand);
  // The type record of the result; only instructions whose row has one.
  const Type &result_type(const Instruction &i) const;
  // The value of an operand that is an integer constant.
  std::optional<uint64_t> constant(const Instruction &i, size_t operand);
  // A value by its id; null: not defined (yet), or not a value. For operands of class `id`.
  const TypedValue *find_value(Id id);
  const Type *find_type(Id id) const { return reader_.find_type(id); }
  // The basic block of a label of this function, or null.
  llvm::BasicBlock *find_block(Id label) const;

  // The sampler of a value of type TypeKind::sampled_image.
  void set_sampler(Id sampled_image, llvm::Value *sampler) { samplers_[sampled_image] = sampler; }
  llvm::Value *find_sampler(Id sampled_image) const { return samplers_.lookup(sampled_image); }

  // ---- building ----
  // A call of an OpenCL C builtin by its mangled name. Convergent: the call is a barrier or a
  // collective.
  llvm::CallInst *call_builtin(std::string_view name, llvm::Type *result,
                               llvm::ArrayRef<BuiltinArgument> arguments,
                               bool is_convergent = false);
  // A call of a function by this name, without mangling.
  llvm::CallInst *call_function(llvm::StringRef name, llvm::FunctionType *type,
                                llvm::ArrayRef<llvm::Value *> arguments,
                                bool is_convergent = false);
  // A variable in the function's entry block.
  llvm::AllocaInst *private_variable(llvm::Type *type);
  // Fast-math flags of the instruction's decorations; contraction as the kernels allow it.
  llvm::FastMathFlags fast_math(const Instruction &i) const;
  const Decoration *decoration(const Instruction &i, spv::Decoration kind) const;

  // A phi, whose values finish_phis() adds when all blocks were read.
  llvm::PHINode *add_phi(const Instruction &i);

  // ---- errors ----
  Error fail(const Instruction &i, const std::string &rule) const { return error_at(i, rule); }
  Error fail(const Instruction &i, size_t operand, const std::string &rule) const {
    return error_at(i, operand + 1, rule);
  }

private:
  Result<void> read_block(const Block &block);
  Result<void> read_instruction(const Instruction &i);
  struct Phi {
    llvm::PHINode *node;
    const Instruction *instruction;
  };
  Result<void> finish_phis();
  Result<void> finish_phi(const Phi &phi);
  Result<void> check_dominance() const;
  Result<void> set_result(const Instruction &i, llvm::Value *value);
  llvm::Value *make_sampler(const TypedValue &number);
  llvm::Value *copy_built_in(Id id, const Type &pointer);

  Reader &reader_;
  llvm::Function &function_;
  Builder builder_;
  llvm::BasicBlock *entry_ = nullptr;         // variables, and copies of built-in variables
  std::unordered_map<Id, TypedValue> values_; // its elements do not move
  IdMap<llvm::BasicBlock *> blocks_;          // the reachable ones
  IdMap<llvm::Value *> samplers_;
  std::vector<Phi> phis_;
};

} // namespace lockstep::compiler::spirv

// Reads the variables of the program, and declares its functions.
#pragma once

#include "front_ends/spirv/reader.h"

namespace lockstep::compiler::spirv {

class DeclarationReader {
public:
  explicit DeclarationReader(Reader &reader) : reader_(reader) {}

  Result<void> read_variable(const Instruction &instruction);
  Result<void> declare(const FunctionBody &body);

private:
  struct Linkage {
    llvm::StringRef name; // empty: the symbol is local to the module
    spv::LinkageType type = spv::LinkageType::Export;
  };

  Result<Linkage> linkage_of(const Instruction &instruction) const;
  Result<void> read_built_in(const Instruction &instruction, const Type &type);
  Result<void> read_sampler(const Instruction &instruction, const Type &type);
  Result<llvm::Constant *> initializer_of(const Instruction &instruction, const Type &type,
                                          bool is_import) const;
  Result<const Type *> function_type(const FunctionBody &body) const;
  Result<llvm::Function *> create(const FunctionBody &body, const Type &type);
  Result<llvm::Function *> create_symbol(const FunctionBody &body, const Type &type,
                                         const Linkage &linkage);
  Result<void> add_parameter_attributes(const FunctionBody &body, llvm::Function &function);
  Result<void> add_parameter_attribute(const Instruction &parameter, const Decoration &decoration,
                                       llvm::Argument &argument);

  Reader &reader_;
};

} // namespace lockstep::compiler::spirv

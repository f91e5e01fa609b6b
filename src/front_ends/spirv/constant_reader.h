// Reads the constants of a module, and replaces the values of specialization constants.
#pragma once

#include "front_ends/spirv/reader.h"

namespace llvm {
class Constant;
}

namespace lockstep::compiler::spirv {

class ConstantReader {
public:
  explicit ConstantReader(Reader &reader) : reader_(reader) {}

  static bool reads(Op opcode) {
    return (opcode >= Op::OpConstantTrue && opcode <= Op::OpSpecConstantOp) ||
           opcode == Op::OpUndef;
  }
  Result<void> read(const Instruction &instruction);

private:
  Result<llvm::Value *> make(const Instruction &instruction, const Type &type);
  Result<llvm::Value *> make_bool(const Instruction &instruction);
  Result<llvm::Value *> make_number(const Instruction &instruction, const Type &type);
  Result<llvm::Value *> make_composite(const Instruction &instruction, const Type &type);
  Result<llvm::Value *> make_null(const Instruction &instruction, const Type &type);
  Result<llvm::Value *> make_sampler(const Instruction &instruction);
  Result<llvm::Value *> make_operation(const Instruction &instruction);
  // The bits that the program gives a specialization constant; absent: it has its default.
  std::optional<uint64_t> given_value(const Instruction &instruction) const;

  Reader &reader_;
};

} // namespace lockstep::compiler::spirv

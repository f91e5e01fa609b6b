// Reads the types of a module.
#pragma once

#include "front_ends/spirv/reader.h"

namespace lockstep::compiler::spirv {

class TypeReader {
public:
  explicit TypeReader(Reader &reader) : reader_(reader) {}

  static bool reads(Op opcode) {
    return opcode >= Op::OpTypeVoid && opcode <= Op::OpTypeForwardPointer;
  }
  Result<void> read(const Instruction &instruction);

private:
  Result<void> fill(const Instruction &instruction, Type &type);
  Result<void> read_number(const Instruction &instruction, Type &type);
  Result<void> read_vector(const Instruction &instruction, Type &type);
  Result<void> read_array(const Instruction &instruction, Type &type);
  Result<void> read_structure(const Instruction &instruction, Type &type);
  Result<void> read_pointer(const Instruction &instruction, Type &type, Id pointee);
  Result<void> read_forward_pointer(const Instruction &instruction);
  Result<void> read_function(const Instruction &instruction, Type &type);
  Result<void> read_image(const Instruction &instruction, Type &type);
  Result<void> read_opaque(const Instruction &instruction, Type &type);
  // The type of an operand, or an error.
  Result<const Type *> operand(const Instruction &instruction, size_t number) const;
  // The same, if values of the type can be parts of values in memory.
  Result<const Type *> element(const Instruction &instruction, size_t number) const;
  Result<void> set_size(const Instruction &instruction, Type &type, uint64_t bound);

  Reader &reader_;
};

} // namespace lockstep::compiler::spirv

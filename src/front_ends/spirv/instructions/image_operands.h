// The optional operands of instructions that read and write images: a mask, then the ids that
// belong to its bits.
#pragma once

#include "front_ends/spirv/function_reader.h"

namespace lockstep::compiler::spirv {

struct ImageOperands {
  llvm::Value *lod = nullptr;
  std::vector<llvm::Value *> gradient; // none, or by x and by y
  bool extends_sign = false, extends_zero = false;
};

// Coordinates that an image has, besides its layer.
unsigned dimensions_of(const ImageShape &shape);
bool is_zero(llvm::Value *value);

// `mask` is the operand that may be the mask.
Result<ImageOperands> image_operands(FunctionReader &reader, const Instruction &i, size_t mask);

} // namespace lockstep::compiler::spirv

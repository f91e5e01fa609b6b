// Integer operands of the metadata that passes leave for later passes.
#pragma once

#include "llvm/IR/Constants.h"
#include "llvm/IR/Metadata.h"

#include <cstdint>

namespace lockstep::compiler {

inline llvm::Metadata *metadata_number(llvm::LLVMContext &context, uint32_t value) {
  return llvm::ConstantAsMetadata::get(
      llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value));
}

inline uint32_t number_at(const llvm::MDNode &node, unsigned index) {
  return static_cast<uint32_t>(
      llvm::mdconst::extract<llvm::ConstantInt>(node.getOperand(index))->getZExtValue());
}

} // namespace lockstep::compiler

// Metadata of loops that asks LLVM to unroll them.
#pragma once

#include "llvm/IR/Metadata.h"

namespace lockstep::compiler {

// `operand`: of a loop's `llvm.loop`.
inline bool is_unroll_hint(const llvm::Metadata *operand) {
  auto *node = llvm::dyn_cast_or_null<llvm::MDNode>(operand);
  auto *name = node && node->getNumOperands() != 0
                   ? llvm::dyn_cast<llvm::MDString>(node->getOperand(0))
                   : nullptr;
  return name && (name->getString() == "llvm.loop.unroll.enable" ||
                  name->getString() == "llvm.loop.unroll.full" ||
                  name->getString() == "llvm.loop.unroll.count");
}

} // namespace lockstep::compiler

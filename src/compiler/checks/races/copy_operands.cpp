#include "compiler/checks/races/copy_operands.h"

#include "kernel_ir/primitives.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

// docs/kernel_ir.md has the parameters of both primitives.
CopyOperands::CopyOperands(const llvm::CallInst &copy, unsigned side) {
  auto operand = [&copy](unsigned index) { return copy.getArgOperand(index); };
  if (called_primitive(copy) == Primitive::group_copy_lines) {
    const unsigned line = side == 0 ? 5 : 7;
    size = 1;
    repeats = {{operand(2), nullptr, 1},
               {operand(3), operand(line), 1},
               {operand(4), operand(line + 1), 1}};
    return;
  }
  if (auto *element = llvm::dyn_cast<llvm::ConstantInt>(operand(5)))
    size = element->getZExtValue();
  repeats = {{operand(2), operand(3 + side), size}};
}

bool CopyOperands::is_row() const {
  if (size == 0 || repeats.size() != 1)
    return false;
  auto *stride = llvm::dyn_cast_or_null<llvm::ConstantInt>(repeats.front().distance);
  return stride && stride->isOne();
}

} // namespace lockstep::compiler

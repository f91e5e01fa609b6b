#include "compiler/ir_to_workgroup/check/image_texels.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

const llvm::Argument *image_of_texels(const llvm::Value &object) {
  constexpr unsigned constant_space = 2;
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&object);
  if (!load || load->getPointerAddressSpace() != constant_space)
    return nullptr;
  return llvm::dyn_cast<llvm::Argument>(
      llvm::getUnderlyingObject(load->getPointerOperand(), /*MaxLookup=*/0));
}

} // namespace lockstep::compiler

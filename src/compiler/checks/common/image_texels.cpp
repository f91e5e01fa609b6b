#include "compiler/checks/common/image_texels.h"

#include "abi/address_spaces.h"

#include "abi/image_descriptor.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Argument.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

const llvm::Argument *image_of_texels(const llvm::Value &object) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&object);
  if (!load || load->getPointerAddressSpace() != constant_space)
    return nullptr;
  return llvm::dyn_cast<llvm::Argument>(
      llvm::getUnderlyingObject(load->getPointerOperand(), /*MaxLookup=*/0));
}

const llvm::Argument *image_that_begins_at(const llvm::Value &pointer) {
  const llvm::Argument *image = nullptr;
  llvm::SmallPtrSet<const llvm::Value *, 8> seen = {&pointer};
  llvm::SmallVector<const llvm::Value *> open = {&pointer};
  while (!open.empty()) {
    const llvm::Value *value = open.pop_back_val();
    if (auto *join = llvm::dyn_cast<llvm::PHINode>(value)) {
      for (const llvm::Value *incoming : join->incoming_values())
        if (seen.insert(incoming).second)
          open.push_back(incoming);
      continue;
    }
    const llvm::Argument *here = image_of_texels(*value);
    // Descriptors of further mip levels follow the first one.
    if (!here || (image && image != here) ||
        llvm::cast<llvm::LoadInst>(value)->getPointerOperand() != here)
      return nullptr;
    image = here;
  }
  return image;
}

// lower-image-types marks descriptors by their dereferenceable size.
bool is_constant_buffer(const llvm::Argument &argument) {
  auto *pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
  return pointer && pointer->getAddressSpace() == constant_space &&
         argument.getDereferenceableBytes() != sizeof(ImageDescriptor);
}

} // namespace lockstep::compiler

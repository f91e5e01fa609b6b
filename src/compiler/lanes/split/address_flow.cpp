#include "compiler/lanes/split/address_flow.h"

#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/out_of_line_function.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

AddressFlow::AddressFlow(llvm::Value &root, const llvm::DataLayout &layout) : layout_(layout) {
  addresses.insert(&root);
  for (unsigned index = 0; index != addresses.size() && !gets_away; ++index)
    for (llvm::Use &use : addresses[index]->uses())
      follow(use);
}

void AddressFlow::follow(llvm::Use &use) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (user->hasMetadata(address_of_first_lane) || llvm::isa<llvm::LifetimeIntrinsic>(user))
    return;
  if (llvm::isa<llvm::GetElementPtrInst>(user)) {
    addresses.insert(user);
    return;
  }
  auto *call = llvm::dyn_cast<llvm::CallInst>(user);
  if (llvm::isa<llvm::AddrSpaceCastInst, llvm::BitCastInst>(user)) {
    addresses.insert(user);
  } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
    access(*load);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
             store && use.getOperandNo() == 1) {
    access(*store);
  } else if (call && call->isArgOperand(&use) && call->getCalledFunction() &&
             is_out_of_line(*call->getCalledFunction())) {
    passed_on.push_back(&use);
  } else {
    gets_away = true;
  }
}

void AddressFlow::access(llvm::Instruction &instruction) {
  accesses.push_back(&instruction);
  llvm::Type *type = llvm::getLoadStoreType(&instruction);
  uint64_t size = layout_.getTypeStoreSize(type);
  if (!type->isSingleValueType() || type->isVectorTy() ||
      (element_size != 0 && size != element_size) || !llvm::isPowerOf2_64(size))
    gets_away = true;
  element_size = size;
}

bool steps_by_elements(const AddressFlow &flow, uint64_t element_size,
                       const llvm::DataLayout &layout) {
  for (llvm::Value *address : flow.addresses.getArrayRef().drop_front()) {
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(address);
    if (!gep)
      continue;
    llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> scales;
    llvm::APInt constant(64, 0);
    if (!gep->collectOffset(layout, 64, scales, constant) || constant.urem(element_size) != 0)
      return false;
    for (auto &[index, scale] : scales)
      if (scale.urem(element_size) != 0)
        return false;
  }
  return true;
}

bool is_of_elements(const llvm::Value &root, uint64_t element_size,
                    const llvm::DataLayout &layout) {
  auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&root);
  return !variable || layout.getTypeAllocSize(variable->getAllocatedType()) % element_size == 0;
}

} // namespace lockstep::compiler

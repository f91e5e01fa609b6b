#include "compiler/analysis/found_pointers.h"

#include "abi/pointer_members.h"
#include "compiler/analysis/argument_members.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

static bool is_of_launch(const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *, 4> objects;
  llvm::getUnderlyingObjects(&pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return llvm::all_of(objects, [](const llvm::Value *object) {
    const auto place = argument_pointer(*object);
    return llvm::isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::ConstantPointerNull,
                     llvm::UndefValue>(object) ||
           (place && (place->byte < 0 || place->byte % bytes_of_member == 0));
  });
}

// Calls of the device library's primitives and of intrinsics access memory only by the pointers
// that they get.
static bool is_known(const llvm::CallInst &call) {
  return llvm::isa<llvm::IntrinsicInst>(call) || called_primitive(call);
}

bool uses_found_pointers(const llvm::Function &kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction &instruction) {
    if (!instruction.mayReadOrWriteMemory())
      return false;
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      return !is_known(*call) || llvm::any_of(call->args(), [](const llvm::Use &argument) {
        return argument->getType()->isPointerTy() && !is_of_launch(*argument);
      });
    // flat: each kind of access has its own name for the operand
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return !is_of_launch(*update->getPointerOperand());
    if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return !is_of_launch(*swap->getPointerOperand());
    if (const llvm::Value *pointer = llvm::getLoadStorePointerOperand(&instruction))
      return !is_of_launch(*pointer);
    return !llvm::isa<llvm::FenceInst>(instruction);
  });
}

} // namespace lockstep::compiler

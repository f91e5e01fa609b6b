// Marks pointers in a kernel's struct arguments as global and invariant.
//
// Requires: the kernel after privatize-arguments and SROA; a struct argument is a pointer into the
// argument block.
// Ensures: a generic pointer that is loaded from there is cast to addrspace(1) and back; loads from
// there are marked `invariant.load`. LLVM's infer-address-spaces, right after, propagates the
// address space to the accesses.
//
// A function object of SYCL holds its accessors and pointers as C++ does, as generic ones. The host
// passes only global memory in it: local memory comes in as variables (privatize-arguments).
// Without this pass, LLVM could not prove that accesses of SYCL kernels are disjoint from local
// memory and from the argument block.
#include "compiler/work_item/arguments/passes.h"

#include "abi/address_spaces.h"

#include "kernel_ir/kernel_function.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {
namespace {

bool is_struct_argument(const llvm::Argument &argument) {
  auto *pointer = llvm::dyn_cast<llvm::PointerType>(argument.getType());
  return pointer && pointer->getAddressSpace() == private_space;
}

void collect_loads(llvm::Value &pointer, llvm::SmallVectorImpl<llvm::LoadInst *> &loads) {
  for (llvm::User *user : pointer.users()) {
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
      loads.push_back(load);
    else if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user))
      collect_loads(*user, loads);
  }
}

void cast_to_global(llvm::LoadInst &load) {
  llvm::IRBuilder<> builder(load.getNextNode());
  auto *global = builder.CreateAddrSpaceCast(&load, builder.getPtrTy(global_space));
  auto *generic = builder.CreateAddrSpaceCast(global, load.getType());
  load.replaceUsesWithIf(generic, [&](const llvm::Use &use) { return use.getUser() != global; });
}

} // namespace

llvm::PreservedAnalyses ArgumentPointersPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  // Linking has replaced the kernel's calling convention.
  if (kernel_function(*function.getParent()) != &function)
    return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::LoadInst *> loads;
  for (llvm::Argument &argument : function.args())
    if (is_struct_argument(argument))
      collect_loads(argument, loads);
  for (llvm::LoadInst *load : loads) {
    if (!load->isSimple())
      continue;
    load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(function.getContext(), {}));
    if (load->getType()->isPointerTy() &&
        load->getType()->getPointerAddressSpace() == generic_space)
      cast_to_global(*load);
  }
  return loads.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

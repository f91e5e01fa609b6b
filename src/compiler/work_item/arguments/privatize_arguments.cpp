// Decides whether each struct argument is read in place, and gives local accessors their memory.
//
// Requires: the kernel after inline-kernel and SROA; struct arguments are `byval`.
// Ensures: no argument is `byval`. All of a struct is dereferenceable, so that LLVM reads members
// ahead of branches, as it uses other arguments there. A struct that is only read is read in the
// argument block, which all work-items share and none writes. Any other is copied into a private
// variable of each work-item. For local arguments (compile.h, LocalArgument), each variable is an
// addrspace(3) global. A copy of argument 0 holds the variables' addresses and the local arguments'
// words, which are constants. The next SROA removes the copy where it can follow it.
//
// Position: after SROA. The call operator of a function object stores `this` to a variable before
// it reads through it, and until SROA removes that variable, the object seems to escape. An indexed
// array in a copied object would stay memory of each work-item.
#include "compiler/work_item/arguments/passes.h"

#include "abi/address_spaces.h"

#include "kernel_ir/kernel_function.h"
#include "kernel_ir/variable_names.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

#include <map>

namespace lockstep::compiler {
namespace {

// Whether the memory behind `pointer` is never written and the pointer does not escape.
bool is_only_read(const llvm::Value &pointer) {
  for (const llvm::Use &use : pointer.uses()) {
    const llvm::User *user = use.getUser();
    if (llvm::isa<llvm::GetElementPtrInst, llvm::BitCastInst, llvm::AddrSpaceCastInst>(user)) {
      if (!is_only_read(*user))
        return false;
    } else if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(user)) {
      if (use.getOperandNo() != 1 || copy->isVolatile())
        return false;
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isVolatile())
        return false;
    } else {
      return false;
    }
  }
  return true;
}

llvm::GlobalVariable *local_variable(llvm::Module &module, const LocalArgument &argument) {
  auto *type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), argument.bytes);
  auto *variable = new llvm::GlobalVariable(module, type, /*isConstant=*/false,
                                            llvm::GlobalValue::InternalLinkage,
                                            llvm::PoisonValue::get(type), "local.argument", nullptr,
                                            llvm::GlobalValue::NotThreadLocal, local_space);
  variable->setAlignment(llvm::Align(std::max(1u, argument.alignment)));
  if (!argument.name.empty())
    set_name_in_source(*variable, argument.name);
  variable->setSection("lockstep.local"); // as pin-local-memory does
  return variable;
}

// Stores the variables' addresses where the host has left marks for the kernel.
void place_local_arguments(llvm::IRBuilder<> &builder, llvm::Value *copy,
                           const std::vector<LocalArgument> &arguments) {
  llvm::Module &module = *builder.GetInsertBlock()->getModule();
  std::map<uint32_t, llvm::Constant *> variables;
  for (const LocalArgument &argument : arguments) {
    if (argument.bytes != 0) {
      llvm::Constant *&address = variables[argument.variable];
      if (!address)
        address = llvm::ConstantExpr::getAddrSpaceCast(local_variable(module, argument),
                                                       builder.getPtrTy(generic_space));
      builder.CreateAlignedStore(
          address, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy, argument.position),
          llvm::Align(8));
    }
    for (uint64_t at = argument.position + 8; uint64_t word : argument.words) {
      builder.CreateAlignedStore(builder.getInt64(word),
                                 builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy, at),
                                 llvm::Align(8));
      at += 8;
    }
  }
}

} // namespace

// clang passes structs by value as pointers through which the callee may write. All work-items
// share the argument block, so a kernel that writes needs a copy.
llvm::PreservedAnalyses PrivatizeArgumentsPass::run(llvm::Module &module,
                                                    llvm::ModuleAnalysisManager &) {
  llvm::Function &kernel = *kernel_function(module);
  const llvm::DataLayout &layout = module.getDataLayout();
  for (llvm::Argument &argument : kernel.args()) {
    if (!argument.hasByValAttr())
      continue;
    llvm::Type *type = argument.getParamByValType();
    llvm::Align alignment = argument.getParamAlign().value_or(layout.getABITypeAlign(type));
    argument.removeAttr(llvm::Attribute::ByVal);
    argument.addAttr(llvm::Attribute::getWithAlignment(kernel.getContext(), alignment));
    argument.addAttr(llvm::Attribute::getWithDereferenceableBytes(kernel.getContext(),
                                                                  layout.getTypeAllocSize(type)));
    const bool has_local_memory = argument.getArgNo() == 0 && !local_arguments_.empty();
    if (!has_local_memory && is_only_read(argument))
      continue;
    llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
    auto *copy = builder.CreateAlloca(type, nullptr, argument.getName() + ".copy");
    copy->setAlignment(alignment);
    argument.replaceAllUsesWith(copy);
    builder.CreateMemCpy(copy, alignment, &argument, alignment, layout.getTypeAllocSize(type));
    if (has_local_memory)
      place_local_arguments(builder, copy, local_arguments_);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

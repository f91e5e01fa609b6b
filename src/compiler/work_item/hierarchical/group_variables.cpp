#include "compiler/work_item/hierarchical/group_variables.h"

#include "abi/address_spaces.h"

#include "compiler/work_item/hierarchical/item_scopes.h"
#include "kernel_ir/primitives.h"

#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/SROA.h"

namespace lockstep::compiler {
namespace {

// How the memory of a variable is used; `elsewhere`: the address escapes.
struct Uses {
  bool written_by_group = false, written_by_items = false, used_by_items = false, elsewhere = false;
};

bool is_harmless(const llvm::Instruction &user) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&user);
  return (intrinsic && (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic())) ||
         is_call_of(user, group_variable_pin) || is_call_of(user, private_memory_mark);
}

bool is_write_to(const llvm::Use &use) {
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(use.getUser()))
    return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex() && store->isSimple();
  auto *memory = llvm::dyn_cast<llvm::MemIntrinsic>(use.getUser());
  return memory && use.getOperandNo() == 0 && !memory->isVolatile();
}

bool is_read_of(const llvm::Use &use) {
  auto *user = llvm::cast<llvm::Instruction>(use.getUser());
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user))
    return load->isSimple();
  if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(user))
    return use.getOperandNo() == 1 && !copy->isVolatile();
  return called_primitive(*user) == Primitive::printf;
}

void collect_uses(const llvm::Value &address, const ItemScopes &scopes, Uses &uses) {
  for (const llvm::Use &use : address.uses()) {
    auto *user = llvm::dyn_cast<llvm::Instruction>(use.getUser());
    if (!user) {
      uses.elsewhere = true;
      continue;
    }
    if (is_harmless(*user))
      continue;
    const bool in_item = scopes.contains(*user);
    if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst, llvm::BitCastInst>(user)) {
      collect_uses(*user, scopes, uses);
      continue;
    }
    uses.used_by_items |= in_item;
    if (is_write_to(use))
      (in_item ? uses.written_by_items : uses.written_by_group) = true;
    else if (!is_read_of(use))
      uses.elsewhere = true;
  }
}

Uses uses_of(const llvm::AllocaInst &variable, const ItemScopes &scopes) {
  Uses uses;
  collect_uses(variable, scopes, uses);
  return uses;
}

bool set_free(llvm::Function &kernel, const ItemScopes &scopes) {
  bool changed = false;
  for (llvm::CallInst *pin : calls_of(*kernel.getParent(), group_variable_pin)) {
    const Uses uses = uses_of(*variable_of(pin->getArgOperand(0)), scopes);
    if (uses.elsewhere || uses.written_by_items)
      continue;
    pin->eraseFromParent();
    changed = true;
  }
  return changed;
}

// Replaces `old` by `address`, which points to another address space.
// flat: one case for each kind of user
void replace_address(llvm::Value &old, llvm::Value *address) {
  for (llvm::Use &use : llvm::make_early_inc_range(old.uses())) {
    auto *user = llvm::cast<llvm::Instruction>(use.getUser());
    llvm::IRBuilder<> builder(user);
    if (auto *cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(user)) {
      cast->replaceAllUsesWith(builder.CreateAddrSpaceCast(address, cast->getType()));
      cast->eraseFromParent();
    } else if (auto *element = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::SmallVector<llvm::Value *> indices(element->indices());
      replace_address(*element, builder.CreateGEP(element->getSourceElementType(), address, indices,
                                                  element->getName(), element->getNoWrapFlags()));
      element->eraseFromParent();
    } else if (auto *load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      load->setOperand(0, address);
    } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user);
               store && store->getPointerOperand() == &old && store->getValueOperand() != &old) {
      store->setOperand(1, address);
    } else if (is_harmless(*user)) {
      user->eraseFromParent();
    } else { // on x86 address spaces are the same memory
      auto *generic = builder.CreateAddrSpaceCast(address, builder.getPtrTy(generic_space));
      use.set(builder.CreateAddrSpaceCast(generic, old.getType()));
    }
  }
}

bool is_shared(const llvm::AllocaInst &variable, const ItemScopes &scopes) {
  bool pinned = false;
  for (const llvm::User *user : variable.users())
    pinned |= is_call_of(*llvm::cast<llvm::Instruction>(user), group_variable_pin);
  if (pinned)
    return true;
  // For example an array with a variable index, which SROA has left: one shared array replaces one
  // per work-item.
  const Uses uses = uses_of(variable, scopes);
  return uses.written_by_group && uses.used_by_items;
}

} // namespace

void pin_group_variables(llvm::Function &kernel) {
  llvm::Module &module = *kernel.getParent();
  llvm::IRBuilder<> builder(module.getContext());
  llvm::FunctionCallee pin =
      module.getOrInsertFunction(group_variable_pin, builder.getVoidTy(), builder.getPtrTy());
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(kernel.getEntryBlock()))
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction)) {
      builder.SetInsertPoint(variable->getNextNode());
      builder.SetCurrentDebugLocation({});
      builder.CreateCall(pin, {variable});
    }
}

void free_uniform_variables(llvm::Function &kernel, const ItemScopes &scopes,
                            llvm::FunctionAnalysisManager &analyses) {
  do
    analyses.invalidate(kernel,
                        llvm::SROAPass(llvm::SROAOptions::PreserveCFG).run(kernel, analyses));
  while (set_free(kernel, scopes));
}

void share_group_variables(llvm::Function &kernel, const ItemScopes &scopes) {
  llvm::SmallPtrSet<llvm::AllocaInst *, 8> own;
  for (llvm::CallInst *mark : calls_of(*kernel.getParent(), private_memory_mark)) {
    if (llvm::AllocaInst *variable = variable_of(mark->getArgOperand(0)))
      own.insert(variable);
    mark->eraseFromParent();
  }
  llvm::SmallVector<llvm::AllocaInst *> shared;
  for (llvm::Instruction &instruction : kernel.getEntryBlock())
    if (auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      if (!own.contains(variable) && is_shared(*variable, scopes))
        shared.push_back(variable);
  for (llvm::AllocaInst *variable : shared) {
    llvm::GlobalVariable *local =
        make_local_variable(*kernel.getParent(), variable->getAllocatedType(), variable->getAlign(),
                            variable->getName());
    replace_address(*variable, local);
    variable->eraseFromParent();
  }
  for (llvm::CallInst *pin : calls_of(*kernel.getParent(), group_variable_pin))
    pin->eraseFromParent();
}

llvm::GlobalVariable *make_local_variable(llvm::Module &module, llvm::Type *type,
                                          llvm::Align alignment, const llvm::Twine &name) {
  auto *variable = new llvm::GlobalVariable(
      module, type, /*isConstant=*/false, llvm::GlobalValue::InternalLinkage,
      llvm::PoisonValue::get(type), name, nullptr, llvm::GlobalValue::NotThreadLocal, local_space);
  variable->setAlignment(alignment);
  variable->setSection("lockstep.local"); // as pin-local-memory does
  return variable;
}

} // namespace lockstep::compiler

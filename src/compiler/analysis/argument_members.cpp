#include "compiler/analysis/argument_members.h"

#include "abi/address_spaces.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

std::optional<ArgumentMember> member_of(const llvm::Value &value) {
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&value);
  if (!load || !load->isSimple())
    return std::nullopt;
  int64_t byte = 0;
  const llvm::Value *base = llvm::GetPointerBaseWithConstantOffset(
      load->getPointerOperand(), byte, load->getModule()->getDataLayout());
  auto *argument = llvm::dyn_cast<llvm::Argument>(base);
  if (!argument || byte < 0 || argument->getType()->getPointerAddressSpace() != private_space)
    return std::nullopt;
  return ArgumentMember{argument, byte};
}

llvm::LoadInst *copy_of(const llvm::LoadInst &member, llvm::IRBuilderBase &builder) {
  int64_t byte = 0;
  llvm::Value *argument =
      llvm::GetPointerBaseWithConstantOffset(const_cast<llvm::Value *>(member.getPointerOperand()),
                                             byte, member.getModule()->getDataLayout());
  llvm::LoadInst *made = builder.CreateAlignedLoad(
      member.getType(), builder.CreateConstGEP1_64(builder.getInt8Ty(), argument, uint64_t(byte)),
      member.getAlign());
  made->copyMetadata(member);
  return made;
}

llvm::LoadInst *load_at_entry(const llvm::LoadInst &member) {
  llvm::BasicBlock &entry = const_cast<llvm::Function &>(*member.getFunction()).getEntryBlock();
  llvm::IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  return copy_of(member, builder);
}

std::optional<ArgumentPointer> argument_pointer(const llvm::Value &object) {
  if (auto *argument = llvm::dyn_cast<llvm::Argument>(&object))
    return ArgumentPointer{argument->getArgNo(), -1};
  if (const auto member = member_of(object))
    return ArgumentPointer{member->argument->getArgNo(), member->byte};
  return std::nullopt;
}

ArgumentMembers::ArgumentMembers(const llvm::Function &kernel) {
  for (const llvm::Instruction &instruction : llvm::instructions(kernel))
    if (const auto member =
            instruction.getType()->isPointerTy() ? member_of(instruction) : std::nullopt)
      first_loads_.try_emplace({member->argument, member->byte}, &instruction);
}

const llvm::Value *ArgumentMembers::object_of(const llvm::Value &underlying) const {
  if (llvm::isa<llvm::Argument, llvm::GlobalVariable>(underlying))
    return &underlying;
  const auto member = underlying.getType()->isPointerTy() ? member_of(underlying) : std::nullopt;
  return member ? first_loads_.lookup({member->argument, member->byte}) : nullptr;
}

} // namespace lockstep::compiler

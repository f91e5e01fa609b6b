#include "compiler/checks/undefined/used_members.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/undefined/undefined_calls.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

static constexpr char members_name[] = "lockstep.pointer.members";

static bool reads_by(const llvm::CallInst &call, unsigned operand) {
  const llvm::StringRef name = call.getCalledFunction()->getName();
  const auto primitive = called_primitive(call);
  const bool is_copy = name.starts_with(undefined_copy_name) ||
                       (primitive && is_group_copy(*primitive)) ||
                       llvm::isa<llvm::MemTransferInst>(call);
  return name.starts_with(undefined_load_name) || name.starts_with(computed_load_name) ||
         (is_copy && operand == 1);
}

bool is_only_read(const llvm::Value &pointer, llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  if (!seen.insert(&pointer).second)
    return true;
  return llvm::all_of(pointer.uses(), [&](const llvm::Use &use) {
    const llvm::User *user = use.getUser();
    if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::BitCastOperator,
                  llvm::PHINode, llvm::SelectInst>(user))
      return is_only_read(*user, seen);
    if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user))
      return true;
    auto *call = llvm::dyn_cast<llvm::CallInst>(user);
    return call && call->getCalledFunction() && reads_by(*call, use.getOperandNo());
  });
}

uint64_t bit_of_member(const llvm::Value &loaded) {
  const auto member = loaded.getType()->isPointerTy() ? member_of(loaded) : std::nullopt;
  if (!member || member->argument->getArgNo() != 0 || member->byte % bytes_of_member != 0 ||
      member->byte >= bytes_of_member * most_members)
    return 0;
  return uint64_t(1) << (member->byte / bytes_of_member);
}

namespace {

class Uses {
public:
  explicit Uses(const llvm::Function &kernel) {
    found_.writes_elsewhere = false;
    for (const llvm::Instruction &instruction : llvm::instructions(kernel)) {
      see_member(instruction);
      see_write(instruction);
    }
    found_.only_read &= ~found_.written;
    if (found_.writes_elsewhere)
      found_.only_read = 0;
  }
  const PointerMembers &found() const { return found_; }

private:
  void see_member(const llvm::Instruction &instruction) {
    const uint64_t bit = bit_of_member(instruction);
    if (!bit)
      return;
    llvm::SmallPtrSet<const llvm::Value *, 16> seen;
    if (is_only_read(instruction, seen))
      found_.only_read |= bit;
    else
      found_.written |= bit; // or its address escapes to code that may write through it
  }

  void see_write(const llvm::Instruction &instruction) {
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      return see_call(*call);
    if (!instruction.mayWriteToMemory())
      return;
    const llvm::Value *pointer = llvm::getPointerOperand(&instruction);
    if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      pointer = update->getPointerOperand();
    if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      pointer = swap->getPointerOperand();
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) // volatile or atomic
      pointer = load->isSimple() ? pointer : nullptr;
    if (pointer)
      see_written(*pointer);
    else if (!llvm::isa<llvm::LoadInst, llvm::FenceInst>(instruction))
      found_.writes_elsewhere = true;
  }

  void see_call(const llvm::CallInst &call) {
    const llvm::Function *callee = call.getCalledFunction();
    if (!call.mayWriteToMemory())
      return;
    const bool is_known = callee && callee->isDeclaration() &&
                          (callee->isIntrinsic() || callee->getName().starts_with("__lockstep_"));
    if (!is_known) {
      found_.writes_elsewhere = true;
      return;
    }
    if (callee->getName().starts_with("__lockstep_check_"))
      return;
    for (const llvm::Use &use : call.args())
      if (use->getType()->isPointerTy() && !reads_by(call, use.getOperandNo()))
        see_written(*use);
  }

  void see_written(const llvm::Value &pointer) {
    llvm::SmallVector<const llvm::Value *, 4> objects;
    llvm::getUnderlyingObjects(&pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
    for (const llvm::Value *object : objects) {
      if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable, llvm::ConstantPointerNull,
                    llvm::UndefValue>(object))
        continue;
      if (const uint64_t bit = bit_of_member(*object))
        found_.written |= bit;
      else
        found_.writes_elsewhere = true;
    }
  }

  PointerMembers found_;
};

} // namespace

PointerMembers used_members(const llvm::Function &kernel) {
  return Uses(kernel).found();
}

void record_pointer_members(llvm::Module &module, const PointerMembers &members) {
  llvm::LLVMContext &context = module.getContext();
  llvm::Type *type = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Metadata *, 3> words;
  for (uint64_t word : {members.only_read, members.written, uint64_t(members.writes_elsewhere)})
    words.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(type, word)));
  module.getOrInsertNamedMetadata(members_name)->addOperand(llvm::MDNode::get(context, words));
}

PointerMembers pointer_members(const llvm::Module &module) {
  const llvm::NamedMDNode *noted = module.getNamedMetadata(members_name);
  if (!noted)
    return {};
  const auto word = [&](unsigned index) {
    return llvm::mdconst::extract<llvm::ConstantInt>(noted->getOperand(0)->getOperand(index))
        ->getZExtValue();
  };
  return {word(0), word(1), word(2) != 0};
}

} // namespace lockstep::compiler

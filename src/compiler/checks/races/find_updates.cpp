#include "compiler/checks/races/find_updates.h"

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <optional>

namespace lockstep::compiler {

namespace {

bool are_one_address(const llvm::Value *one, const llvm::Value *other, unsigned depth = 4) {
  one = one->stripPointerCasts();
  other = other->stripPointerCasts();
  if (one == other)
    return true;
  auto *first = llvm::dyn_cast<llvm::Instruction>(one);
  auto *second = llvm::dyn_cast<llvm::Instruction>(other);
  if (!first || !second || depth == 0 || first->mayReadOrWriteMemory() ||
      llvm::isa<llvm::PHINode>(first) || !first->isSameOperationAs(second))
    return false;
  for (unsigned i = 0; i != first->getNumOperands(); ++i)
    if (!are_one_address(first->getOperand(i), second->getOperand(i), depth - 1))
      return false;
  return true;
}

using Loads = llvm::SmallSetVector<llvm::LoadInst *, 4>;

// Loads of `address` that `value` is computed from, without those that only decide an address.
void add_loads(llvm::Value *value, const llvm::Value *address, Loads &found) {
  llvm::SmallSetVector<llvm::Value *, 32> open;
  open.insert(value);
  for (size_t i = 0; i != open.size() && i != limits::search_steps; ++i) {
    auto *from = llvm::dyn_cast<llvm::Instruction>(open[i]);
    if (!from)
      continue;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(from)) {
      if (load->isSimple() && are_one_address(load->getPointerOperand(), address))
        found.insert(load);
      continue;
    }
    if (!from->mayReadOrWriteMemory() && !llvm::isa<llvm::GetElementPtrInst>(from))
      open.insert(from->op_begin(), from->op_end());
  }
}

UpdateKind kind_of_operation(const llvm::Value &value) {
  if (auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&value))
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::minnum:
      return UpdateKind::minimum;
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::maxnum:
      return UpdateKind::maximum;
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::fma:
      return UpdateKind::add;
    default:
      return UpdateKind::other;
    }
  auto *operation = llvm::dyn_cast<llvm::Instruction>(&value);
  switch (operation ? operation->getOpcode() : 0) {
  case llvm::Instruction::Add:
  case llvm::Instruction::FAdd:
    return UpdateKind::add;
  case llvm::Instruction::Sub:
  case llvm::Instruction::FSub:
    return UpdateKind::subtract;
  case llvm::Instruction::And:
    return UpdateKind::bit_and;
  case llvm::Instruction::Or:
    return UpdateKind::bit_or;
  case llvm::Instruction::Xor:
    return UpdateKind::bit_xor;
  default:
    return UpdateKind::other;
  }
}

// Whether operand `number` of an operation of that kind may be the value that it updates.
bool may_be_updated(const llvm::Instruction &operation, unsigned number) {
  if (llvm::isa<llvm::IntrinsicInst>(operation))
    return kind_of_operation(operation) != UpdateKind::add || number == 2; // the addend of fma
  return kind_of_operation(operation) != UpdateKind::subtract || number == 0;
}

// Whether `value` is the old value at `address`, changed by nothing but operations of `kind`:
// `old + a + b`, but neither `old * a + b` nor `old + a * old`.
bool is_updated_by(UpdateKind kind, llvm::Value *value, const llvm::Value *address,
                   unsigned depth = 8) {
  while (auto *cast = llvm::dyn_cast<llvm::CastInst>(value))
    value = cast->getOperand(0);
  if (llvm::isa<llvm::LoadInst>(value))
    return true;
  auto *operation = llvm::dyn_cast<llvm::Instruction>(value);
  if (!operation || depth == 0 || kind_of_operation(*operation) != kind)
    return false;
  std::optional<unsigned> updated;
  for (const llvm::Use &operand : operation->operands()) {
    Loads loads;
    add_loads(operand, address, loads);
    if (loads.empty())
      continue;
    if (updated || !may_be_updated(*operation, operand.getOperandNo()))
      return false;
    updated = operand.getOperandNo();
  }
  return updated && is_updated_by(kind, operation->getOperand(*updated), address, depth - 1);
}

UpdateKind kind_of_value(llvm::Value *stored, const llvm::Value *address) {
  llvm::Value *value = stored;
  while (auto *cast = llvm::dyn_cast<llvm::CastInst>(value))
    value = cast->getOperand(0);
  const UpdateKind kind = kind_of_operation(*value);
  return is_updated_by(kind, value, address) ? kind : UpdateKind::other;
}

// The comparison in `if (stored < old) old = stored` says whether the store is a minimum or a
// maximum.
UpdateKind kind_of_choice(const llvm::BranchInst &branch, const llvm::StoreInst &store,
                          const llvm::LoadInst &old) {
  auto *comparison = llvm::dyn_cast<llvm::CmpInst>(branch.getCondition());
  if (!comparison)
    return UpdateKind::other;
  const bool is_first = comparison->getOperand(0) == store.getValueOperand();
  if ((!is_first && comparison->getOperand(1) != store.getValueOperand()) ||
      comparison->getOperand(is_first) != &old)
    return UpdateKind::other;
  llvm::CmpInst::Predicate predicate = comparison->getPredicate();
  if (branch.getSuccessor(0) != store.getParent())
    predicate = llvm::CmpInst::getInversePredicate(predicate);
  if (!is_first)
    predicate = llvm::CmpInst::getSwappedPredicate(predicate);
  switch (predicate) {
  case llvm::CmpInst::ICMP_SLT:
  case llvm::CmpInst::ICMP_SLE:
  case llvm::CmpInst::ICMP_ULT:
  case llvm::CmpInst::ICMP_ULE:
  case llvm::CmpInst::FCMP_OLT:
  case llvm::CmpInst::FCMP_OLE:
  case llvm::CmpInst::FCMP_ULT:
  case llvm::CmpInst::FCMP_ULE:
    return UpdateKind::minimum;
  case llvm::CmpInst::ICMP_SGT:
  case llvm::CmpInst::ICMP_SGE:
  case llvm::CmpInst::ICMP_UGT:
  case llvm::CmpInst::ICMP_UGE:
  case llvm::CmpInst::FCMP_OGT:
  case llvm::CmpInst::FCMP_OGE:
  case llvm::CmpInst::FCMP_UGT:
  case llvm::CmpInst::FCMP_UGE:
    return UpdateKind::maximum;
  default:
    return UpdateKind::other;
  }
}

void add_update(llvm::StoreInst &store, const llvm::DominatorTree &dominators, UpdateKinds &kinds) {
  Loads loads;
  add_loads(store.getValueOperand(), store.getPointerOperand(), loads);
  UpdateKind kind = kind_of_value(store.getValueOperand(), store.getPointerOperand());
  if (loads.empty()) {
    const auto *node = dominators.getNode(store.getParent());
    const auto *above = node ? node->getIDom() : nullptr;
    auto *branch =
        above ? llvm::dyn_cast<llvm::BranchInst>(above->getBlock()->getTerminator()) : nullptr;
    if (!branch || !branch->isConditional())
      return;
    add_loads(branch->getCondition(), store.getPointerOperand(), loads);
    if (loads.empty())
      return;
    kind = kind_of_choice(*branch, store, *loads.front());
  }
  kinds[&store] = kind;
  for (const llvm::LoadInst *load : loads)
    kinds[load] = kind;
}

} // namespace

UpdateKinds find_updates(llvm::ArrayRef<llvm::Instruction *> accesses,
                         const llvm::DominatorTree &dominators) {
  UpdateKinds kinds;
  for (llvm::Instruction *access : accesses)
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(access); store && store->isSimple())
      add_update(*store, dominators, kinds);
  return kinds;
}

} // namespace lockstep::compiler

#include "compiler/checks/undefined/private_shadow.h"

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

namespace {

bool is_address_only(const llvm::Use &use) {
  const llvm::User *user = use.getUser();
  if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user))
    return true;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(user))
    return use.getOperandNo() == store->getPointerOperandIndex();
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
  return intrinsic &&
         (llvm::isa<llvm::MemIntrinsic>(intrinsic) || intrinsic->isLifetimeStartOrEnd());
}

} // namespace

// Phis and selects that may take the address of `variable`, possibly along with that of another
// one.
llvm::SmallVector<llvm::Instruction *> PrivateShadow::joins_of(llvm::AllocaInst &variable,
                                                               bool &escapes) const {
  llvm::SmallVector<llvm::Instruction *> joins;
  llvm::SmallSetVector<llvm::Value *, 16> pointers;
  pointers.insert(&variable);
  for (unsigned i = 0; i != pointers.size(); ++i)
    for (const llvm::Use &use : pointers[i]->uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode, llvm::SelectInst>(user))
        joins.push_back(user);
      if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::GetElementPtrInst,
                    llvm::AddrSpaceCastInst>(user))
        pointers.insert(user);
      else
        escapes |= !is_address_only(use);
    }
  return joins;
}

PrivateShadow::PrivateShadow(llvm::Function &function) : function_(function) {
  llvm::SmallVector<llvm::Instruction *> joins;
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !variable->isStaticAlloca() ||
        variable->getAllocationSize(function.getDataLayout())
            .value_or(llvm::TypeSize::getFixed(0))
            .isZero())
      continue;
    bool escapes = false;
    auto mine = joins_of(*variable, escapes);
    if (escapes)
      continue;
    variables_.insert(variable);
    joins.append(mine);
  }
  // If one object that reaches a phi or select has no shadow, the others get none.
  for (bool changes = true; changes;) {
    changes = false;
    for (llvm::Instruction *join : joins) {
      llvm::SmallVector<const llvm::Value *, 4> objects;
      llvm::getUnderlyingObjects(join, objects, nullptr, /*MaxLookup=*/0);
      auto has_shadow = [this](const llvm::Value *object) {
        auto *variable = llvm::dyn_cast<llvm::AllocaInst>(object);
        return variable && variables_.contains(const_cast<llvm::AllocaInst *>(variable));
      };
      if (llvm::all_of(objects, has_shadow))
        continue;
      for (const llvm::Value *object : objects)
        if (has_shadow(object))
          changes |= variables_.remove(
              const_cast<llvm::AllocaInst *>(llvm::cast<llvm::AllocaInst>(object)));
    }
  }
  for (llvm::AllocaInst *variable : variables_) {
    llvm::IRBuilder<> builder(variable);
    auto shadow_value = [&](const char *name) {
      llvm::AllocaInst *made = builder.CreateAlloca(
          variable->getAllocatedType(), variable->getArraySize(), variable->getName() + name);
      made->setAlignment(variable->getAlign());
      return made;
    };
    llvm::Value *bits = shadow_value(".undefined"), *computed = shadow_value(".computed");
    places_[variable] = {bits, computed};
  }
}

void PrivateShadow::begin(llvm::Instruction &before, llvm::AllocaInst &variable) {
  llvm::IRBuilder<> builder(&before);
  const uint64_t size = variable.getAllocationSize(function_.getDataLayout())->getFixedValue();
  auto fill = [&](llvm::Value *memory, uint8_t byte) {
    builder.CreateMemSet(memory, builder.getInt8(byte), size, variable.getAlign());
  };
  const Place place = places_.lookup(&variable);
  fill(&variable, 0);
  fill(place.bits, 0xff);
  fill(place.computed, 0);
}

PrivateShadow::Place PrivateShadow::of(llvm::Value *pointer) {
  if (auto found = places_.find(pointer); found != places_.end())
    return found->second;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(pointer);
  if (!instruction || !pointer->getType()->isPointerTy())
    return {};
  llvm::IRBuilder<> builder(instruction);
  Place place;
  if (auto *step = llvm::dyn_cast<llvm::GetElementPtrInst>(instruction)) {
    if (const Place base = of(step->getPointerOperand())) {
      auto same = [&](llvm::Value *from) {
        llvm::Instruction *made = step->clone();
        made->setOperand(0, from);
        builder.Insert(made);
        return made;
      };
      place = {same(base.bits), same(base.computed)};
    }
  } else if (llvm::isa<llvm::AddrSpaceCastInst>(instruction)) {
    if (const Place base = of(instruction->getOperand(0)))
      place = {builder.CreateAddrSpaceCast(base.bits, pointer->getType()),
               builder.CreateAddrSpaceCast(base.computed, pointer->getType())};
  } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(instruction)) {
    const Place one = of(select->getTrueValue()), other = of(select->getFalseValue());
    if (one && other)
      place = {builder.CreateSelect(select->getCondition(), one.bits, other.bits),
               builder.CreateSelect(select->getCondition(), one.computed, other.computed)};
  } else if (auto *phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
    llvm::SmallVector<const llvm::Value *, 4> objects;
    llvm::getUnderlyingObjects(phi, objects, nullptr, /*MaxLookup=*/0);
    if (llvm::all_of(objects, [this](const llvm::Value *object) {
          return bool(
              // some objects are known to have no shadow
              places_.lookup(const_cast<llvm::Value *>(object)));
        })) {
      place = {builder.CreatePHI(pointer->getType(), phi->getNumIncomingValues()),
               builder.CreatePHI(pointer->getType(), phi->getNumIncomingValues())};
      phis_.push_back(phi);
    }
  }
  places_[pointer] = place;
  return place;
}

void PrivateShadow::finish_joins() {
  for (unsigned i = 0; i != phis_.size(); ++i) { // the loop may append to phis_
    llvm::PHINode *phi = phis_[i];
    const Place mine = places_.lookup(phi);
    for (unsigned each = 0; each != phi->getNumIncomingValues(); ++each) {
      const Place theirs = of(phi->getIncomingValue(each));
      llvm::cast<llvm::PHINode>(mine.bits)->addIncoming(theirs.bits, phi->getIncomingBlock(each));
      llvm::cast<llvm::PHINode>(mine.computed)
          ->addIncoming(theirs.computed, phi->getIncomingBlock(each));
    }
  }
}

} // namespace lockstep::compiler

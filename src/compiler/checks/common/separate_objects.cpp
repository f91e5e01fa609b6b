#include "compiler/checks/common/separate_objects.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/analysis/cost/thresholds.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

#include <optional>

namespace lockstep::compiler {

namespace {

using llvm::Instruction;
using llvm::Value;

bool is_plain_access(const Instruction &instruction) {
  if (instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize)) // of the checker
    return false;
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return load->isSimple() && !load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
  auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isSimple();
}

// The address computations from a pointer back to the pointer that they begin with.
llvm::SmallVector<Instruction *> computations_of(Value *&pointer) {
  llvm::SmallVector<Instruction *> chain;
  while (llvm::isa<llvm::GetElementPtrInst, llvm::CastInst>(pointer) &&
         llvm::cast<Instruction>(pointer)->getOperand(0)->getType()->isPointerTy()) {
    chain.push_back(llvm::cast<Instruction>(pointer));
    pointer = chain.back()->getOperand(0);
  }
  return chain;
}

// A pointer that phis and selects choose among objects.
class ChosenPointer {
public:
  explicit ChosenPointer(Value &pointer) : pointer_(pointer) {}

  // The objects; empty: not all are known, or there are too many.
  llvm::ArrayRef<Value *> find_objects();
  // The number of the object that the pointer is based on.
  Value *selector() { return number_of(pointer_); }

private:
  static bool is_object(const Value &value) {
    return llvm::isa<llvm::Argument, llvm::GlobalVariable>(value) ||
           (value.getType()->getPointerAddressSpace() == global_space && member_of(value));
  }
  Value *number_of(Value &pointer);

  Value &pointer_;
  llvm::SmallSetVector<Value *, 4> objects_;
  llvm::DenseMap<Value *, Value *> numbers_; // of phis and selects
};

llvm::ArrayRef<Value *> ChosenPointer::find_objects() {
  llvm::SmallSetVector<Value *, 8> choices;
  llvm::SmallVector<Value *> found = {&pointer_};
  for (std::size_t i = 0; i != found.size(); ++i) {
    Value *each = found[i];
    if (is_object(*each)) {
      objects_.insert(each);
      continue;
    }
    if (!llvm::isa<llvm::PHINode, llvm::SelectInst>(each) || choices.size() == limits::search_depth)
      return {};
    if (!choices.insert(each))
      continue;
    auto *instruction = llvm::cast<llvm::User>(each);
    for (Value *operand : instruction->operands())
      if (operand->getType()->isPointerTy())
        found.push_back(operand);
  }
  return objects_.size() > 1 && objects_.size() <= limits::code_growth ? objects_.getArrayRef()
                                                                       : llvm::ArrayRef<Value *>();
}

Value *ChosenPointer::number_of(Value &pointer) {
  llvm::IRBuilder<> builder(pointer.getContext());
  if (is_object(pointer))
    return builder.getInt32(unsigned(llvm::find(objects_, &pointer) - objects_.begin()));
  if (Value *known = numbers_.lookup(&pointer))
    return known;
  if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&pointer)) {
    Value *one = number_of(*select->getTrueValue()), *other = number_of(*select->getFalseValue());
    builder.SetInsertPoint(select);
    return numbers_[select] = builder.CreateSelect(select->getCondition(), one, other);
  }
  auto *phi = llvm::cast<llvm::PHINode>(&pointer);
  builder.SetInsertPoint(phi);
  llvm::PHINode *made = builder.CreatePHI(builder.getInt32Ty(), phi->getNumIncomingValues());
  numbers_[phi] = made; // before its operands: the phi may be of a loop
  for (unsigned i = 0; i != phi->getNumIncomingValues(); ++i)
    made->addIncoming(number_of(*phi->getIncomingValue(i)), phi->getIncomingBlock(i));
  return made;
}

class Separation {
public:
  Separation(Instruction &access, llvm::ArrayRef<Instruction *> chain,
             llvm::ArrayRef<Value *> objects, Value &selector)
      : access_(access), chain_(chain), objects_(objects), selector_(selector) {}

  void make() {
    Value *result = access_object(0, access_);
    if (!access_.getType()->isVoidTy())
      access_.replaceAllUsesWith(result);
    Value *pointer = llvm::getLoadStorePointerOperand(&access_);
    access_.eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(pointer);
  }

private:
  // Accesses object `number` or a later one, before `place`. Returns what it has loaded.
  Value *access_object(std::size_t number, Instruction &place) {
    if (number + 1 == objects_.size())
      return copy_access(number, place);
    llvm::IRBuilder<> builder(&place);
    builder.SetCurrentDebugLocation(access_.getDebugLoc());
    Value *is_this = builder.CreateICmpEQ(&selector_, builder.getInt32(unsigned(number)));
    Instruction *one = nullptr, *other = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(is_this, &place, &one, &other);
    for (Instruction *end : {one, other})
      end->setDebugLoc(access_.getDebugLoc());
    Value *first = copy_access(number, *one), *rest = access_object(number + 1, *other);
    if (access_.getType()->isVoidTy())
      return nullptr;
    builder.SetInsertPoint(place.getParent(), place.getParent()->begin());
    llvm::PHINode *joined = builder.CreatePHI(access_.getType(), 2);
    joined->addIncoming(first, one->getParent());
    joined->addIncoming(rest, other->getParent());
    return joined;
  }
  Instruction *copy_access(std::size_t number, Instruction &place) {
    Value *pointer = objects_[number];
    if (auto *member = llvm::dyn_cast<llvm::LoadInst>(pointer))
      pointer = load_at_entry(*member);
    auto copy_of = [&place](const Instruction &original) {
      Instruction *copy = original.clone();
      copy->insertBefore(place.getIterator());
      return copy;
    };
    for (const Instruction *each : llvm::reverse(chain_)) {
      Instruction *copy = copy_of(*each);
      copy->setOperand(0, pointer);
      pointer = copy;
    }
    Instruction *copy = copy_of(access_);
    copy->setOperand(llvm::isa<llvm::StoreInst>(copy) ? llvm::StoreInst::getPointerOperandIndex()
                                                      : llvm::LoadInst::getPointerOperandIndex(),
                     pointer);
    return copy;
  }

  Instruction &access_;
  const llvm::ArrayRef<Instruction *> chain_; // from the access back to the chosen pointer
  const llvm::ArrayRef<Value *> objects_;
  Value &selector_;
};

} // namespace

llvm::PreservedAnalyses SeparateObjectsPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<Instruction *> accesses;
  for (Instruction &instruction : llvm::instructions(function))
    if (is_plain_access(instruction))
      accesses.push_back(&instruction);
  bool changed = false;
  for (Instruction *access : accesses) {
    Value *chosen = llvm::getLoadStorePointerOperand(access);
    const llvm::SmallVector<Instruction *> chain = computations_of(chosen);
    const unsigned space = chosen->getType()->getPointerAddressSpace();
    if (!llvm::isa<llvm::PHINode, llvm::SelectInst>(chosen) ||
        (space != global_space && space != local_space))
      continue;
    ChosenPointer pointer(*chosen);
    const llvm::ArrayRef<Value *> objects = pointer.find_objects();
    if (objects.empty())
      continue;
    Separation(*access, chain, objects, *pointer.selector()).make();
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler

#include "compiler/checks/races/copy_events.h"

#include "kernel_ir/primitives.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

namespace {

// Visits the instructions in the block between `operation` and the previous group operation.
template <class Visit> void visit_notes_of(const llvm::Instruction &operation, Visit visit) {
  for (const llvm::Instruction *before = operation.getPrevNode();
       before && !is_group_operation(*before); before = before->getPrevNode())
    visit(*before);
}

// True if all values that reach `value` are `event`. A copy that is passed an event returns that
// event.
bool is_event(const llvm::Value &value, const llvm::Instruction &event,
              llvm::SmallPtrSetImpl<const llvm::Value *> &seen) {
  if (&value == &event || !seen.insert(&value).second)
    return true;
  if (called_primitive(value) == Primitive::record_copy)
    return is_event(*llvm::cast<llvm::CallInst>(value).getArgOperand(0), event, seen);
  if (auto *choice = llvm::dyn_cast<llvm::SelectInst>(&value))
    return is_event(*choice->getTrueValue(), event, seen) &&
           is_event(*choice->getFalseValue(), event, seen);
  auto *join = llvm::dyn_cast<llvm::PHINode>(&value);
  return join && llvm::all_of(join->incoming_values(),
                              [&](const llvm::Use &each) { return is_event(*each, event, seen); });
}

} // namespace

const llvm::Instruction *event_of_copy(const llvm::Instruction &copy) {
  const llvm::Instruction *event = nullptr;
  visit_notes_of(copy, [&](const llvm::Instruction &note) {
    if (!event && called_primitive(note) == Primitive::record_copy)
      event = &note;
  });
  return event;
}

bool waits_for(const llvm::Instruction &wait, const llvm::Instruction &copy) {
  const llvm::Instruction *event = event_of_copy(copy);
  bool does = !event;
  visit_notes_of(wait, [&](const llvm::Instruction &note) {
    if (does || called_primitive(note) != Primitive::record_awaited)
      return;
    llvm::SmallPtrSet<const llvm::Value *, 8> seen;
    does = is_event(*llvm::cast<llvm::CallInst>(note).getArgOperand(0), *event, seen);
  });
  return does;
}

} // namespace lockstep::compiler

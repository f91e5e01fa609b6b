// Instruments group operations: counts barrier epochs, reports copies, and checks which work-items
// reach an operation with which arguments.
#include "compiler/checks/races/instrumentation.h"

#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/common/reachability.h"
#include "compiler/checks/races/copy_events.h"
#include "compiler/checks/races/copy_operands.h"
#include "compiler/checks/races/record_arguments.h"
#include "kernel_ir/primitives.h"

#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

bool Instrumentation::waits_for_copies(const llvm::Instruction &operation) const {
  const SynchronizationNote *note = notes_.at(operation.getDebugLoc());
  return note && note->kind == SynchronizationNote::waits_for_copies;
}

// Requires that all work-items reach all operations. Each copy then has the same event for all of
// them, and every path from it leads to a wait for this event.
bool Instrumentation::are_all_awaited(llvm::ArrayRef<llvm::CallInst *> operations,
                                      llvm::ArrayRef<llvm::CallInst *> notes) const {
  for (const llvm::CallInst *note : notes)
    if (called_primitive(*note) == Primitive::record_awaited &&
        called_primitive(*note->getArgOperand(0)) != Primitive::record_copy)
      return false;
  return llvm::all_of(operations, [&](const llvm::CallInst *copy) {
    if (!is_group_copy(*called_primitive(*copy)))
      return true;
    for (unsigned side : {0u, 1u}) {
      llvm::Value *pointer = copy->getArgOperand(side)->stripPointerCasts();
      if (wanted_.races && is_wanted(*pointer) && !disjoint_->has_copy(*copy, side == 0) &&
          (side == 0 || !disjoint_->is_only_read(object_of(*pointer))))
        return false;
    }
    const llvm::Instruction *event = event_of_copy(*copy);
    auto *given = event ? llvm::dyn_cast<llvm::Constant>(event->getOperand(0)) : nullptr;
    llvm::DenseSet<const llvm::Instruction *> waits;
    for (const llvm::CallInst *wait : operations)
      if (event && waits_for_copies(*wait) && waits_for(*wait, *copy))
        waits.insert(wait);
    bool is_awaited = given && given->isNullValue();
    visit_until(copy->getNextNode(), waits, [&](const llvm::Instruction &next) {
      is_awaited &= !llvm::isa<llvm::ReturnInst>(next) && &next != event;
    });
    return is_awaited;
  });
}

void Instrumentation::count_intervals(llvm::ArrayRef<llvm::CallInst *> operations) {
  builder_.SetInsertPoint(function_.getEntryBlock().begin());
  passed_ = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "intervals");
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.CreateStore(builder_.getInt64(0), passed_);
  for (llvm::CallInst *operation : operations) {
    const auto primitive = called_primitive(*operation);
    builder_.SetInsertPoint(operation->getNextNode());
    builder_.SetCurrentDebugLocation(operation->getDebugLoc());
    llvm::Value *step = is_group_copy(*primitive)         ? builder_.getInt64(Intervals::copy_step)
                        : primitive == Primitive::barrier ? step_of_barrier(*operation)
                                                          : nullptr;
    if (step)
      builder_.CreateStore(after_step(intervals(), step), passed_);
    // The wait may be the last event of the kernel.
    if (waits_for_copies(*operation) && !are_copies_proven_)
      report_arrival(*operation, AccessKind::wait_for_copies, nullptr);
  }
}

// Emits Intervals::after().
llvm::Value *Instrumentation::after_step(llvm::Value *before, llvm::Value *step) {
  llvm::Value *low = builder_.CreateAnd(before, builder_.getInt64(~Intervals::highest)),
              *high = builder_.CreateAnd(before, builder_.getInt64(Intervals::highest)),
              *sum = builder_.CreateAdd(low, step), *after = builder_.CreateXor(sum, high);
  for (llvm::Value *each : {low, high, sum, after})
    steps_.emplace_back(each);
  return after;
}

// Promotes the counter to a register, and folds it to a constant unless a loop contains a barrier.
void Instrumentation::promote_intervals() {
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg({passed_}, dominators);
  for (const llvm::WeakTrackingVH &step : steps_)
    if (auto *instruction = llvm::dyn_cast_or_null<llvm::Instruction>(step))
      if (llvm::Constant *known =
              llvm::ConstantFoldInstruction(instruction, module_.getDataLayout())) {
        instruction->replaceAllUsesWith(known);
        instruction->eraseFromParent();
      }
}

// Describes the barriers of the kernel and their flags for reports (CheckSite::barriers). Includes
// atomics if all of them are relaxed.
std::string Instrumentation::barriers_text(llvm::ArrayRef<llvm::CallInst *> operations,
                                           llvm::ArrayRef<llvm::Instruction *> accesses) const {
  std::string text;
  if (!synchronizes_)
    for (const llvm::Instruction *access : accesses)
      if (const llvm::DILocation *place = location_in_program(access->getDebugLoc());
          place && access->isAtomic() &&
          (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(access) ||
           !access->isVolatile()))
        text += std::to_string(place->getLine()) + ":" + std::to_string(CheckSite::relaxed_atomic) +
                ";";
  for (const llvm::Instruction &each : llvm::instructions(function_))
    if (const llvm::DILocation *place = location_in_program(each.getDebugLoc());
        place && llvm::isa<llvm::FenceInst>(each) && !is_barrier_of_lanes(each) &&
        scope_of(each) < CheckScope::device)
      text += std::to_string(place->getLine()) + ":" +
              std::to_string(CheckSite::narrow_fence + static_cast<unsigned>(scope_of(each))) + ";";
  for (const llvm::CallInst *operation : operations) {
    const SynchronizationNote *note = notes_.at(operation->getDebugLoc());
    if (called_primitive(*operation) != Primitive::barrier || (note && note->kind))
      continue;
    auto *flags = llvm::dyn_cast<llvm::ConstantInt>(operation->getArgOperand(0));
    if (const llvm::DILocation *place = location_in_program(operation->getDebugLoc());
        place && flags) {
      const uint64_t own = flags->getZExtValue();
      text +=
          std::to_string(place->getLine()) + ":" +
          std::to_string((own & image_fence ? own | global_fence : own) & ~uint64_t{image_fence}) +
          ";";
    }
  }
  return text;
}

llvm::Value *Instrumentation::step_of_barrier(llvm::CallInst &barrier) {
  const SynchronizationNote *note = notes_.at(barrier.getDebugLoc());
  if (note && note->kind) // orders only the copies
    return builder_.getInt64(note->kind == SynchronizationNote::waits_for_copies
                                 ? Intervals::wait_step
                                 : Intervals::copy_fence_step);
  llvm::Value *flags = barrier.getArgOperand(0), *step = builder_.getInt64(0);
  uint64_t global_step = Intervals::global_step;
  if (note && note->scope == CheckScope::device)
    global_step += Intervals::device_step;
  for (auto [flag, count] : {std::pair(global_fence | image_fence, global_step),
                             std::pair(local_fence, Intervals::local_step)})
    step = builder_.CreateAdd(
        step, builder_.CreateSelect(
                  builder_.CreateICmpNE(builder_.CreateAnd(flags, flag), builder_.getInt32(0)),
                  builder_.getInt64(count), builder_.getInt64(0)));
  return step;
}

void Instrumentation::mark_copies(llvm::ArrayRef<llvm::CallInst *> operations) {
  for (llvm::CallInst *copy : operations)
    for (unsigned side : {0u, 1u}) {
      if (!is_group_copy(*called_primitive(*copy)) || enqueues_)
        continue;
      llvm::Value *pointer = copy->getArgOperand(side)->stripPointerCasts();
      if (!is_wanted(*pointer) || !is_for_commands(*pointer))
        continue;
      const FootprintKind kind =
          footprint_kind(side == 0 ? AccessKind::copy_write : AccessKind::copy_read);
      const CopyOperands operands(*copy, side);
      if (must_accesses_->add_copy(*copy, pointer, operands, kind) ||
          (operands.is_row() &&
           marks_.add_row(*copy, pointer, operands.repeats.front().count, operands.size, kind)))
        marked_copies_.insert({copy, side});
    }
}

// Reports each side before the copy executes. The copy has started when the first work-item reports
// it.
void Instrumentation::visit_group_copy(llvm::CallInst &copy) {
  const bool has_lines = called_primitive(copy) == Primitive::group_copy_lines;
  builder_.SetInsertPoint(&copy);
  builder_.SetCurrentDebugLocation(copy.getDebugLoc());
  auto operand = [&copy](unsigned index) { return copy.getArgOperand(index); };
  llvm::Value *zero = builder_.getInt64(0), *one = builder_.getInt64(1);
  for (unsigned side : {0u, 1u}) {
    llvm::Value *pointer = operand(side)->stripPointerCasts();
    const bool is_marked = marked_copies_.contains({&copy, side}),
               reports_all = is_for_commands(*pointer) && !is_marked,
               is_disjoint = !reports_all && disjoint_->has_copy(copy, side == 0);
    if (!is_wanted(*pointer) || (are_copies_proven_ && !reports_all) ||
        (side == 1 && !reports_all &&
         (is_disjoint || disjoint_->is_only_read(object_of(*pointer)))))
      continue;
    CheckSite what{};
    what.kind = side == 0 ? AccessKind::copy_write : AccessKind::copy_read;
    what.scope = CheckScope::device;
    auto *element = has_lines ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operand(5));
    what.size = element ? static_cast<uint32_t>(element->getZExtValue()) : 1;
    auto *stride = has_lines ? nullptr : llvm::dyn_cast<llvm::ConstantInt>(operand(3 + side));
    what.is_marked = is_marked;
    if (are_copies_proven_)
      what.same_value = SameValue::has_no_conflict;
    llvm::Value *place = site(copy, pointer, what);
    llvm::SmallVector<llvm::Value *> arguments = {generic(pointer)};
    if (is_disjoint) // the kernel may never wait for this copy
      arguments.append({zero, zero, zero, zero, zero});
    else if (has_lines)
      arguments.append({operand(2), operand(3), operand(side == 0 ? 5 : 7), operand(4),
                        operand(side == 0 ? 6 : 8)});
    else if (stride && stride->isOne())
      arguments.append({builder_.CreateMul(operand(2), operand(5)), one, zero, one, zero});
    else
      arguments.append(
          {operand(5), operand(2), builder_.CreateMul(operand(3 + side), operand(5)), one, zero});
    arguments.append({one, place, item_, intervals()});
    call_primitive(builder_, Primitive::check_copy, builder_.getVoidTy(), arguments);
  }
}

void Instrumentation::report_arrival(llvm::Instruction &operation, AccessKind kind,
                                     llvm::Value *condition) {
  CheckSite what{};
  what.kind = kind;
  llvm::Value *place = site(operation, nullptr, what);
  if (!condition)
    call_primitive(builder_, Primitive::check_fence, builder_.getVoidTy(),
                   {builder_.getInt64(1), place, item_, intervals()});
  else
    call_primitive(builder_, Primitive::check_choice, builder_.getVoidTy(),
                   {builder_.CreateSExt(condition, builder_.getInt64Ty()), builder_.getInt64(1),
                    place, item_, intervals()});
}

// Passes the value where accesses pass their address.
void Instrumentation::report_value(llvm::Instruction &note, llvm::Value *value, AccessKind kind,
                                   llvm::StringRef name) {
  CheckSite what{};
  what.kind = kind;
  what.argument = CheckSite::no_argument;
  call_primitive(builder_, Primitive::check_access, builder_.getVoidTy(),
                 {builder_.CreateIntToPtr(value, builder_.getPtrTy(generic_space)),
                  builder_.getInt64(0), builder_.getInt64(1), sites_.add(what, note, name), item_,
                  intervals()});
}

void Instrumentation::record_packets(llvm::CallInst &note) {
  llvm::Value *number = note.getArgOperand(0), *pipe = note.getArgOperand(1);
  note.replaceAllUsesWith(number);
  if (!wanted_.races)
    return;
  CheckSite what{};
  what.kind = AccessKind{
      static_cast<uint32_t>(AccessKind::packets_to_write) +
      static_cast<uint32_t>(llvm::cast<llvm::ConstantInt>(note.getArgOperand(3))->getZExtValue())};
  llvm::Value *count = builder_.CreateZExt(note.getArgOperand(2), builder_.getInt64Ty());
  call_primitive(builder_, Primitive::check_packets, builder_.getVoidTy(),
                 {generic(pipe), number, count, site(note, pipe, what), item_, intervals()});
}

// Reports the values that record-arguments and the device library have marked. A copy without an
// event gets the number of copies so far, including itself.
void Instrumentation::report_records(llvm::ArrayRef<llvm::CallInst *> notes) {
  builder_.SetInsertPoint(function_.getEntryBlock().begin());
  llvm::AllocaInst *copies = builder_.CreateAlloca(builder_.getInt64Ty(), nullptr, "copies");
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.CreateStore(builder_.getInt64(0), copies);
  for (llvm::CallInst *note : notes) {
    builder_.SetInsertPoint(note);
    builder_.SetCurrentDebugLocation(note->getDebugLoc());
    llvm::Value *value = note->getArgOperand(0);
    if (are_copies_proven_ && called_primitive(*note) == Primitive::record_copy) {
      note->replaceAllUsesWith(builder_.getInt64(1));
    } else if (are_copies_proven_ && called_primitive(*note) == Primitive::record_awaited) {
      // nothing may be in progress behind the wait
    } else if (called_primitive(*note) == Primitive::record_copy) {
      llvm::Value *own = builder_.CreateAdd(builder_.CreateLoad(builder_.getInt64Ty(), copies),
                                            builder_.getInt64(1));
      builder_.CreateStore(own, copies);
      value = builder_.CreateSelect(builder_.CreateIsNull(value), own, value);
      report_value(*note, value, AccessKind::copy_event, "event of an async copy");
      note->replaceAllUsesWith(value);
    } else if (called_primitive(*note) == Primitive::record_packets) {
      record_packets(*note);
    } else if (called_primitive(*note) == Primitive::record_awaited) {
      report_value(*note, value, AccessKind::awaited_event, "event_list of wait_group_events");
    } else {
      const RecordedArgument &recorded =
          recorded_arguments()[llvm::cast<llvm::ConstantInt>(note->getArgOperand(1))
                                   ->getZExtValue()];
      if (!(recorded.of_sub_group ? lanes_ : group_).is_uniform_everywhere(*value))
        report_value(*note, value,
                     recorded.of_sub_group ? AccessKind::sub_group_argument : AccessKind::argument,
                     (recorded.name + " of " + recorded.function.ltrim('_')).str());
    }
    dead_.push_back(note);
  }
  llvm::DominatorTree dominators(function_);
  llvm::PromoteMemToReg({copies}, dominators);
}

} // namespace lockstep::compiler

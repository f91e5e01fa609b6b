#include "compiler/checks/races/instrument_accesses.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/image_texels.h"
#include "compiler/checks/common/primitive_calls.h"
#include "compiler/checks/races/divergent_operations.h"
#include "compiler/checks/races/instrumentation.h"
#include "kernel_ir/atomic_multiply.h"
#include "kernel_ir/check_attributes.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"
#include "kernel_ir/variable_names.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

namespace lockstep::compiler {

// ---- where

// memory of collectives
static constexpr llvm::StringLiteral scratch_name = "lockstep.group.scratch";

static bool reaches_constant_buffer(const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *> objects;
  llvm::getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
  return llvm::any_of(objects, [](const llvm::Value *each) {
    auto *argument = llvm::dyn_cast<llvm::Argument>(each);
    return argument && is_constant_buffer(*argument);
  });
}

bool is_of_pipe(const llvm::Value &pointer) {
  llvm::SmallVector<const llvm::Value *, 2> objects;
  llvm::getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
  return llvm::all_of(objects, [](const llvm::Value *each) {
    auto *argument = llvm::dyn_cast<llvm::Argument>(each);
    return argument && argument->getParent()->getAttributes().hasParamAttr(argument->getArgNo(),
                                                                           pipe_attribute);
  });
}

bool is_atomic_of_pipe(const llvm::Instruction &instruction) {
  return instruction.isAtomic() &&
         llvm::any_of(instruction.operands(), [](const llvm::Use &operand) {
           return operand->getType()->isPointerTy() && is_of_pipe(*operand);
         });
}

bool Instrumentation::is_wanted(const llvm::Value &pointer) const {
  const unsigned space = pointer.getType()->getPointerAddressSpace();
  if (space == constant_space)
    return reaches_constant_buffer(pointer);
  if (!is_shared(space))
    return false;
  const llvm::Value *object = llvm::getUnderlyingObject(&pointer);
  if (llvm::isa<llvm::AllocaInst>(object))
    return false;
  auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
  return !variable || (!variable->isConstant() && !variable->getName().starts_with(scratch_name));
}

llvm::Value *Instrumentation::site(const llvm::Instruction &access, const llvm::Value *pointer,
                                   CheckSite site) {
  site.argument = CheckSite::no_argument;
  const bool is_for_commands_only = !wanted_.races || site.same_value == SameValue::has_no_conflict;
  const bool synchronizes = is_for_commands_only ? orders_others_ : synchronizes_;
  site.synchronizes = !synchronizes ? (has_sub_group_barriers_ ? CheckSite::by_sub_group_barriers
                                                               : CheckSite::by_nothing_else)
                      : narrowest_ < CheckScope::work_group ? CheckSite::by_sub_group_atomics
                      : narrowest_ < CheckScope::device     ? CheckSite::by_narrow_atomics
                                                            : CheckSite::by_atomics;
  llvm::StringRef name;
  if (pointer) {
    site.address_space = pointer->getType()->getPointerAddressSpace();
    if (site.address_space == constant_space) // a constant buffer is global memory
      site.address_space = global_space;
    const llvm::Value *object = llvm::getUnderlyingObject(pointer);
    set_argument(site, *object);
    if (auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object))
      name = name_in_source(*variable);
  }
  return sites_.add(site, access, name);
}

// True if the value is computed from arguments and sizes only, so that it is uniform across the
// launch.
static bool is_of_launch(const llvm::Value &value, unsigned depth = 8) {
  if (llvm::isa<llvm::Constant, llvm::Argument>(value))
    return true;
  auto *instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (!instruction || depth == 0 || llvm::isa<llvm::PHINode>(instruction))
    return false;
  if (const auto primitive = called_primitive(*instruction)) {
    if (*primitive != Primitive::enqueued_local_size && *primitive != Primitive::global_size &&
        *primitive != Primitive::global_offset && *primitive != Primitive::num_groups &&
        *primitive != Primitive::work_dim)
      return false;
  } else if (instruction->mayReadOrWriteMemory() || llvm::isa<llvm::AllocaInst>(instruction)) {
    return false;
  }
  return llvm::all_of(instruction->operands(), [depth](const llvm::Use &use) {
    return llvm::isa<llvm::Function>(use) || is_of_launch(*use, depth - 1);
  });
}

SameValue Instrumentation::same_value(const llvm::Value &value) const {
  if (is_of_launch(value))
    return SameValue::always;
  return group_.is_uniform_everywhere(value) ? SameValue::in_group : SameValue::unknown;
}

bool enqueues_kernels(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &each) {
    return called_primitive(each) == Primitive::device_enqueue;
  });
}

// ---- plain accesses

void Instrumentation::visit_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size,
                                  AccessKind kind, SameValue same_value) {
  if (size == 0 || !is_wanted(*pointer))
    return;
  const bool is_compared = wanted_.races && !disjoint_->has(access, pointer),
             is_for_others = is_for_commands(*pointer),
             is_marked = is_for_others && mark(access, pointer, size, kind);
  if (is_compared) {
    remark(access, "checks",
           llvm::Twine("this access is compared with others: ") +
               disjoint_->why_not(access, pointer));
    report_plain(access, pointer, size, kind, same_value, is_marked);
  } else if (is_for_others && !is_marked) {
    report_plain(access, pointer, size, kind, SameValue::has_no_conflict);
  }
}

bool Instrumentation::mark(llvm::Instruction &access, llvm::Value *pointer, uint64_t size,
                           AccessKind kind) {
  if (!is_of_pipe(*pointer))
    return !enqueues_ && (must_accesses_->add(access, pointer, size, footprint_kind(kind)) ||
                          marks_.add(access, pointer, size, footprint_kind(kind)));
  // Accesses to a pipe count as atomic: kernels that use one pipe at the same time do not conflict.
  marks_.add(access, pointer, size, footprint_kind(kind, /*orders_others=*/true));
  return true;
}

FootprintKind Instrumentation::footprint_kind(AccessKind kind, bool orders_others) const {
  CheckSite what{};
  what.kind = kind;
  what.synchronizes = orders_others ? CheckSite::by_atomics : CheckSite::by_nothing_else;
  return what.footprint_kind();
}

void Instrumentation::report_plain(llvm::Instruction &access, llvm::Value *pointer, uint64_t size,
                                   AccessKind kind, SameValue same_value, bool is_marked) {
  CheckSite what{};
  what.is_marked = is_marked;
  what.size = static_cast<uint32_t>(size);
  what.kind = kind;
  what.scope = access.isAtomic() ? scope_of(access) : CheckScope::device;
  what.same_value = same_value;
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(access) &&
      llvm::getLoadStoreType(&access)->isFPOrFPVectorTy())
    what.number_type = NumberType::floating_point;
  what.update = updates_.lookup(&access);
  what.loop = loops_.lookup(access.getParent());
  reports_accesses_ = true;
  call_primitive(builder_, Primitive::check_access, builder_.getVoidTy(),
                 {generic(pointer), builder_.getInt64(0), builder_.getInt64(1),
                  site(access, pointer, what), item_, intervals()});
}

// Finds a later write of the same bytes, if nothing in between orders accesses or may not return.
// An access that conflicts with the read also conflicts with the write, so only the write is
// reported.
llvm::StoreInst *Instrumentation::write_that_reports(llvm::LoadInst &load) const {
  const llvm::DataLayout &layout = module_.getDataLayout();
  unsigned looked_at = 0;
  for (llvm::Instruction *next = load.getNextNode(); next && looked_at != limits::search_steps;
       next = next->getNextNode(), ++looked_at) {
    if (auto *store = llvm::dyn_cast<llvm::StoreInst>(next);
        store && !is_relaxed_at_least(*store)) {
      llvm::Value *pointer = store->getPointerOperand();
      if (pointer == load.getPointerOperand() &&
          layout.getTypeStoreSize(store->getValueOperand()->getType()) ==
              layout.getTypeStoreSize(load.getType()))
        return disjoint_->has(*store, pointer) ? nullptr : store;
    } else if (next->mayWriteToMemory() || next->isAtomic() ||
               !llvm::isGuaranteedToTransferExecutionToSuccessor(next)) {
      return nullptr;
    }
  }
  return nullptr;
}

void Instrumentation::visit_load(llvm::LoadInst &load) {
  const uint64_t size = module_.getDataLayout().getTypeStoreSize(load.getType());
  llvm::Value *pointer = load.getPointerOperand();
  if (load.hasMetadata(llvm::LLVMContext::MD_invariant_load)) {
    if (is_wanted(*pointer) && is_for_commands(*pointer) &&
        !mark(load, pointer, size, AccessKind::read))
      report_plain(load, pointer, size, AccessKind::read, SameValue::has_no_conflict);
    return;
  }
  const bool is_guess = is_guess_of_swap(load);
  if (llvm::StoreInst *store = is_guess ? nullptr : write_that_reports(load))
    reported_reads_.insert(store);
  else
    visit_plain(load, pointer, size, AccessKind::read,
                is_guess ? SameValue::guess_of_swap : SameValue::unknown);
}

// A store that also reports a read needs a real comparison: it does not matter that other
// work-items write the same value.
void Instrumentation::visit_store(llvm::StoreInst &store) {
  const llvm::Value &value = *store.getValueOperand();
  visit_plain(store, store.getPointerOperand(),
              module_.getDataLayout().getTypeStoreSize(value.getType()), AccessKind::write,
              reported_reads_.contains(&store) ? SameValue::unknown : same_value(value));
}

// Copies of non-constant length are not reported: no front end creates them.
void Instrumentation::visit_copy(llvm::MemIntrinsic &copy) {
  auto *size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!size)
    return;
  if (auto *transfer = llvm::dyn_cast<llvm::MemTransferInst>(&copy))
    visit_plain(copy, transfer->getRawSource(), size->getZExtValue(), AccessKind::read,
                SameValue::unknown);
  visit_plain(copy, copy.getRawDest(), size->getZExtValue(), AccessKind::write,
              llvm::isa<llvm::MemSetInst>(copy) &&
                      llvm::isa<llvm::Constant>(llvm::cast<llvm::MemSetInst>(copy).getValue())
                  ? SameValue::always
                  : SameValue::unknown);
}

// ---- all of it

void Instrumentation::visit(llvm::Instruction &instruction) {
  builder_.SetInsertPoint(&instruction);
  builder_.SetCurrentDebugLocation(instruction.getDebugLoc());
  CheckSite what{};
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    what.kind = AccessKind::atomic_read;
    what.order = order_of(load->getOrdering());
    if (is_relaxed_at_least(*load))
      visit_atomic(*load, load->getPointerOperand(), load->getType(), what);
    else
      visit_load(*load);
  } else if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    what.kind = AccessKind::atomic_write;
    what.order = order_of(store->getOrdering());
    if (is_relaxed_at_least(*store))
      visit_atomic(*store, store->getPointerOperand(), store->getValueOperand()->getType(), what);
    else
      visit_store(*store);
  } else if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    what.kind = AccessKind::atomic_update;
    what.order = order_of(update->getOrdering());
    what.operation = AtomicOperation{static_cast<uint32_t>(update->getOperation())};
    visit_atomic(*update, update->getPointerOperand(), update->getType(), what);
  } else if (auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    what.kind = AccessKind::atomic_update;
    what.order = order_of(swap->getSuccessOrdering());
    what.failure = order_of(swap->getFailureOrdering());
    what.operation = AtomicOperation::compare_and_swap;
    visit_atomic(*swap, swap->getPointerOperand(), swap->getNewValOperand()->getType(), what);
  } else if (const auto product = atomic_multiply(instruction)) {
    what.kind = AccessKind::atomic_update;
    what.order = order_of(product->ordering);
    what.operation = product->value->getType()->isFloatingPointTy()
                         ? AtomicOperation::multiply_floats
                         : AtomicOperation::multiply;
    visit_atomic(instruction, product->pointer, product->value->getType(), what);
  } else if (auto *copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    visit_copy(*copy);
  } else if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
             fence && fence->getSyncScopeID() != llvm::SyncScope::SingleThread) {
    visit_fence(*fence);
  } else if (called_primitive(instruction) == Primitive::sub_group_barrier) {
    visit_sub_group_barrier(llvm::cast<llvm::CallInst>(instruction));
  }
}

void Instrumentation::run(const DisjointAccesses::Analyses &analyses, uint64_t failed,
                          CheckedKinds wanted) {
  wanted_ = wanted;
  disjoint_.emplace(shared_accesses(analyses.loops, failed), analyses);
  if (wanted.commands)
    must_accesses_.emplace(function_, analyses, disjoint_->next_number(), disjoint_->numbers(),
                           failed);
  const DivergentOperations divergent = find_divergent_operations(function_, group_);
  llvm::SmallVector<llvm::Instruction *> accesses;
  llvm::SmallVector<llvm::CallInst *> operations, notes;
  for (llvm::Instruction &instruction : llvm::instructions(function_)) {
    if (is_of_checker(instruction) || is_atomic_of_pipe(instruction))
      continue;
    if (const auto primitive = called_primitive(instruction); primitive && is_record(*primitive))
      notes.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (is_group_operation(instruction))
      operations.push_back(llvm::cast<llvm::CallInst>(&instruction));
    else if (instruction.mayReadOrWriteMemory())
      accesses.push_back(&instruction);
  }
  updates_ = find_updates(accesses, analyses.dominators);
  uint32_t loop_number = 0;
  for (const llvm::Loop *loop : analyses.loops) {
    ++loop_number;
    for (const llvm::BasicBlock *block : loop->blocks())
      loops_[block] = loop_number;
  }
  record_synchronization(accesses);
  builder_.SetInsertPoint(function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  builder_.SetCurrentDebugLocation({});
  item_ = linear_local_id(builder_);
  sites_.set_barriers(barriers_text(operations, accesses));
  mark_copies(operations);
  are_copies_proven_ = divergent.operations.empty() && are_all_awaited(operations, notes);
  count_intervals(operations);
  if (!notes.empty())
    report_records(notes);
  for (llvm::Instruction *access : accesses)
    visit(*access);
  for (llvm::CallInst *operation : operations)
    if (is_group_copy(*called_primitive(*operation)))
      visit_group_copy(*operation);
  for (llvm::Instruction *operation : divergent.operations) {
    builder_.SetInsertPoint(operation);
    builder_.SetCurrentDebugLocation(operation->getDebugLoc());
    report_arrival(*operation, AccessKind::arrival, nullptr);
  }
  for (llvm::BranchInst *branch : divergent.choices) {
    builder_.SetInsertPoint(branch);
    builder_.SetCurrentDebugLocation(branch->getDebugLoc());
    report_arrival(*branch, AccessKind::choice, branch->getCondition());
  }
  for (const DivergentEdges &edges : divergent.edges) {
    llvm::SwitchInst *choice = edges.choice;
    builder_.SetInsertPoint(choice);
    builder_.SetCurrentDebugLocation(choice->getDebugLoc());
    llvm::Value *goes_there = nullptr;
    for (llvm::ConstantInt *value : edges.values) {
      llvm::Value *is_it = builder_.CreateICmpEQ(choice->getCondition(), value);
      goes_there = goes_there ? builder_.CreateOr(goes_there, is_it) : is_it;
    }
    report_arrival(*choice, AccessKind::choice,
                   edges.are_others ? builder_.CreateNot(goes_there) : goes_there);
  }
  record_assumptions();
  marks_.make();
  if (reports_accesses_ && narrowest_ >= CheckScope::work_group)
    function_.addFnAttr(reports_accesses);
  for (llvm::Instruction *access : dead_)
    access->eraseFromParent();
  promote_intervals();
}

llvm::PreservedAnalyses InstrumentAccessesPass::run(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  function.removeFnAttr(llvm::Attribute::SanitizeThread);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  Uniformity lanes(function, dominators, UniformityLevel::lanes);
  Uniformity group(function, dominators, UniformityLevel::work_group);
  const DisjointAccesses::Analyses needed{
      dominators, analyses.getResult<llvm::LoopAnalysis>(function),
      analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)};
  Instrumentation(function, lanes, group).run(needed, failed_, wanted_);
  // The checker identifies accesses by their work-group, so work-groups are not coalesced.
  if (llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &each) {
        const auto primitive = called_primitive(each);
        return primitive && *primitive >= Primitive::check_access &&
               *primitive <= Primitive::check_footprint;
      }))
    set_neighbor_groups(function, {1, 1, 1});
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

// Turns the function of one sub-group into the function of one work-group (the loop form).
//
// Requires: the kernel in the form that isolate-group-operations produces; the attributes
// "lockstep-local-size" and "lockstep-sub-group-size".
// Ensures: each barrier region is a loop over the sub-groups, followed by a dispatch to the group
// operation that they reached. Barriers are gone; other group operations are between the loops and
// run once. A uniform value that is live across a group operation has one variable; any other has
// an array with an element for each sub-group, as private variables have. No `__lockstep_local_id`
// is left, and nothing is convergent any more.
//
//   entry ─> [loop region 0] ─> dispatch ─> operation 1 ─> [loop region 1] ─> dispatch ─┬─> operation 2 ...
//                                               ^───────────────────────────────────────┤
//                                                                                       └─> end
//
// Position: after the lanes stage, because the loops step over sub-groups; before launch queries
// are lowered, because sizes are primitives here. A kernel that waits for other work-groups cannot
// use this form: its work-items run one after the other.
#include "compiler/regions/passes.h"

#include "compiler/regions/early_returns.h"
#include "compiler/regions/hoist_uniform_values.h"
#include "compiler/regions/idle_sub_groups.h"
#include "compiler/regions/private_variables.h"
#include "compiler/regions/values_across_barriers.h"
#include "compiler/regions/work_item_loop_nest.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

#include <optional>

namespace lockstep::compiler {

namespace {

// Memory of a work-group: one element for each sub-group, or a single one.
struct GroupMemory {
  llvm::AllocaInst *memory = nullptr;
  bool per_sub_group = false;
};

// The context in which a region (or an operation's block) is emitted for a sub-group.
struct Place {
  llvm::IRBuilder<> *builder = nullptr; // at the start of the body, ids valid
  llvm::IRBuilder<> *before = nullptr;  // before the loop: the same for all sub-groups
  llvm::Value *index = nullptr;         // the sub-group's index
  llvm::Value *active_lanes = nullptr;  // the number of work-items in the sub-group
  bool is_operation = false;            // between the loops: acts as sub-group 0
  const WorkBound *below = nullptr;     // the bound, if the sub-group is below its `full`

  bool is_known_true(const llvm::Value &original) const {
    return below && below->true_below_full.contains(&original);
  }
};

class Builder {
public:
  Builder(llvm::Function &function, llvm::DominatorTree &dominators)
      : function_(function), context_(function.getContext()), regions_(function),
        early_ends_(regions_.regions().size()) {
    Uniformity uniformity(function, dominators, UniformityLevel::work_group);
    live_values_ = find_barrier_values(function, regions_, uniformity);
    early_ends_ = find_early_ends(function, regions_, uniformity);
  }

  void run();

private:
  void prepare_entry();
  void emit_region(unsigned index);
  std::optional<WorkBound> find_bound(unsigned index);
  void emit_body(unsigned index, const WorkItemLoopNest::Body &body, const WorkBound *below);
  llvm::BasicBlock *emit_exit(unsigned from, std::optional<unsigned> to, llvm::BasicBlock *latch,
                              const Place &place);
  void keep_live_values(unsigned from, unsigned to, llvm::BasicBlock *exit, const Place &place,
                        llvm::ValueToValueMapTy &map);
  void emit_dispatch(unsigned index, llvm::BasicBlock *end);
  void emit_operation(unsigned index);
  void clone_blocks(const llvm::SmallVectorImpl<llvm::BasicBlock *> &blocks,
                    llvm::ValueToValueMapTy &map, const llvm::Twine &suffix);
  void load_barrier_values(Place &place, llvm::ValueToValueMapTy &map,
                           bool (*wanted)(const BarrierValue &, unsigned), unsigned index);
  void map_private_variables(Place &place, llvm::ValueToValueMapTy &map);
  void replace_local_ids(const llvm::SmallVectorImpl<llvm::BasicBlock *> &blocks,
                         llvm::ValueToValueMapTy &map, const Place &place);
  llvm::Value *recompute(const BarrierValue &live_value, const Place &place);
  llvm::Value *element(llvm::IRBuilderBase &builder, const GroupMemory &memory, llvm::Value *index);
  llvm::AllocaInst *variable(llvm::Type *type, const llvm::Twine &name);
  void finish();

  llvm::Function &function_;
  llvm::LLVMContext &context_;
  BarrierRegions regions_;
  std::vector<BarrierValue> live_values_;
  EarlyEnds early_ends_;

  llvm::SmallVector<llvm::BasicBlock *> original_blocks_;
  // The kernel's own variables, in the original entry.
  llvm::SmallVector<llvm::AllocaInst *> private_;
  // From a variable of the original to the memory of the group.
  llvm::DenseMap<const llvm::AllocaInst *, GroupMemory> kept_;
  llvm::BasicBlock *entry_ = nullptr, *end_ = nullptr;
  llvm::AllocaInst *next_ = nullptr; // which operation the sub-groups reached
  // One byte for each sub-group: whether it has ended; null: all end at once.
  llvm::AllocaInst *gone_ = nullptr;
  std::unique_ptr<llvm::IRBuilder<>> at_entry_;
  std::optional<WorkItemLoopNest> loops_;
  std::vector<llvm::BasicBlock *> preheaders_, operations_;               // of each region
  std::vector<std::pair<llvm::BasicBlock *, llvm::BasicBlock *>> bodies_; // with their preheaders
  llvm::SmallVector<llvm::AllocaInst *> promotable_;
};

llvm::AllocaInst *Builder::variable(llvm::Type *type, const llvm::Twine &name) {
  llvm::IRBuilder<> builder(entry_, entry_->begin());
  auto *alloca = builder.CreateAlloca(type, nullptr, name);
  promotable_.push_back(alloca);
  return alloca;
}

// The alignment of stack memory whose size is known at launch only. LLVM's code generator takes
// such memory from the stack with this alignment, and assumes that vectors on the stack of callees
// have it.
const llvm::Align stack_alignment(64);

// Emits the new entry: counters, memory for values live across barriers, memory for private
// variables.
void Builder::prepare_entry() {
  entry_ =
      llvm::BasicBlock::Create(context_, "group.entry", &function_, &function_.getEntryBlock());
  at_entry_ = std::make_unique<llvm::IRBuilder<>>(entry_);
  loops_.emplace(*at_entry_, specialized_local_size(function_), sub_group_size(function_),
                 interleaving(function_), function_.hasFnAttribute(rows_are_padded));
  for (llvm::AllocaInst *counter : loops_->counters())
    promotable_.push_back(counter);
  next_ = variable(at_entry_->getInt32Ty(), "next.operation");
  const llvm::DataLayout &layout = function_.getParent()->getDataLayout();
  auto keep = [&](const llvm::AllocaInst *key, llvm::Type *type, bool per_sub_group,
                  llvm::Align alignment) {
    // Every element needs the variable's alignment, not only the first one.
    if (uint64_t size = layout.getTypeAllocSize(type); per_sub_group && !isAligned(alignment, size))
      type = llvm::ArrayType::get(at_entry_->getInt8Ty(), llvm::alignTo(size, alignment));
    auto *memory =
        at_entry_->CreateAlloca(type, per_sub_group ? loops_->number_of_sub_groups() : nullptr,
                                key->getName() + (per_sub_group ? ".of.items" : ".of.group"));
    memory->setAlignment(per_sub_group ? std::max(alignment, stack_alignment) : alignment);
    kept_[key] = {memory, per_sub_group};
    if (!per_sub_group)
      promotable_.push_back(memory);
  };
  for (BarrierValue &live_value : live_values_) {
    llvm::Type *type = live_value.value->getType();
    if (live_value.kind != BarrierValueKind::recomputed)
      keep(live_value.variable, type, live_value.kind == BarrierValueKind::per_sub_group,
           layout.getPrefTypeAlign(type));
  }
  if (early_ends_.within.any()) {
    gone_ = at_entry_->CreateAlloca(at_entry_->getInt8Ty(), loops_->number_of_sub_groups(),
                                    "sub.groups.gone");
    gone_->setAlignment(stack_alignment);
    at_entry_->CreateMemSet(gone_, at_entry_->getInt8(0), loops_->number_of_sub_groups(),
                            llvm::Align(1));
  }
  for (llvm::AllocaInst *own : private_)
    keep(own, own->getAllocatedType(), lives_across_operations(*own, regions_), own->getAlign());
}

llvm::Value *Builder::element(llvm::IRBuilderBase &builder, const GroupMemory &memory,
                              llvm::Value *index) {
  if (!memory.per_sub_group)
    return memory.memory;
  return builder.CreateInBoundsGEP(memory.memory->getAllocatedType(), memory.memory, index);
}

llvm::Value *Builder::recompute(const BarrierValue &live_value, const Place &place) {
  llvm::DenseMap<const llvm::Value *, llvm::Value *> made;
  llvm::Value *last = nullptr;
  for (auto [step, original] : llvm::zip_equal(live_value.recipe, live_value.recipe_of)) {
    if (place.is_known_true(*original)) {
      last = llvm::ConstantInt::getTrue(step->getType());
    } else if (called_primitive(*step) == Primitive::local_id) {
      unsigned dimension = *constant_dimension(llvm::cast<llvm::CallInst>(*step));
      last = place.is_operation ? place.builder->getInt64(0)
                                : loops_->local_id(*place.builder, dimension);
    } else if (called_primitive(*step) == Primitive::active_lanes) {
      last = place.active_lanes;
    } else {
      llvm::Instruction *copy = step->clone();
      for (llvm::Use &operand : copy->operands())
        if (llvm::Value *now = made.lookup(operand))
          operand.set(now);
      last = place.builder->Insert(copy, live_value.value->getName());
    }
    made[step] = last;
  }
  return last;
}

// Creates a variable for each value live across a barrier and initializes it.
void Builder::load_barrier_values(Place &place, llvm::ValueToValueMapTy &map,
                                  bool (*wanted)(const BarrierValue &, unsigned), unsigned index) {
  for (BarrierValue &live_value : live_values_) {
    llvm::Type *type = live_value.value->getType();
    llvm::AllocaInst *local = variable(type, live_value.value->getName());
    map[live_value.variable] = local;
    if (!wanted(live_value, index))
      continue;
    llvm::Value *now;
    if (live_value.kind == BarrierValueKind::recomputed) {
      now = recompute(live_value, place);
    } else if (live_value.kind == BarrierValueKind::uniform) {
      // Loaded before the loop: the first sub-group may already store the value for the next
      // region.
      now = place.before->CreateLoad(type, kept_[live_value.variable].memory);
    } else {
      now = place.builder->CreateLoad(
          type, element(*place.builder, kept_[live_value.variable], place.index));
    }
    place.builder->CreateStore(now, local);
  }
}

void Builder::map_private_variables(Place &place, llvm::ValueToValueMapTy &map) {
  for (llvm::AllocaInst *own : private_)
    map[own] = element(*place.builder, kept_[own], place.index);
}

void Builder::clone_blocks(const llvm::SmallVectorImpl<llvm::BasicBlock *> &blocks,
                           llvm::ValueToValueMapTy &map, const llvm::Twine &suffix) {
  llvm::SmallPtrSet<llvm::BasicBlock *, 32> members(blocks.begin(), blocks.end());
  llvm::DenseMap<const llvm::Value *, llvm::Value *> variables;
  for (auto [from, to] : map)
    if (llvm::isa<llvm::AllocaInst>(from))
      variables[from] = to;
  for (llvm::BasicBlock *block : blocks)
    map[block] = llvm::CloneBasicBlock(block, map, suffix, &function_);
  for (auto [from, to] : variables) { // the original entry block's allocas were cloned, too
    if (auto *clone = llvm::dyn_cast_or_null<llvm::AllocaInst>(map.lookup(from));
        clone && clone != to)
      if (llvm::is_contained(blocks, llvm::cast<llvm::Instruction>(from)->getParent()))
        clone->eraseFromParent();
    map[from] = to;
  }
  for (llvm::BasicBlock *block : blocks) {
    auto *clone = llvm::cast<llvm::BasicBlock>(map[block]);
    for (llvm::PHINode &phi : llvm::make_early_inc_range(clone->phis()))
      for (unsigned edge = phi.getNumIncomingValues(); edge-- != 0;)
        if (!members.contains(phi.getIncomingBlock(edge)))
          phi.removeIncomingValue(edge, /*DeletePHIIfEmpty=*/false);
    for (llvm::Instruction &instruction : *clone) {
      llvm::RemapDbgRecordRange(function_.getParent(), instruction.getDbgRecordRange(), map,
                                llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
      llvm::RemapInstruction(&instruction, map,
                             llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
    }
  }
}

void Builder::replace_local_ids(const llvm::SmallVectorImpl<llvm::BasicBlock *> &blocks,
                                llvm::ValueToValueMapTy &map, const Place &place) {
  for (llvm::BasicBlock *block : blocks)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(*llvm::cast<llvm::BasicBlock>(map[block]))) {
      if (called_primitive(instruction) == Primitive::active_lanes) {
        instruction.replaceAllUsesWith(place.active_lanes);
        instruction.eraseFromParent();
        continue;
      }
      if (called_primitive(instruction) == Primitive::sub_group) {
        instruction.replaceAllUsesWith(place.index);
        instruction.eraseFromParent();
        continue;
      }
      if (called_primitive(instruction) != Primitive::local_id)
        continue;
      auto &call = llvm::cast<llvm::CallInst>(instruction);
      llvm::IRBuilder<> builder(&call);
      auto id = [&](unsigned dimension) -> llvm::Value * {
        return place.is_operation ? builder.getInt64(0) : loops_->local_id(builder, dimension);
      };
      llvm::Value *result;
      if (auto dimension = constant_dimension(call)) {
        result = *dimension < 3 ? id(*dimension) : builder.getInt64(0);
      } else {
        result = id(2);
        for (unsigned dimension : {1u, 0u})
          result = builder.CreateSelect(
              builder.CreateICmpEQ(call.getArgOperand(0), builder.getInt32(dimension)),
              id(dimension), result);
      }
      call.replaceAllUsesWith(result);
      call.eraseFromParent();
    }
}

// Emits the code of a sub-group that reaches operation `to` (none: the end): it records the
// operation, or that the sub-group has ended.
llvm::BasicBlock *Builder::emit_exit(unsigned from, std::optional<unsigned> to,
                                     llvm::BasicBlock *latch, const Place &place) {
  auto *exit = llvm::BasicBlock::Create(
      context_, "region." + llvm::Twine(from) + (to ? ".to." + llvm::Twine(*to) : ".to.end"),
      &function_);
  llvm::IRBuilder<> builder(exit);
  if (early_ends_.within.test(from) && !to)
    builder.CreateStore(builder.getInt8(1),
                        builder.CreateInBoundsGEP(builder.getInt8Ty(), gone_, place.index));
  else
    builder.CreateStore(builder.getInt32(to.value_or(0)), next_);
  builder.CreateBr(latch);
  return exit;
}

// Stores the values computed in region `from` that are live when operation `to` is reached.
void Builder::keep_live_values(unsigned from, unsigned to, llvm::BasicBlock *exit,
                               const Place &place, llvm::ValueToValueMapTy &map) {
  llvm::IRBuilder<> builder(exit, exit->begin());
  for (BarrierValue &live_value : live_values_) {
    if (live_value.kind == BarrierValueKind::recomputed ||
        !live_value.live_before_operation.test(to) ||
        !llvm::is_contained(regions_.regions()[from].blocks, live_value.value->getParent()))
      continue;
    llvm::Value *local = map[live_value.variable];
    builder.CreateStore(builder.CreateLoad(live_value.value->getType(), local),
                        element(builder, kept_[live_value.variable], place.index));
  }
}

void Builder::emit_region(unsigned index) {
  std::optional<WorkBound> bound = find_bound(index);
  WorkItemLoopNest::Loop loop =
      loops_->emit(preheaders_[index], "region." + llvm::Twine(index), bound ? &*bound : nullptr);
  for (const WorkItemLoopNest::Body &body : loop.bodies)
    emit_body(index, body, body.is_below_full ? &*bound : nullptr);
  if (early_ends_.within.test(index)) // assume the end; a sub-group that continues overwrites it
    new llvm::StoreInst(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context_), 0), next_,
                        preheaders_[index]->getTerminator()->getIterator());
  // Hoisting is not worthwhile for a last sub-group's body, which runs at most once.
  bodies_.emplace_back(preheaders_[index], loop.bodies.front().block);
  emit_dispatch(index, loop.end);
}

// The bound of the work of region `index`, if it ends before the local size.
std::optional<WorkBound> Builder::find_bound(unsigned index) {
  if (early_ends_.within.test(index) || specialized_local_size(function_)[0] == 0 ||
      !loops_->has_loop_for_each_dimension())
    return std::nullopt;
  return find_work_bound(function_, regions_, index, live_values_, *preheaders_[index],
                         [&](const BarrierValue &live_value, llvm::IRBuilderBase &builder) {
                           return builder.CreateLoad(live_value.value->getType(),
                                                     kept_[live_value.variable].memory);
                         });
}

void Builder::emit_body(unsigned index, const WorkItemLoopNest::Body &body,
                        const WorkBound *below) {
  const BarrierRegion &region = regions_.regions()[index];
  llvm::IRBuilder<> before(preheaders_[index]->getTerminator());
  llvm::IRBuilder<> builder(body.block);
  Place place{&builder, &before, loops_->sub_group_index(builder), body.active_lanes, false, below};

  llvm::ValueToValueMapTy map;
  load_barrier_values(
      place, map,
      [](const BarrierValue &value, unsigned region) { return value.live_at_entry.test(region); },
      index);
  map_private_variables(place, map);

  for (unsigned next : region.successors) {
    llvm::BasicBlock *exit = emit_exit(index, next, body.latch, place);
    map[regions_.regions()[next].operation->getParent()] = exit;
    keep_live_values(index, next, exit, place, map);
  }
  clone_blocks(region.blocks, map, ".r" + llvm::Twine(index));
  if (below)
    for (const llvm::Value *compare : below->true_below_full)
      if (llvm::Value *clone = map.lookup(compare))
        clone->replaceAllUsesWith(llvm::ConstantInt::getTrue(clone->getType()));
  if (region.reaches_end) {
    llvm::BasicBlock *exit = emit_exit(index, std::nullopt, body.latch, place);
    for (llvm::BasicBlock *block : region.blocks) {
      auto *clone = llvm::cast<llvm::BasicBlock>(map[block]);
      if (auto *ret = llvm::dyn_cast<llvm::ReturnInst>(clone->getTerminator())) {
        llvm::BranchInst::Create(exit, ret->getIterator());
        ret->eraseFromParent();
      }
    }
  }
  auto *first = llvm::cast<llvm::BasicBlock>(map[region.blocks.front()]);
  if (early_ends_.before.test(index)) {
    llvm::Type *byte = builder.getInt8Ty();
    llvm::Value *gone =
        builder.CreateLoad(byte, builder.CreateInBoundsGEP(byte, gone_, place.index), "gone");
    builder.CreateCondBr(builder.CreateIsNotNull(gone), body.latch, first);
  } else {
    builder.CreateBr(first);
  }
  replace_local_ids(region.blocks, map, place);
}

void Builder::emit_dispatch(unsigned index, llvm::BasicBlock *end) {
  const BarrierRegion &region = regions_.regions()[index];
  llvm::IRBuilder<> builder(end);
  if (region.successors.empty()) {
    builder.CreateBr(end_);
    return;
  }
  unsigned targets = region.successors.size() + region.reaches_end;
  if (targets == 1) {
    builder.CreateBr(operations_[region.successors.front()]);
    return;
  }
  // All sub-groups that continue have stored the same number. If they have not (work-items at
  // different barriers, undefined), the last one decides.
  llvm::BasicBlock *otherwise = region.reaches_end ? end_ : operations_[region.successors.front()];
  auto *dispatch =
      builder.CreateSwitch(builder.CreateLoad(builder.getInt32Ty(), next_), otherwise, targets);
  for (unsigned next : region.successors)
    if (operations_[next] != otherwise)
      dispatch->addCase(builder.getInt32(next), operations_[next]);
}

void Builder::emit_operation(unsigned index) {
  const BarrierRegion &region = regions_.regions()[index];
  llvm::IRBuilder<> builder(operations_[index]);
  if (called_primitive(*region.operation) == Primitive::barrier) {
    // All sub-groups run on one thread: arriving is all there is to do.
    builder.CreateBr(preheaders_[index]);
    return;
  }
  Place place{&builder, &builder, builder.getInt64(0), builder.getInt64(sub_group_size(function_)),
              true};
  llvm::ValueToValueMapTy map;
  load_barrier_values(
      place, map,
      [](const BarrierValue &value, unsigned region) {
        return value.live_before_operation.test(region);
      },
      index);
  map_private_variables(place, map);
  llvm::BasicBlock *block = region.operation->getParent();
  map[region.blocks.front()] = preheaders_[index];
  llvm::SmallVector<llvm::BasicBlock *> blocks = {block};
  clone_blocks(blocks, map, ".once");
  replace_local_ids(blocks, map, place);
  auto *clone = llvm::cast<llvm::BasicBlock>(map[block]);
  builder.CreateBr(clone);
  llvm::IRBuilder<> after(clone->getTerminator());
  for (BarrierValue &live_value : live_values_)
    if (live_value.value == region.operation) {
      llvm::Value *local = map[live_value.variable];
      after.CreateStore(after.CreateLoad(live_value.value->getType(), local),
                        kept_[live_value.variable].memory);
    }
}

void Builder::run() {
  // They mark variables that become elements of arrays.
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(llvm::instructions(function_)))
    if (llvm::isa<llvm::LifetimeIntrinsic>(instruction))
      instruction.eraseFromParent();
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    if (auto *alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction))
      private_.push_back(alloca);
  demote_barrier_values(function_, live_values_);
  for (llvm::BasicBlock &block : function_)
    original_blocks_.push_back(&block);

  prepare_entry();
  end_ = llvm::BasicBlock::Create(context_, "group.end", &function_);
  llvm::ReturnInst::Create(context_, end_);
  unsigned count = regions_.regions().size();
  for (unsigned index = 0; index != count; ++index) {
    operations_.push_back(
        index == 0
            ? nullptr
            : llvm::BasicBlock::Create(context_, "operation." + llvm::Twine(index), &function_));
    preheaders_.push_back(
        llvm::BasicBlock::Create(context_, "region." + llvm::Twine(index), &function_));
  }
  at_entry_->CreateBr(preheaders_[0]);
  for (unsigned index = 0; index != count; ++index) {
    if (index != 0)
      emit_operation(index);
    emit_region(index);
  }
  finish();
}

void Builder::finish() {
  delete_recipes(live_values_);
  llvm::DeleteDeadBlocks(original_blocks_);
  llvm::EliminateUnreachableBlocks(function_);
  llvm::DominatorTree dominators(function_);
  llvm::erase_if(promotable_,
                 [](llvm::AllocaInst *alloca) { return !llvm::isAllocaPromotable(alloca); });
  llvm::PromoteMemToReg(promotable_, dominators);
  for (auto [preheader, body] : bodies_)
    hoist_uniform_values(*preheader, *body, dominators);
  if (sub_group_size(function_) != 1)
    allow_small_unrolling(llvm::LoopInfo(dominators));
  function_.removeFnAttr(llvm::Attribute::Convergent);
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
      call->removeFnAttr(llvm::Attribute::Convergent);
      if (llvm::Function *callee = call->getCalledFunction())
        callee->removeFnAttr(llvm::Attribute::Convergent);
    }
}

} // namespace

llvm::PreservedAnalyses WorkItemLoopsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  Builder(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function)).run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

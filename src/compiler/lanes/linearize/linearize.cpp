// Turns divergent control flow into masks, so that all lanes of a sub-group follow the same path.
//
// Requires: the kernel of one work-item after lane-ids and interleave-private, as canonicalize-flow
// leaves it.
// Ensures: no branch differs between lanes. A block that may run with inactive lanes begins with a
// call of `__lockstep_mask(i1)`; its memory operations apply to the lanes where the argument is
// true. A block that accesses memory runs only if a lane is active. Masks select the values that
// depend on a lane's path.
//
// Uniform branches remain. Of a divergent branch's successors, the first in LaneFlow's order
// follows. The other one is deferred, and blocks pass it on until it is next (Moll and Hack,
// "Partial control-flow linearization"). Tests skip blocks without lanes.
//
// A divergent loop gets one latch ("again") and one exit ("exit"). The latch repeats the loop while
// any lane continues. A lane that leaves is removed from the masks, and its live-out values are
// kept.
//
// Masks and selected values are variables that each edge updates; they become SSA values.
// Position: before packetize, which then handles no divergent control flow.
#include "compiler/lanes/linearize/passes.h"

#include "compiler/lanes/linearize/lane_flow.h"
#include "compiler/lanes/linearize/skip_cost.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/InstSimplifyFolder.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"

#include <map>
#include <set>
#include <vector>

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Loop;
using llvm::Value;
using Builder = llvm::IRBuilder<llvm::InstSimplifyFolder>;

// One step from the end of a block: jump to `target` if a lane is active there. The last step of a
// path has no test.
struct Step {
  BasicBlock *target;
  bool tested;
  auto operator<=>(const Step &) const = default; // for use as a key; the order has no meaning
};
using Path = llvm::SmallVector<Step, 2>;

// The blocks that linearize adds to a divergent loop.
struct LoopEnds {
  BasicBlock *again = nullptr; // the only latch
  BasicBlock *exit = nullptr;  // the only exit
};

// The value of a variable at the start of an iteration: false for a mask, else poison or undef.
struct Reset {
  llvm::AllocaInst *variable;
  Value *empty;
};

// Lanes that arrive where a phi is undefined get the variable's earlier value (emit_edge). It must
// not be poison: some bytes of a word may be undefined while the others are used.
Value *empty_of(const llvm::PHINode &phi) {
  auto undefined = [](const Value *value) {
    return llvm::isa<llvm::UndefValue>(value) && !llvm::isa<llvm::PoisonValue>(value);
  };
  if (llvm::any_of(phi.incoming_values(), undefined))
    return llvm::UndefValue::get(phi.getType());
  return llvm::PoisonValue::get(phi.getType());
}

class Linearizer {
public:
  Linearizer(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops,
             const CostModel &model)
      : function_(function), context_(function.getContext()), dominators_(dominators),
        loops_(loops), flow_(function, dominators, loops),
        skip_cost_(function, dominators, loops, model) {}

  void run();
  void remark_divergence() const;

private:
  // Control flow, planned for all blocks before anything is changed.
  void place_blocks();
  void plan_block(BasicBlock *block);
  void plan_loop_exit(const Loop &loop);
  Path plan(std::set<unsigned> targets, BasicBlock *untested);
  BasicBlock *control_target(const Loop *from, BasicBlock *to) const;
  bool is_back_edge(const BasicBlock *from, const BasicBlock *to) const;
  bool keeps_phis(const BasicBlock *block) const;
  bool is_never_empty(const BasicBlock &block) const;

  // Variables.
  llvm::AllocaInst *variable(llvm::Type *type, const llvm::Twine &name);
  void make_variables();
  BasicBlock *start_of_level(const Loop *loop) const;
  BasicBlock *last_sure_block_before(const BasicBlock &block) const;
  void reset_variables(const BasicBlock *block, Builder &builder);
  bool has_own_mask(const BasicBlock *block) const;

  // Emission.
  void emit_block(BasicBlock *block);
  void load_phis(BasicBlock *block);
  Value *load_mask(BasicBlock *block);
  void emit_terminator(BasicBlock *block);
  void emit_edge(Builder &builder, BasicBlock *from, BasicBlock *to, Value *mask);
  void emit_path(Builder &builder, llvm::ArrayRef<Step> path);
  void emit_loop_ends(const Loop &loop);
  void replace_phi_block(BasicBlock *to, BasicBlock *before, BasicBlock *now);
  void begin_variables_late(llvm::DominatorTree &now);
  void repair_dominance(const llvm::DominatorTree &now);
  Builder builder_at(BasicBlock *block) {
    return Builder(block, llvm::InstSimplifyFolder(function_.getDataLayout()));
  }
  Builder builder_at(llvm::Instruction *before) {
    return Builder(before->getParent(), before->getIterator(),
                   llvm::InstSimplifyFolder(function_.getDataLayout()));
  }

  llvm::Function &function_;
  llvm::LLVMContext &context_;
  llvm::DominatorTree &dominators_; // of the unchanged function
  llvm::LoopInfo &loops_;
  LaneFlow flow_;
  SkipCost skip_cost_;

  std::vector<BasicBlock *> line_; // flow_.order() with the added blocks of divergent loops
  llvm::DenseMap<const BasicBlock *, unsigned> place_;
  llvm::DenseMap<const Loop *, LoopEnds> ends_;
  llvm::DenseMap<const BasicBlock *, const Loop *> loop_of_end_;
  std::vector<std::set<unsigned>> deferred_; // pending targets, by position in line_
  llvm::DenseMap<const BasicBlock *, llvm::SmallVector<Path, 2>> paths_;
  // Edges that lead to a block after linearization.
  llvm::DenseMap<const BasicBlock *, unsigned> arrivals_;

  std::map<std::vector<Step>, BasicBlock *> skips_;  // by the remaining path
  llvm::DenseMap<const BasicBlock *, Value *> mask_; // of emitted blocks
  llvm::DenseMap<const BasicBlock *, llvm::AllocaInst *> mask_variable_;
  llvm::DenseMap<const llvm::PHINode *, llvm::AllocaInst *> phi_variable_;
  llvm::DenseMap<const BasicBlock *, llvm::SmallVector<Reset>> resets_; // at the start of the block
  // The stores of initial values (resets_).
  llvm::DenseMap<const llvm::AllocaInst *, llvm::StoreInst *> first_store_;
  std::vector<llvm::AllocaInst *> variables_;
};

// ---- planning control flow

bool Linearizer::is_back_edge(const BasicBlock *from, const BasicBlock *to) const {
  const Loop *loop = loops_.getLoopFor(to);
  return loop && loop->getHeader() == to && loop->contains(from);
}

// A lane that leaves a divergent loop waits at the loop's latch until all lanes have left.
BasicBlock *Linearizer::control_target(const Loop *from, BasicBlock *to) const {
  for (const Loop *loop = from; loop; loop = loop->getParentLoop()) {
    if (loop->contains(to) && loop->getHeader() != to)
      break;
    if (auto ends = ends_.find(loop); ends != ends_.end())
      return ends->second.again;
    if (loop->getHeader() == to)
      break;
  }
  return to;
}

void Linearizer::place_blocks() {
  for (BasicBlock *block : flow_.order()) {
    line_.push_back(block);
    // The blocks of a loop are contiguous, and the latch is the last of them.
    for (const Loop *loop = loops_.getLoopFor(block); loop && loop->getLoopLatch() == block;
         loop = loop->getParentLoop())
      if (flow_.is_divergent_loop(*loop)) {
        LoopEnds ends{
            BasicBlock::Create(context_, loop->getHeader()->getName() + ".again", &function_),
            BasicBlock::Create(context_, loop->getHeader()->getName() + ".exit", &function_)};
        ends_[loop] = ends;
        loop_of_end_[ends.again] = loop_of_end_[ends.exit] = loop;
        line_.push_back(ends.again);
        line_.push_back(ends.exit);
      }
  }
  for (unsigned index = 0; index != line_.size(); ++index)
    place_[line_[index]] = index;
  deferred_.resize(line_.size());
}

Path Linearizer::plan(std::set<unsigned> targets, BasicBlock *untested) {
  Path path;
  while (true) {
    unsigned first = *targets.begin();
    BasicBlock *target = line_[first];
    targets.erase(targets.begin());
    deferred_[first].insert(targets.begin(), targets.end());
    ++arrivals_[target];
    bool tested =
        !targets.empty() && target != untested && has_own_mask(target) && skip_cost_.pays(*target);
    path.push_back({target, tested});
    if (!tested)
      return path;
  }
}

void Linearizer::plan_block(BasicBlock *block) {
  const std::set<unsigned> &pending = deferred_[place_[block]];
  const Loop *loop = loops_.getLoopFor(block);
  auto with = [&](BasicBlock *target) {
    std::set<unsigned> targets = pending;
    targets.insert(place_[target]);
    return targets;
  };
  auto &paths = paths_[block];
  if (flow_.is_divergent_branch(*block)) {
    std::set<unsigned> targets = pending;
    for (BasicBlock *next : llvm::successors(block))
      targets.insert(place_[control_target(loop, next)]);
    paths.push_back(plan(targets, nullptr));
    return;
  }
  for (BasicBlock *next : llvm::successors(block)) {
    BasicBlock *target = control_target(loop, next);
    if (is_back_edge(block, target)) { // of a loop that all lanes run equally often
      ++arrivals_[target];
      paths.push_back({{target, false}});
      continue;
    }
    paths.push_back(
        plan(with(target), target == next && is_never_empty(*block) ? target : nullptr));
  }
}

void Linearizer::plan_loop_exit(const Loop &loop) {
  BasicBlock *exit = ends_[&loop].exit;
  deferred_[place_[exit]] = deferred_[place_[ends_[&loop].again]];
  std::set<unsigned> targets = deferred_[place_[exit]];
  llvm::SmallVector<BasicBlock *> exits;
  loop.getUniqueExitBlocks(exits);
  for (BasicBlock *next : exits)
    targets.insert(place_[control_target(loop.getParentLoop(), next)]);
  if (targets.empty()) // the loop never ends
    return;
  paths_[exit].push_back(plan(targets, nullptr));
}

// False for a block that is not worth a test: it may run although all its lanes took another path.
bool Linearizer::is_never_empty(const BasicBlock &block) const {
  const BasicBlock *leader = flow_.leader(block);
  return !has_own_mask(leader) || skip_cost_.pays(*leader);
}

// Phis can remain if all edges of the block remain and no lane arrives on another path.
bool Linearizer::keeps_phis(const BasicBlock *block) const {
  unsigned edges = 0;
  for (const BasicBlock *before : llvm::predecessors(block)) {
    ++edges;
    if (flow_.is_divergent_branch(*before))
      return false;
    auto paths = paths_.find(before);
    if (paths == paths_.end() || llvm::none_of(paths->second, [&](const Path &path) {
          return path[0].target == block && !path[0].tested;
        }))
      return false;
  }
  return edges == arrivals_.lookup(block);
}

// ---- variables

llvm::AllocaInst *Linearizer::variable(llvm::Type *type, const llvm::Twine &name) {
  auto *alloca = new llvm::AllocaInst(type, 0, name, function_.getEntryBlock().begin());
  variables_.push_back(alloca);
  return alloca;
}

// A header has the mask of the preheader, or in a divergent loop that of the lanes still in the
// loop.
bool Linearizer::has_own_mask(const BasicBlock *block) const {
  if (loop_of_end_.contains(block))
    return false;
  const Loop *loop = loops_.getLoopFor(block);
  return flow_.leader(*block) == block && block != &function_.getEntryBlock() &&
         !(loop && loop->getHeader() == block);
}

BasicBlock *Linearizer::start_of_level(const Loop *loop) const {
  return loop ? loop->getHeader() : &function_.getEntryBlock();
}

// Finds where the block's variables begin: in a block that dominates it and runs in each iteration.
// begin_variables_late may move them to a later block once all accesses exist.
BasicBlock *Linearizer::last_sure_block_before(const BasicBlock &block) const {
  const Loop *loop = loops_.getLoopFor(&block);
  BasicBlock *start = start_of_level(loop);
  auto *node = dominators_.getNode(&block);
  do
    node = node->getIDom();
  while (node->getBlock() != start &&
         (loops_.getLoopFor(node->getBlock()) != loop || flow_.leader(*node->getBlock()) != start));
  return node->getBlock();
}

void Linearizer::make_variables() {
  llvm::Type *bit = llvm::Type::getInt1Ty(context_);
  for (BasicBlock *block : flow_.order()) {
    const Loop *loop = loops_.getLoopFor(block);
    BasicBlock *start = start_of_level(loop);
    BasicBlock *before = block == start ? start : last_sure_block_before(*block);
    bool is_header = loop && loop->getHeader() == block;
    bool is_divergent = loop && flow_.is_divergent_loop(*loop);
    if (has_own_mask(block))
      resets_[before].push_back({mask_variable_[block] = variable(bit, block->getName() + ".mask"),
                                 llvm::ConstantInt::getFalse(context_)});
    if (is_header && is_divergent) {
      mask_variable_[block] =
          variable(bit, block->getName() + ".live"); // set on entry and by the latch
      BasicBlock *again = ends_[loop].again;
      resets_[start].push_back({mask_variable_[again] = variable(bit, again->getName() + ".mask"),
                                llvm::ConstantInt::getFalse(context_)});
    }
    if (is_header ? !is_divergent : keeps_phis(block))
      continue;
    for (llvm::PHINode &phi : block->phis())
      resets_[is_header ? start : before].push_back(
          {phi_variable_[&phi] = variable(phi.getType(), phi.getName()), empty_of(phi)});
  }
}

void Linearizer::reset_variables(const BasicBlock *block, Builder &builder) {
  for (auto [variable, empty] : resets_.lookup(block))
    first_store_[variable] = builder.CreateStore(empty, variable);
}

// ---- emission

// Loads the selected values of a block that lost its edges. A divergent loop's header keeps its
// phis.
void Linearizer::load_phis(BasicBlock *block) {
  const Loop *loop = loops_.getLoopFor(block);
  if (loop && loop->getHeader() == block)
    return;
  llvm::SmallVector<llvm::PHINode *> phis;
  for (llvm::PHINode &phi : block->phis())
    if (phi_variable_.contains(&phi))
      phis.push_back(&phi);
  for (llvm::PHINode *phi : phis) {
    auto *load =
        new llvm::LoadInst(phi->getType(), phi_variable_[phi], "", block->getFirstNonPHIIt());
    load->takeName(phi);
    phi->replaceAllUsesWith(load);
    phi->eraseFromParent();
  }
}

Value *Linearizer::load_mask(BasicBlock *block) {
  Builder builder = builder_at(&*block->getFirstInsertionPt());
  const Loop *loop = loops_.getLoopFor(block);
  if (block == &function_.getEntryBlock()) {
    builder.SetInsertPoint(&*block->getFirstNonPHIOrDbgOrAlloca());
    reset_variables(block, builder);
    if (function_.hasFnAttribute(lane_function))
      return emit_is_active(builder, function_);
    auto size = specialized_local_size(function_);
    uint64_t items = uint64_t{size[0]} * size[1] * size[2];
    if (items != 0 && items % sub_group_size(function_) == 0)
      return builder.getTrue();
    return builder.CreateICmpULT(emit_lane(builder), emit_active_lanes(builder), "active");
  }
  reset_variables(block, builder);
  if (loop && loop->getHeader() == block) {
    if (!flow_.is_divergent_loop(*loop))
      return mask_[loop->getLoopPreheader()];
  }
  if (llvm::AllocaInst *variable = mask_variable_.lookup(block))
    return builder.CreateLoad(builder.getInt1Ty(), variable, block->getName() + ".mask");
  return mask_[flow_.leader(*block)];
}

void Linearizer::emit_block(BasicBlock *block) {
  load_phis(block);
  Value *mask = mask_[block] = load_mask(block);
  if (!llvm::isa<llvm::ConstantInt>(mask)) {
    // Insert after the code of load_phis and load_mask, but before the block's own code.
    llvm::Instruction *place = &*block->getFirstInsertionPt();
    if (auto *defined = llvm::dyn_cast<llvm::Instruction>(mask);
        defined && defined->getParent() == block)
      place = defined->getNextNode();
    Builder builder = builder_at(place);
    emit_mask(builder, mask);
  }
  emit_terminator(block);
}

void Linearizer::replace_phi_block(BasicBlock *to, BasicBlock *before, BasicBlock *now) {
  for (llvm::PHINode &phi : to->phis())
    phi.replaceIncomingBlockWith(before, now);
}

void Linearizer::emit_terminator(BasicBlock *block) {
  llvm::Instruction *old = block->getTerminator();
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(old);
  if (!branch)
    return; // the return
  Builder builder = builder_at(old);
  builder.SetCurrentDebugLocation(old->getDebugLoc());
  Value *mask = mask_[block];
  auto &paths = paths_[block];
  if (!branch->isConditional()) {
    emit_edge(builder, block, branch->getSuccessor(0), mask);
    emit_path(builder, paths[0]);
  } else if (flow_.is_divergent_branch(*block)) {
    Value *condition = branch->getCondition();
    emit_edge(builder, block, branch->getSuccessor(0), builder.CreateLogicalAnd(mask, condition));
    emit_edge(builder, block, branch->getSuccessor(1),
              builder.CreateLogicalAnd(mask, builder.CreateNot(condition)));
    emit_path(builder, paths[0]);
  } else {
    Value *condition = branch->getCondition();
    if (flow_.is_uniform_by_barrier(*block)) // uniform over the active lanes only
      condition = emit_any_lane(builder, builder.CreateLogicalAnd(mask, condition));
    BasicBlock *edges[2];
    for (unsigned side : {0u, 1u}) {
      BasicBlock *target = branch->getSuccessor(side);
      edges[side] =
          BasicBlock::Create(context_, block->getName() + ".to." + target->getName(), &function_);
      replace_phi_block(target, block, edges[side]);
      Builder at_edge = builder_at(edges[side]);
      emit_edge(at_edge, edges[side], target, mask);
      emit_path(at_edge, paths[side]);
    }
    auto *next = builder.CreateCondBr(condition, edges[0], edges[1]);
    next->copyMetadata(*branch);
  }
  old->eraseFromParent();
}

void Linearizer::emit_edge(Builder &builder, BasicBlock *from, BasicBlock *to, Value *mask) {
  const Loop *loop = loops_.getLoopFor(to);
  llvm::Type *bit = builder.getInt1Ty();
  bool to_header = loop && loop->getHeader() == to;
  // A back edge: the header is emitted before its latch.
  bool is_again = to_header && mask_.contains(to);
  BasicBlock *counted = is_again && ends_.contains(loop) ? ends_[loop].again : to;
  if (to_header && !is_again) {
    if (llvm::AllocaInst *live = mask_variable_.lookup(to))
      builder.CreateStore(mask, live);
    return;
  }
  if (llvm::AllocaInst *variable = mask_variable_.lookup(counted))
    builder.CreateStore(builder.CreateOr(builder.CreateLoad(bit, variable), mask), variable);
  for (llvm::PHINode &phi : to->phis()) {
    llvm::AllocaInst *variable = phi_variable_.lookup(&phi);
    if (!variable)
      continue;
    Value *value = phi.getIncomingValueForBlock(from);
    if (llvm::isa<llvm::UndefValue>(value))
      continue; // undef: keep the other lanes' value, since the analysis calls such a phi uniform
    if (!is_again) { // lanes that came on another path keep their value
      // A uniform phi may be reached in different iterations. It must remain one value for all
      // lanes, since uniform branches depend on it.
      Value *taken = flow_.is_uniform_phi(phi) ? emit_any_lane(builder, mask) : mask;
      value = builder.CreateSelect(taken, value, builder.CreateLoad(phi.getType(), variable),
                                   phi.getName());
    }
    builder.CreateStore(value, variable);
  }
}

// Identical skip paths are shared. A tree of branches then needs one test per leaf. Otherwise it
// needs leaves times depth tests, each with phis for all live values.
void Linearizer::emit_path(Builder &builder, llvm::ArrayRef<Step> path) {
  while (path.front().tested) {
    BasicBlock *target = path.front().target;
    path = path.drop_front();
    BasicBlock *&otherwise = skips_[path.vec()];
    const bool is_there = otherwise;
    if (!is_there)
      otherwise = BasicBlock::Create(context_, target->getName() + ".skip", &function_);
    Value *wanted = builder.CreateLoad(builder.getInt1Ty(), mask_variable_[target]);
    builder.CreateCondBr(emit_any_lane(builder, wanted), target, otherwise);
    if (is_there)
      return;
    builder.SetInsertPoint(otherwise);
  }
  builder.CreateBr(path.front().target);
}

void Linearizer::emit_loop_ends(const Loop &loop) {
  LoopEnds ends = ends_[&loop];
  BasicBlock *header = loop.getHeader();
  Builder builder = builder_at(ends.again);
  Value *wanted = builder.CreateLoad(builder.getInt1Ty(), mask_variable_[ends.again], "again.mask");
  builder.CreateStore(wanted, mask_variable_[header]);
  for (llvm::PHINode &phi : header->phis()) {
    for (unsigned index = phi.getNumIncomingValues(); index-- != 0;)
      if (phi.getIncomingBlock(index) != loop.getLoopPreheader())
        phi.removeIncomingValue(index, /*DeletePHIIfEmpty=*/false);
    phi.addIncoming(builder.CreateLoad(phi.getType(), phi_variable_[&phi]), ends.again);
  }
  builder.CreateCondBr(emit_any_lane(builder, wanted), header, ends.exit);
  Builder after = builder_at(ends.exit);
  if (paths_.contains(ends.exit))
    emit_path(after, paths_[ends.exit][0]);
  else
    after.CreateUnreachable();
}

// Moves the initial store of a variable down to the last block through which all accesses come, at
// most once per iteration of its loop. Otherwise variables of a block behind many skipped blocks,
// such as the cases of a switch, would be live through all of them. Promoting them then takes time
// quadratic in their number.
void Linearizer::begin_variables_late(llvm::DominatorTree &now) {
  llvm::LoopInfo loops(now);
  for (llvm::AllocaInst *variable : variables_) {
    llvm::StoreInst *first = first_store_.lookup(variable);
    if (!first)
      continue;
    BasicBlock *place = nullptr;
    for (llvm::User *user : variable->users()) {
      BasicBlock *block = llvm::cast<llvm::Instruction>(user)->getParent();
      if (user != first && now.isReachableFromEntry(block))
        place = place ? now.findNearestCommonDominator(place, block) : block;
    }
    if (!place || !now.dominates(first->getParent(), place))
      continue;
    const Loop *level = loops.getLoopFor(first->getParent());
    while (loops.getLoopFor(place) != level) // ends at the block of `first` at the latest
      place = now.getNode(place)->getIDom()->getBlock();
    if (place != first->getParent())
      first->moveBefore(*place, place->getFirstInsertionPt());
  }
}

// Repairs uses that a skip has cut off from their definitions: they get poison on the skipped path,
// where no active lane uses the value.
void Linearizer::repair_dominance(const llvm::DominatorTree &now) {
  llvm::SmallVector<llvm::Use *> uses;
  llvm::SmallVector<llvm::Instruction *> all;
  for (llvm::Instruction &instruction : llvm::instructions(function_))
    all.push_back(&instruction);
  for (llvm::Instruction *instruction : all) {
    uses.clear();
    for (llvm::Use &use : instruction->uses())
      if (!now.dominates(instruction, use))
        uses.push_back(&use);
    if (uses.empty())
      continue;
    llvm::SSAUpdater updater;
    updater.Initialize(instruction->getType(), instruction->getName());
    updater.AddAvailableValue(instruction->getParent(), instruction);
    // Poison is inserted at the common dominator of all uses. Otherwise SSAUpdater would search the
    // whole function each time.
    BasicBlock *before = instruction->getParent();
    for (llvm::Use *use : uses) {
      auto *phi = llvm::dyn_cast<llvm::PHINode>(use->getUser());
      before = now.findNearestCommonDominator(
          before, phi ? phi->getIncomingBlock(*use)
                      : llvm::cast<llvm::Instruction>(use->getUser())->getParent());
    }
    if (before == instruction->getParent())
      before = &function_.getEntryBlock();
    updater.AddAvailableValue(before, llvm::PoisonValue::get(instruction->getType()));
    for (llvm::Use *use : uses)
      updater.RewriteUse(*use);
  }
}

// Reports divergence, on which the kernel's speed depends.
void Linearizer::remark_divergence() const {
  for (const Loop *loop : loops_.getLoopsInPreorder())
    if (flow_.is_divergent_loop(*loop))
      remark(context_, loop->getStartLoc(), "lanes",
             "divergent loop: runs until the last work-item of the sub-group leaves it, the others "
             "masked");
  for (const BasicBlock *block : flow_.order()) {
    const Loop *loop = loops_.getLoopFor(block);
    bool leaves_loop = loop && loop->isLoopExiting(block);
    if (flow_.is_divergent_branch(*block) && !leaves_loop)
      remark(*block->getTerminator(), "divergent branch: both sides run in sequence, masked");
  }
}

void Linearizer::run() {
  remark_divergence();
  place_blocks();
  for (BasicBlock *block : line_) {
    const Loop *loop = loop_of_end_.lookup(block);
    if (!loop)
      plan_block(block);
    else if (block == ends_[loop].exit)
      plan_loop_exit(*loop);
  }
  make_variables();
  for (BasicBlock *block : line_) {
    const Loop *loop = loop_of_end_.lookup(block);
    if (!loop)
      emit_block(block);
    else if (block == ends_[loop].again)
      emit_loop_ends(*loop);
  }
  llvm::DominatorTree dominators(function_);
  begin_variables_late(dominators);
  llvm::PromoteMemToReg(variables_, dominators);
  repair_dominance(dominators);
  for (BasicBlock &block : function_) // Remove masks that turned out to be constant.
    if (llvm::CallInst *call = mask_call(block);
        call && llvm::isa<llvm::ConstantInt>(call->getArgOperand(0)))
      call->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses LinearizePass::run_in_lanes(llvm::Function &function,
                                                    llvm::FunctionAnalysisManager &analyses) {
  Linearizer(
      function, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
      analyses.getResult<llvm::LoopAnalysis>(function),
      CostModel(sub_group_size(function), &analyses.getResult<llvm::TargetIRAnalysis>(function)))
      .run();
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

// Gives grid-stride loops a version without masks, for iterations in which all lanes take part.
//
// In `for (i = get_global_id(0); i < n; i += get_global_size(0))` the lanes leave in iterations
// that differ by one. linearize would mask each iteration because of the last.
//
//   all lanes enter?  ─ yes ─>  while all lanes continue: the loop without masks
//        │ no                          │ no longer
//        v                             v
//   the guard, per lane  ──>  the original loop, from the current iteration  ──>  code behind it
//
// `__lockstep_all_lanes(i1)` tests whether all lanes continue. It may return false at any time,
// since the original loop can continue anywhere. interleave-sub-groups uses this.
//
// Requires: the kernel as canonicalize-flow leaves it.
// Ensures: both versions of each innermost loop that all lanes reach, or all but for one guard in
// front. The loop has one exit, decided by an index with constant distances between lanes. Vector
// variants keep their loops, since they may run without an active lane.
//
// Position: before linearize.
#include "compiler/lanes/linearize/passes.h"

#include "abi/address_spaces.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/lane_shapes.h"
#include "compiler/lanes/linearize/lane_flow.h"
#include "kernel_ir/lane_primitives.h"
#include "kernel_ir/primitives.h"
#include "kernel_ir/remark.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::BranchInst;
using llvm::Loop;
using llvm::Value;

// A loop that can be duplicated, and the blocks around it.
struct Candidate {
  BasicBlock *header, *latch, *exiting, *exit;
  llvm::SmallVector<BasicBlock *> blocks;
  BranchInst *guard; // null: all lanes reach the preheader
};

bool can_be_repeated(const llvm::Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return !call || (!call->isConvergent() &&
                   (call->doesNotAccessMemory() || llvm::isa<llvm::IntrinsicInst>(call)));
}

// True for a load from a struct argument, such as a member of a SYCL function object. Such loads
// often are behind the guard. The whole argument block is readable and no thread writes it, so the
// load may be hoisted.
bool is_argument_load(const llvm::Instruction &instruction) {
  // The address space of struct arguments; other arguments point to the program's memory.
  auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->isSimple() || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
    return false;
  auto *argument =
      llvm::dyn_cast<llvm::Argument>(load->getPointerOperand()->stripInBoundsConstantOffsets());
  return argument && argument->getType()->getPointerAddressSpace() == private_space;
}

// Can the instruction move from the preheader to a point before the guard?
bool can_stand_before_guard(const llvm::Instruction &instruction) {
  if (instruction.isTerminator() || instruction.isDebugOrPseudoInst())
    return true;
  if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      call && called_primitive(*call) && call->doesNotAccessMemory())
    return !call->isConvergent();
  if (is_argument_load(instruction))
    return true;
  return !instruction.mayReadFromMemory() && !llvm::isa<llvm::PHINode>(instruction) &&
         llvm::isSafeToSpeculativelyExecute(&instruction);
}

const BasicBlock *other_successor(const BasicBlock &guard, const BasicBlock *one) {
  return guard.getTerminator()->getSuccessor(guard.getTerminator()->getSuccessor(0) == one);
}

// Does `block` lead directly to `target`, with nothing but phis?
bool leads_to(const BasicBlock &block, const BasicBlock *target) {
  return block.getUniqueSuccessor() == target &&
         &*block.getFirstNonPHIOrDbg() == block.getTerminator();
}

class Finder {
public:
  Finder(llvm::Function &function, llvm::DominatorTree &dominators, llvm::LoopInfo &loops)
      : loops_(loops), flow_(function, dominators, loops),
        shapes_(function, sub_group_size(function)), entry_(&function.getEntryBlock()) {}

  std::optional<Candidate> examine(const Loop &loop) const;

private:
  bool all_lanes_reach(const BasicBlock *block) const;
  bool can_be_there_twice(const Loop &loop, const BasicBlock *exiting) const;
  bool leaves_by_index(const BranchInst &branch) const;

  llvm::LoopInfo &loops_;
  LaneFlow flow_;
  LaneShapes shapes_;
  const BasicBlock *entry_;
};

bool Finder::all_lanes_reach(const BasicBlock *block) const {
  while (true) {
    const BasicBlock *leader = flow_.leader(*block);
    if (leader == entry_)
      return true;
    const Loop *loop = loops_.getLoopFor(leader);
    if (loop && loop->getHeader() == leader) {
      if (flow_.is_divergent_loop(*loop))
        return false;
      block = loop->getLoopPreheader();
      continue;
    }
    // All lanes take the branch, or none does.
    const BasicBlock *before = leader->getSinglePredecessor();
    if (!before || flow_.is_divergent_branch(*before))
      return false;
    block = before;
  }
}

// Requires that other branches are uniform and that no instruction depends on its position in the
// control flow. The header's code before the exit test must be repeatable.
bool Finder::can_be_there_twice(const Loop &loop, const BasicBlock *exiting) const {
  unsigned instructions = 0;
  for (const BasicBlock *block : loop.blocks()) {
    if (block != exiting && flow_.is_divergent_branch(*block))
      return false;
    for (const llvm::Instruction &instruction : *block) {
      ++instructions;
      if (!can_be_repeated(instruction))
        return false;
      bool runs_again = exiting != loop.getLoopLatch();
      if (runs_again && block == exiting &&
          (instruction.mayHaveSideEffects() || instruction.isVolatile() || instruction.isAtomic()))
        return false;
    }
  }
  return instructions <= limits::small_code;
}

bool Finder::leaves_by_index(const BranchInst &branch) const {
  auto *comparison = llvm::dyn_cast<llvm::ICmpInst>(branch.getCondition());
  if (!comparison)
    return false;
  const LaneShape &left = shapes_.of(*comparison->getOperand(0)),
                  &right = shapes_.of(*comparison->getOperand(1));
  return (left.is_uniform() && right.has_distances()) ||
         (right.is_uniform() && left.has_distances());
}

std::optional<Candidate> Finder::examine(const Loop &loop) const {
  BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  if (!loop.isInnermost() || !exiting || !loop.getUniqueExitBlock() || !loop.hasDedicatedExits() ||
      !flow_.is_divergent_branch(*exiting) || (exiting != latch && exiting != loop.getHeader()))
    return std::nullopt;
  if (!leaves_by_index(*llvm::cast<BranchInst>(exiting->getTerminator())) ||
      !can_be_there_twice(loop, exiting))
    return std::nullopt;
  BasicBlock *preheader = loop.getLoopPreheader(), *guard = nullptr;
  if (!all_lanes_reach(preheader)) {
    guard = preheader->getSinglePredecessor();
    if (!guard || !flow_.is_divergent_branch(*guard) || !all_lanes_reach(guard))
      return std::nullopt;
    if (!llvm::all_of(*preheader, can_stand_before_guard) ||
        !leads_to(*loop.getUniqueExitBlock(), other_successor(*guard, preheader)))
      return std::nullopt;
  }
  return Candidate{loop.getHeader(),
                   latch,
                   exiting,
                   loop.getUniqueExitBlock(),
                   llvm::SmallVector<BasicBlock *>(loop.blocks()),
                   guard ? llvm::cast<BranchInst>(guard->getTerminator()) : nullptr};
}

class Doubler {
public:
  explicit Doubler(const Candidate &loop)
      : loop_(loop), function_(*loop.header->getParent()), context_(function_.getContext()),
        tests_last_(loop.exiting == loop.latch) {
    for (BasicBlock *before : llvm::predecessors(loop.header))
      if (before != loop.latch)
        preheader_ = before; // duplicating another loop may have changed it
  }

  void run();

private:
  Value *all_lanes(llvm::IRBuilder<> &builder, Value *condition, bool wanted);
  BasicBlock *full(BasicBlock *block) {
    return llvm::cast<BasicBlock>(static_cast<Value *>(map_[block]));
  }
  Value *full(Value *value) {
    auto found = map_.find(value);
    return found == map_.end() ? value : static_cast<Value *>(found->second);
  }
  Value *now(llvm::PHINode &phi) {
    return full(tests_last_ ? phi.getIncomingValueForBlock(loop_.latch) : &phi);
  }
  void clone();
  void go_on_behind_guard();
  void go_on_alone();
  void test_all_lanes();

  const Candidate &loop_;
  llvm::Function &function_;
  llvm::LLVMContext &context_;
  bool tests_last_;
  BasicBlock *preheader_ = nullptr;
  llvm::ValueToValueMapTy map_;  // from the original loop to the unmasked version
  BasicBlock *masked_ = nullptr; // reached when not all lanes continue
};

// Lanes beyond the active ones count as continuing.
Value *Doubler::all_lanes(llvm::IRBuilder<> &builder, Value *condition, bool wanted) {
  if (!wanted)
    condition = builder.CreateNot(condition);
  auto size = specialized_local_size(function_);
  uint64_t items = uint64_t{size[0]} * size[1] * size[2];
  if (items == 0 || items % sub_group_size(function_) != 0)
    condition = builder.CreateLogicalOr(
        builder.CreateICmpUGE(emit_lane(builder), emit_active_lanes(builder)), condition);
  return emit_all_lanes(builder, condition);
}

void Doubler::clone() {
  llvm::SmallVector<BasicBlock *> clones;
  for (BasicBlock *block : loop_.blocks) {
    clones.push_back(llvm::CloneBasicBlock(block, map_, ".full", &function_));
    map_[block] = clones.back();
  }
  llvm::remapInstructionsInBlocks(clones, map_);
  masked_ = BasicBlock::Create(context_, loop_.header->getName() + ".parted", &function_);
}

// Moves the guard, a test per lane, behind the unmasked version. The guard then tests the state in
// which that version stopped.
void Doubler::go_on_behind_guard() {
  BranchInst *own = loop_.guard;
  BasicBlock *before = own->getParent();
  for (llvm::Instruction &instruction : llvm::make_early_inc_range(*preheader_))
    if (!instruction.isTerminator())
      instruction.moveBefore(own->getIterator());
  BasicBlock *join = llvm::SplitBlock(before, own);
  bool enters_if = own->getSuccessor(0) == preheader_;
  BasicBlock *around = own->getSuccessor(enters_if ? 1 : 0);

  llvm::Instruction *jump = before->getTerminator();
  llvm::IRBuilder<> builder(jump);
  builder.SetCurrentDebugLocation(own->getDebugLoc());
  builder.CreateCondBr(all_lanes(builder, own->getCondition(), enters_if), full(loop_.header),
                       join);
  jump->eraseFromParent();
  for (llvm::PHINode &phi : full(loop_.header)->phis())
    phi.replaceIncomingBlockWith(preheader_, before);

  auto merge = [&](Value *first, Value *later) {
    auto *phi = llvm::PHINode::Create(first->getType(), 2, first->getName() + ".from",
                                      join->getFirstNonPHIIt());
    phi->addIncoming(first, before);
    phi->addIncoming(later, masked_);
    return phi;
  };
  builder.SetInsertPoint(masked_);
  Value *goes_on = builder.getInt1(enters_if); // the header tests again
  if (tests_last_) {
    auto *test = llvm::cast<BranchInst>(loop_.exiting->getTerminator());
    goes_on = full(test->getCondition());
    if ((test->getSuccessor(1) == loop_.exit) != enters_if)
      goes_on = builder.CreateNot(goes_on);
  }
  builder.CreateBr(join);
  own->setCondition(merge(own->getCondition(), goes_on));
  for (llvm::PHINode &phi : loop_.header->phis())
    phi.setIncomingValueForBlock(preheader_,
                                 merge(phi.getIncomingValueForBlock(preheader_), now(phi)));
  for (llvm::PHINode &phi : around->phis()) {
    Value *left = llvm::PoisonValue::get(phi.getType());
    if (tests_last_) {
      left = phi.getIncomingValueForBlock(loop_.exit);
      if (auto *kept = llvm::dyn_cast<llvm::PHINode>(left); kept && kept->getParent() == loop_.exit)
        left = full(kept->getIncomingValueForBlock(loop_.exiting));
    }
    phi.setIncomingValueForBlock(join, merge(phi.getIncomingValueForBlock(join), left));
  }
}

// Handles a loop without a guard: all lanes enter it together.
void Doubler::go_on_alone() {
  auto *start = BasicBlock::Create(context_, loop_.header->getName() + ".rest", &function_);
  BranchInst::Create(loop_.header, start);
  preheader_->getTerminator()->setSuccessor(0, full(loop_.header));
  for (llvm::PHINode &phi : loop_.header->phis()) {
    phi.setIncomingValueForBlock(preheader_, now(phi));
    phi.replaceIncomingBlockWith(preheader_, start);
  }
  if (!tests_last_) {
    BranchInst::Create(start, masked_);
    return;
  }
  // Both versions converge behind the loop's exit block, which remains dedicated to the original
  // loop.
  BasicBlock *behind = llvm::SplitBlock(loop_.exit, loop_.exit->getFirstNonPHIIt());
  auto *test = llvm::cast<BranchInst>(loop_.exiting->getTerminator());
  bool goes_on_if = test->getSuccessor(1) == loop_.exit;
  BranchInst::Create(goes_on_if ? start : behind, goes_on_if ? behind : start,
                     full(test->getCondition()), masked_);
  for (llvm::PHINode &phi : loop_.exit->phis()) {
    auto *both = llvm::PHINode::Create(phi.getType(), 2, phi.getName() + ".both",
                                       behind->getFirstNonPHIIt());
    phi.replaceUsesOutsideBlock(both, loop_.exit);
    both->addIncoming(&phi, loop_.exit);
    both->addIncoming(full(phi.getIncomingValueForBlock(loop_.exiting)), masked_);
  }
}

void Doubler::test_all_lanes() {
  auto *test = llvm::cast<BranchInst>(full(loop_.exiting)->getTerminator());
  bool goes_on_if = test->getSuccessor(1) == loop_.exit;
  llvm::IRBuilder<> builder(test);
  Value *all = all_lanes(builder, test->getCondition(), goes_on_if);
  builder.CreateCondBr(all, test->getSuccessor(goes_on_if ? 0 : 1), masked_);
  test->eraseFromParent();
}

void Doubler::run() {
  remark(*loop_.exiting->getTerminator(),
         "iterations in which all lanes take part run without masks");
  clone();
  if (loop_.guard)
    go_on_behind_guard();
  else
    go_on_alone();
  test_all_lanes();
}

} // namespace

llvm::PreservedAnalyses UnmaskedLoopsPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &analyses) {
  if (sub_group_size(function) == 1 || function.hasFnAttribute(lane_function))
    return llvm::PreservedAnalyses::all();
  std::vector<Candidate> candidates;
  {
    auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
    if (loops.empty())
      return llvm::PreservedAnalyses::all();
    Finder finder(function, analyses.getResult<llvm::DominatorTreeAnalysis>(function), loops);
    for (const Loop *loop : loops.getLoopsInPreorder())
      if (auto candidate = finder.examine(*loop))
        candidates.push_back(std::move(*candidate));
  }
  if (candidates.empty())
    return llvm::PreservedAnalyses::all();
  for (const Candidate &candidate : candidates)
    Doubler(candidate).run();
  analyses.invalidate(function, llvm::PreservedAnalyses::none());
  auto run = [&](auto pass) { analyses.invalidate(function, pass.run(function, analyses)); };
  run(llvm::LoopSimplifyPass());
  run(llvm::LCSSAPass());
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

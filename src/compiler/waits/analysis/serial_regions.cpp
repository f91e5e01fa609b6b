#include "compiler/waits/analysis/serial_regions.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/waits/analysis/retry_loops.h"
#include "compiler/waits/analysis/waits.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"

namespace lockstep::compiler {

namespace {

using llvm::BasicBlock;
using llvm::Instruction;

// An id or a size: its value is the same everywhere, so it can be computed before the region.
bool can_be_hoisted(const Instruction &instruction) {
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && called_primitive(*call) && call->doesNotAccessMemory() && !call->isConvergent() &&
         llvm::all_of(call->args(),
                      [](const llvm::Use &it) { return llvm::isa<llvm::Constant>(it); });
}

// True for the checker's accesses to its own memory (undefined/lower_undefined.cpp) and for its
// reports.
bool is_beside(const Instruction &instruction) {
  return instruction.hasMetadata(llvm::LLVMContext::MD_nosanitize);
}

// True if a scalar function can execute the instruction for one lane.
bool can_be_serialized(const Instruction &instruction) {
  if (auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction))
    return intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd() ||
           (!intrinsic->isConvergent() && intrinsic->doesNotAccessMemory());
  if (is_beside(instruction))
    return true;
  if (llvm::isa<llvm::CallBase>(instruction))
    return can_be_hoisted(instruction);
  if (instruction.isTerminator())
    return llvm::isa<llvm::BranchInst>(instruction);
  return !llvm::isa<llvm::AllocaInst>(instruction);
}

bool can_be_serialized(const BasicBlock &block) {
  return llvm::all_of(block, [](const Instruction &it) { return can_be_serialized(it); });
}

// ---- locks

// Describes how a loop takes a lock.
struct Acquisition {
  const Instruction *access = nullptr;
  const llvm::Value *pointer = nullptr;
  const llvm::Constant *free = nullptr;
};

// Returns the acquisition for which `seen` equals `free` if and only if the lock was taken.
std::optional<Acquisition> acquisition_by(const llvm::Value *seen, const llvm::Constant *free) {
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(seen)) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(extract->getAggregateOperand());
    if (swap && extract->getIndices().front() == 0 && swap->getCompareOperand() == free &&
        !swap->isWeak()) // a weak one may fail spuriously
      return Acquisition{swap, swap->getPointerOperand(), free};
  }
  auto *exchange = llvm::dyn_cast<llvm::AtomicRMWInst>(seen);
  if (exchange && exchange->getOperation() == llvm::AtomicRMWInst::Xchg &&
      llvm::isa<llvm::ConstantInt>(exchange->getValOperand()) && exchange->getValOperand() != free)
    return Acquisition{exchange, exchange->getPointerOperand(), free};
  return std::nullopt;
}

// Returns the lock that is taken if and only if `condition` equals `outcome`.
std::optional<Acquisition> acquisition_of(const llvm::Value *condition, bool outcome) {
  using namespace llvm::PatternMatch;
  const llvm::Value *inner;
  while (match(condition, m_Not(m_Value(inner)))) {
    condition = inner;
    outcome = !outcome;
  }
  if (auto *extract = llvm::dyn_cast<llvm::ExtractValueInst>(condition)) {
    auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(extract->getAggregateOperand());
    auto *free = swap ? llvm::dyn_cast<llvm::ConstantInt>(swap->getCompareOperand()) : nullptr;
    if (!free || extract->getIndices().front() != 1 || !outcome)
      return std::nullopt;
    return Acquisition{swap, swap->getPointerOperand(), free};
  }
  auto *compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare ||
      compare->getPredicate() != (outcome ? llvm::CmpInst::ICMP_EQ : llvm::CmpInst::ICMP_NE))
    return std::nullopt;
  auto *free = llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1));
  return free ? acquisition_by(compare->getOperand(0), free) : std::nullopt;
}

bool is_uniform(const llvm::Use &use, const Uniformity &uniformity) {
  return llvm::isa<llvm::Constant, llvm::Argument>(use) ||
         (uniformity.is_uniform(*use) && uniformity.is_uniform_use(use));
}

const llvm::Use &pointer_use(const Instruction &access) {
  return access.getOperandUse(llvm::isa<llvm::AtomicRMWInst>(access)
                                  ? llvm::AtomicRMWInst::getPointerOperandIndex()
                                  : llvm::AtomicCmpXchgInst::getPointerOperandIndex());
}

// True if an iteration that fails to take the lock has no visible effects.
bool only_tries(const llvm::Loop &loop, const Instruction &access) {
  for (const BasicBlock *block : loop.blocks())
    for (const Instruction &instruction : *block)
      if (&instruction != &access && instruction.mayWriteToMemory() && !is_beside(instruction) &&
          !llvm::isa<llvm::FenceInst>(instruction))
        return false;
  return true;
}

std::optional<Acquisition> acquisition_of(const llvm::Loop &loop,
                                          const llvm::DominatorTree &dominators,
                                          const Uniformity &uniformity) {
  const BasicBlock *exiting = loop.getExitingBlock(), *latch = loop.getLoopLatch();
  if (!exiting || !latch || !loop.isInnermost() || !loop.getExitBlock() ||
      !loop.getLoopPreheader() || !loop.hasDedicatedExits() ||
      !dominators.dominates(exiting, latch))
    return std::nullopt;
  auto *branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
  if (!branch || !branch->isConditional())
    return std::nullopt;
  auto found = acquisition_of(branch->getCondition(), !loop.contains(branch->getSuccessor(0)));
  if (!found || !loop.contains(found->access) || !only_tries(loop, *found->access) ||
      !loop.isLoopInvariant(const_cast<llvm::Value *>(found->pointer)) ||
      !is_uniform(pointer_use(*found->access), uniformity))
    return std::nullopt;
  return found;
}

bool gives_back(const Instruction &instruction, const Acquisition &lock) {
  const llvm::Value *pointer = nullptr, *value = nullptr;
  if (auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    pointer = store->getPointerOperand();
    value = store->getValueOperand();
  } else if (auto *exchange = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
             exchange && exchange->getOperation() == llvm::AtomicRMWInst::Xchg) {
    pointer = exchange->getPointerOperand();
    value = exchange->getValOperand();
  }
  return pointer && value == lock.free &&
         pointer->stripPointerCasts() == lock.pointer->stripPointerCasts();
}

// Returns the single release that all paths from `start` reach first, and collects the blocks on
// these paths. Returns null if a path has no release, or if there are several releases.
Instruction *find_release(BasicBlock &start, const Acquisition &lock, const llvm::LoopInfo &loops,
                          const llvm::Loop &spin,
                          llvm::SmallPtrSetImpl<const BasicBlock *> &blocks) {
  Instruction *release = nullptr;
  llvm::SmallSetVector<BasicBlock *, 8> open;
  open.insert(&start);
  for (unsigned index = 0; index != open.size(); ++index) {
    BasicBlock *block = open[index];
    bool released = false;
    for (Instruction &instruction : *block) {
      if (!can_be_serialized(instruction))
        return nullptr;
      if (gives_back(instruction, lock)) {
        if (release && release != &instruction)
          return nullptr;
        release = &instruction;
        released = true;
        break;
      }
    }
    if (released)
      continue;
    if (llvm::succ_empty(block))
      return nullptr;
    open.insert_range(llvm::successors(block));
  }
  blocks.insert_range(open);
  // The region is entered only through `start`, and the release is in the same iteration of the
  // surrounding loops.
  if (release && loops.getLoopFor(release->getParent()) != spin.getParentLoop())
    return nullptr;
  for (BasicBlock *block : open)
    for (const BasicBlock *before : llvm::predecessors(block))
      if (!(block == &start ? spin.contains(before) : blocks.contains(before)) ||
          (release && before == release->getParent()))
        return nullptr;
  return release;
}

// True if no value computed in the region is used after it. The uniformity analysis does not know
// about regions, so it would treat a load as uniform although its value differs between lanes.
bool keeps_its_values(const SerialRegion &region) {
  const BasicBlock *last = region.end->getParent();
  for (const BasicBlock *block : region.blocks)
    for (const Instruction &instruction : *block) {
      if (&instruction == region.end)
        break;
      if (can_be_hoisted(instruction))
        continue;
      for (const llvm::User *user : instruction.users()) {
        auto *use = llvm::cast<Instruction>(user);
        if (!region.blocks.contains(use->getParent()) ||
            (use->getParent() == last && !use->comesBefore(region.end)))
          return false;
      }
    }
  return true;
}

// Waits inside the region would hold other lanes back as well.
bool has_wait(const SerialRegion &region, const std::vector<Wait> &waits) {
  return llvm::any_of(waits, [&](const Wait &wait) {
    return wait.loop != region.loop && !wait.loop->contains(region.loop) &&
           region.blocks.contains(wait.loop->getHeader());
  });
}

// ---- retries

unsigned size_of(const llvm::Loop &loop) {
  unsigned size = 0;
  for (const BasicBlock *block : loop.blocks())
    size += block->sizeWithoutDebug();
  return size;
}

// Moves the load of the first expected value, and its users, to the end of the preheader and
// returns it. Returns the preheader's terminator if no load can be moved.
Instruction *first_expected(llvm::Loop &loop, const llvm::AtomicCmpXchgInst &swap) {
  Instruction *end = loop.getLoopPreheader()->getTerminator();
  llvm::LoadInst *load = nullptr;
  for (Instruction &instruction : *loop.getLoopPreheader()) {
    if (auto *found = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        found && found->getPointerOperand() == swap.getPointerOperand())
      load = found;
    else if (instruction.mayReadOrWriteMemory()) // the load must stay after it
      load = nullptr;
  }
  if (!load)
    return end;
  llvm::SmallSetVector<Instruction *, 8> made;
  made.insert(load);
  for (unsigned index = 0; index != made.size(); ++index)
    for (llvm::User *user : made[index]->users()) {
      auto *use = llvm::cast<Instruction>(user);
      if (use->getParent() == end->getParent() && !use->isTerminator())
        made.insert(use);
      else if (!loop.contains(use))
        return end;
    }
  if (!llvm::all_of(made, [](const Instruction *it) { return can_be_serialized(*it); }))
    return end;
  llvm::SmallVector<Instruction *> in_order(made.begin(), made.end());
  llvm::sort(in_order, [](auto *one, auto *other) { return one->comesBefore(other); });
  for (Instruction *instruction : in_order)
    instruction->moveBefore(end->getIterator());
  return in_order.front();
}

} // namespace

std::optional<SerialRegion> find_lock(llvm::Loop &loop, const std::vector<Wait> &waits,
                                      const llvm::LoopInfo &loops,
                                      const llvm::DominatorTree &dominators,
                                      const Uniformity &uniformity) {
  auto lock = acquisition_of(loop, dominators, uniformity);
  if (!lock || !llvm::all_of(loop.blocks(), [](auto *block) { return can_be_serialized(*block); }))
    return std::nullopt;
  SerialRegion region;
  region.loop = &loop;
  region.lock = lock->pointer;
  region.begin = loop.getLoopPreheader()->getTerminator();
  Instruction *release = find_release(*loop.getExitBlock(), *lock, loops, loop, region.blocks);
  if (!release)
    return std::nullopt;
  region.end = release->getNextNode();
  region.blocks.insert_range(loop.blocks());
  if (!keeps_its_values(region) || has_wait(region, waits))
    return std::nullopt;
  return region;
}

std::optional<SerialRegion> find_retry(llvm::Loop &loop, const Uniformity &uniformity) {
  // In larger loops, lanes that do not contend for one address gain more from executing together.
  const llvm::AtomicCmpXchgInst *swap = retried_swap(loop);
  if (!swap || !loop.isInnermost() || !loop.getLoopPreheader() || !loop.getUniqueExitBlock() ||
      !loop.hasDedicatedExits() || !loop.isLoopInvariant(swap->getPointerOperand()) ||
      !llvm::all_of(loop.blocks(), [](auto *block) { return can_be_serialized(*block); }) ||
      (size_of(loop) > limits::small_code / 2 && !is_uniform(pointer_use(*swap), uniformity)))
    return std::nullopt;
  SerialRegion region;
  region.loop = &loop;
  region.begin = first_expected(loop, *swap);
  region.end = &*loop.getUniqueExitBlock()->getFirstInsertionPt();
  region.blocks.insert_range(loop.blocks());
  return region;
}

void mark_serial_region(SerialRegion &region) {
  llvm::Module &module = *region.begin->getModule();
  auto mark = [&](Primitive primitive, Instruction *place) {
    llvm::IRBuilder<> builder(place);
    auto callee = declare_primitive(module, primitive, builder.getVoidTy());
    auto *function = llvm::cast<llvm::Function>(callee.getCallee());
    function->setConvergent();
    function->setDoesNotThrow();
    auto *call = builder.CreateCall(callee);
    call->setConvergent();
    call->setDoesNotThrow();
    return call;
  };
  llvm::CallInst *begin = mark(Primitive::serial_begin, region.begin);
  Instruction *after = region.end; // a region that begins there must stay behind this one
  while (after->getPrevNode() && called_primitive(*after->getPrevNode()) == Primitive::serial_begin)
    after = after->getPrevNode();
  llvm::CallInst *end = mark(Primitive::serial_end, after);
  for (const BasicBlock *block : region.blocks)
    for (Instruction &instruction : llvm::make_early_inc_range(*const_cast<BasicBlock *>(block))) {
      if (&instruction == end)
        break;
      if (can_be_hoisted(instruction))
        instruction.moveBefore(begin->getIterator());
    }
}

} // namespace lockstep::compiler

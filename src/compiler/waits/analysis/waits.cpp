#include "compiler/waits/analysis/waits.h"

#include "abi/address_spaces.h"

#include "compiler/waits/analysis/bounded_loops.h"
#include "compiler/waits/analysis/loop_slice.h"
#include "compiler/waits/analysis/retry_loops.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace lockstep::compiler {

namespace {

// ---- what orders plain accesses

// True if the value of the access decides something. Otherwise the program cannot observe whether
// the read was before or after another work-item's write.
bool is_looked_at(const llvm::Instruction &access) {
  if (llvm::isa<llvm::CallBase>(access)) // a copy, to memory
    return true;
  llvm::SmallSetVector<const llvm::Instruction *, 16> open;
  open.insert(&access);
  for (unsigned index = 0; index != open.size(); ++index)
    for (const llvm::Use &use : open[index]->uses()) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      if (user->isTerminator() || llvm::isa<llvm::CallBase>(user))
        return true;
      bool is_address = llvm::getLoadStorePointerOperand(user) == use.get();
      if (llvm::isa<llvm::StoreInst>(user)) {
        if (!is_address)
          return true;
      } else {
        open.insert(user);
      }
    }
  return false;
}

bool is_acquire(const llvm::Instruction &access) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&access))
    return llvm::isAcquireOrStronger(load->getOrdering());
  if (auto *update = llvm::dyn_cast<llvm::AtomicRMWInst>(&access))
    return llvm::isAcquireOrStronger(update->getOrdering());
  auto *swap = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&access);
  return swap && (llvm::isAcquireOrStronger(swap->getSuccessOrdering()) ||
                  llvm::isAcquireOrStronger(swap->getFailureOrdering()));
}

bool is_fence(const llvm::Instruction &instruction) {
  if (auto *fence = llvm::dyn_cast<llvm::FenceInst>(&instruction))
    return fence->getSyncScopeID() != llvm::SyncScope::SingleThread;
  return called_primitive(instruction) == Primitive::sub_group_barrier;
}

// Determines whether an ordinary load can read what another work-item wrote since the previous
// iteration, without a data race.
class Synchronization {
public:
  explicit Synchronization(const llvm::Loop &loop) {
    bool has_barrier = false;
    for (const llvm::BasicBlock *block : loop.blocks())
      for (const llvm::Instruction &instruction : *block) {
        has_fence_ |= is_fence(instruction);
        has_barrier |= is_group_operation(instruction);
        if (may_be_changed_by_others(instruction) && is_looked_at(instruction))
          accesses_.push_back(&instruction);
        calls_ |= llvm::isa<llvm::CallBase>(instruction) && read_by(instruction) == nullptr;
      }
    has_fence_ |= has_barrier && !accesses_.empty();
    for (const llvm::Instruction *access : accesses_)
      has_fixed_ |= loop.isLoopInvariant(*read_by(*access));
  }

  // By the memory model of OpenCL 2.0. Ignores the access `counter` if it is not null.
  bool is_strict(const llvm::Instruction *counter = nullptr) const {
    return calls_ || llvm::any_of(accesses_, [&](const llvm::Instruction *access) {
             return access != counter && (has_fence_ || is_acquire(*access));
           });
  }
  // Also by the idioms of OpenCL 1.x, where an atomic function orders only itself: a lock without a
  // fence, or a plain flag and a fence. A lock has the same address in each iteration.
  bool exists() const { return is_strict() || has_fence_ || has_fixed_; }

private:
  llvm::SmallVector<const llvm::Instruction *, 8> accesses_;
  bool has_fence_ = false, has_fixed_ = false, calls_ = false;
};

// With a barrier, all work-items of the group are in the same iteration, or one apart.
bool has_barrier_each_iteration(const llvm::Loop &loop, const llvm::DominatorTree &dominators) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock *block) {
    return dominators.dominates(block, loop.getLoopLatch()) &&
           llvm::any_of(*block, [](auto &it) { return is_group_operation(it); });
  });
}

class Examiner {
public:
  Examiner(llvm::Loop &loop, const WaitAnalyses &analyses)
      : loop_(loop), dominators_(analyses.dominators), synchronization_(loop),
        meets_(has_barrier_each_iteration(loop, analyses.dominators)),
        count_(examine_count(loop, analyses.dominators, analyses.evolution, analyses.aliases,
                             [this](const llvm::Instruction &counter) {
                               return synchronization_.is_strict(&counter);
                             })) {}

  Wait run() {
    Wait wait;
    wait.loop = &loop_;
    wait.is_limited = count_.counts && !count_.bound_is_out_of_reach;
    LoopSlice slice(loop_, dominators_);
    slice.add_exits(/*through_memory=*/!ends_by_itself());
    for (const llvm::Instruction *source : slice.found())
      if (is_waited_for(*source))
        wait.accesses.push_back(const_cast<llvm::Instruction *>(source));
    slice.add_writes();
    for (const llvm::Instruction *source : slice.found())
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(source);
          phi && phi->getParent() == loop_.getHeader())
        wait.state.push_back(const_cast<llvm::PHINode *>(phi));
    return wait;
  }

private:
  // True whatever ordinary loads read.
  bool ends_by_itself() const {
    return count_.counts && !(count_.bound_is_out_of_reach && synchronization_.is_strict());
  }

  bool is_waited_for(const llvm::Instruction &instruction) const {
    if (may_be_changed_by_others(instruction))
      return !(llvm::isa<llvm::AtomicRMWInst>(instruction) && count_.counts &&
               adds_a_step(llvm::cast<llvm::AtomicRMWInst>(instruction)));
    auto pointer = read_by(instruction);
    if (!pointer || ends_by_itself() || !synchronization_.exists())
      return false;
    if (!*pointer)
      return true;
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        load && load->hasMetadata(llvm::LLVMContext::MD_invariant_load))
      return false;
    // Values that a group passes through local memory between barriers are traced to their origin
    // instead.
    return !is_private(*pointer) && !is_constant(**pointer) && !(meets_ && is_local(*pointer));
  }

  static bool adds_a_step(const llvm::AtomicRMWInst &update) {
    return update.getOperation() == llvm::AtomicRMWInst::Add ||
           update.getOperation() == llvm::AtomicRMWInst::Sub;
  }

  static bool is_constant(const llvm::Value &pointer) {
    const llvm::Value *object = llvm::getUnderlyingObject(&pointer);
    auto *variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
    return object->getType()->getPointerAddressSpace() == constant_space ||
           (variable && variable->isConstant());
  }

  llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  const Synchronization synchronization_;
  const bool meets_;
  const CountedLoop count_;
};

} // namespace

bool may_be_changed_by_others(const llvm::Instruction &instruction) {
  if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
    return (load->isAtomic() || load->isVolatile()) && !is_private(load->getPointerOperand());
  if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(instruction))
    return !is_private(*read_by(instruction));
  if (auto *copy = llvm::dyn_cast<llvm::MemTransferInst>(&instruction)) // of a structure
    return copy->isVolatile() && !is_private(copy->getRawSource());
  return false;
}

bool may_wait(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &it) {
    return may_be_changed_by_others(it) || is_fence(it);
  });
}

std::vector<Wait> find_waits(llvm::Function &function, const WaitAnalyses &analyses) {
  std::vector<Wait> waits;
  for (llvm::Loop *loop : analyses.loops.getLoopsInPreorder()) {
    if (retried_swap(*loop))
      continue;
    Wait wait = Examiner(*loop, analyses).run();
    if (!wait.accesses.empty())
      waits.push_back(std::move(wait));
  }
  return waits;
}

} // namespace lockstep::compiler

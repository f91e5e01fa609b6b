// Prefetches what later iterations of a loop will load, where the processor cannot see it in time.
//
//     for (i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&bins[values[i]]);
//
// An iteration of several sub-groups loads one cache line and executes more instructions than the
// processor looks ahead. The next iteration's line is in another page, where the processor's
// prefetchers do not follow. So each iteration waits for memory. Linear loops, and loops with
// iterations so short that several are in flight at once, are left to the processor. Prefetches
// gained nothing there when measured.
//
// Requires: the function of a work-group after all optimization.
// Ensures: `llvm.prefetch` of the line that a load needs some iterations later, once for loads of
// the same line. Only innermost loops change, and only loads that execute in each iteration get a
// prefetch. Lines behind the last iteration are fetched too, maybe outside of all buffers: a
// prefetch does not fault.
//
// Position: last, so that SCEV reads the strides of the final code.
#include "compiler/prepare_code/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

namespace lockstep::compiler {

namespace {

constexpr int64_t line = cache_line_bytes;
// With smaller strides, a page holds several iterations, and the processor's prefetchers follow.
constexpr int64_t followed_stride = page_bytes / 2;

// For each line. With fewer instructions, the processor has four loads in flight, which is enough.
constexpr unsigned short_iteration = limits::instructions_in_flight / 4;

struct Line {
  llvm::LoadInst *load;
  const llvm::SCEVAddRecExpr *address;
};

class LoopPrefetcher {
public:
  LoopPrefetcher(llvm::Loop &loop, const llvm::DominatorTree &dominators,
                 llvm::ScalarEvolution &evolution)
      : loop_(loop), dominators_(dominators), evolution_(evolution) {}

  bool run();

private:
  std::optional<unsigned> instructions() const;
  const llvm::SCEVAddRecExpr *far_walk(llvm::LoadInst &load) const;
  bool is_of_known_line(const llvm::SCEVAddRecExpr &address) const;
  void find_lines();
  void fetch(const Line &one, unsigned iterations);

  llvm::Loop &loop_;
  const llvm::DominatorTree &dominators_;
  llvm::ScalarEvolution &evolution_;
  llvm::SmallVector<Line> lines_;
};

// Returns nullopt if there are calls, whose duration is unknown.
std::optional<unsigned> LoopPrefetcher::instructions() const {
  unsigned count = 0;
  for (const llvm::BasicBlock *block : loop_.blocks())
    for (const llvm::Instruction &instruction : *block) {
      if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction))
        return std::nullopt;
      count += !llvm::isa<llvm::PHINode>(instruction) && !instruction.isDebugOrPseudoInst();
    }
  return count;
}

// Returns the address if each iteration loads from another page than the one before, else null.
const llvm::SCEVAddRecExpr *LoopPrefetcher::far_walk(llvm::LoadInst &load) const {
  llvm::Value *pointer = load.getPointerOperand();
  if (load.isVolatile() || loop_.isLoopInvariant(pointer) ||
      llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer)))
    return nullptr;
  auto *address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(pointer));
  if (!address || address->getLoop() != &loop_ || !address->isAffine())
    return nullptr;
  const llvm::SCEV *step = address->getStepRecurrence(evolution_);
  auto *constant = llvm::dyn_cast<llvm::SCEVConstant>(step);
  return constant && constant->getAPInt().abs().ult(followed_stride) ? nullptr : address;
}

bool LoopPrefetcher::is_of_known_line(const llvm::SCEVAddRecExpr &address) const {
  return llvm::any_of(lines_, [&](const Line &known) {
    auto *distance =
        llvm::dyn_cast<llvm::SCEVConstant>(evolution_.getMinusSCEV(&address, known.address));
    return distance && distance->getAPInt().abs().ult(line);
  });
}

void LoopPrefetcher::find_lines() {
  unsigned loads = 0;
  for (llvm::BasicBlock *block : loop_.blocks()) {
    if (!dominators_.dominates(block, loop_.getLoopLatch()))
      continue;
    for (llvm::Instruction &instruction : *block) {
      auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (!load || ++loads > limits::compared_accesses)
        continue;
      if (const auto *address = far_walk(*load); address && !is_of_known_line(*address))
        lines_.push_back({load, address});
    }
  }
}

void LoopPrefetcher::fetch(const Line &one, unsigned iterations) {
  llvm::SCEVExpander expander(evolution_, "prefetch");
  const llvm::SCEV *step = one.address->getStepRecurrence(evolution_);
  llvm::Instruction *before_loop = loop_.getLoopPredecessor()->getTerminator();
  if (!expander.isSafeToExpandAt(step, before_loop))
    return;
  const llvm::SCEV *distance =
      evolution_.getMulExpr(step, evolution_.getConstant(step->getType(), iterations));
  llvm::Value *ahead = expander.expandCodeFor(distance, step->getType(), before_loop);
  llvm::IRBuilder<> builder(one.load);
  llvm::Value *address =
      builder.CreatePtrAdd(one.load->getPointerOperand(), ahead, "fetched.ahead");
  builder.CreateIntrinsic(llvm::Intrinsic::prefetch, {address->getType()},
                          {address, builder.getInt32(/*read*/ 0),
                           builder.getInt32(/*nearest cache*/ 3), builder.getInt32(/*data*/ 1)});
}

bool LoopPrefetcher::run() {
  if (!loop_.isInnermost() || !loop_.getLoopPredecessor() || !loop_.getLoopLatch())
    return false;
  const auto size = instructions();
  if (!size || *size < short_iteration)
    return false;
  find_lines();
  if (lines_.empty() || *size < short_iteration * lines_.size())
    return false;
  const unsigned iterations =
      std::min<unsigned>(llvm::divideCeil(limits::memory_latency, *size), limits::prefetches_ahead);
  for (const Line &one : lines_)
    fetch(one, iterations);
  remark(*lines_.front().load, "memory",
         "strided accesses: each iteration prefetches " + llvm::Twine(lines_.size()) +
             " lines that it loads " + llvm::Twine(iterations) + " iterations later");
  return true;
}

} // namespace

llvm::PreservedAnalyses PrefetchStridesPass::run(llvm::Function &function,
                                                 llvm::FunctionAnalysisManager &analyses) {
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  if (loops.empty())
    return llvm::PreservedAnalyses::all();
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  bool changed = false;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    changed |= LoopPrefetcher(*loop, dominators, evolution).run();
  if (!changed)
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler

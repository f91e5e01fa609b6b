// Unrolls loops in which each work-item walks along its own row, and accesses whole rows.
//
//     for (k = 0; k < n; k++) sum += a[row * n + k];
//
// Lanes are rows here. Each iteration gathers a column: one element from each of 16 cache lines,
// which compete for the cache if rows are a power of two long. With 16 iterations at once, each
// lane's row is one load, and the vectors are transposed in registers (transposed_accesses.h).
//
// Requires: the function of a work-group with its loops over sub-groups. Only innermost loops of
// one block change, whose unmasked gathers (or scatters) access in each iteration the element after
// that of the previous one. A loop with scatters has no other memory accesses.
// Ensures: the loop runs as many iterations at once as elements fit in 64 bytes, at most one per
// lane; remaining iterations gather as before. A row is read as far as the original loop reads it.
//
// All loads of the combined iterations precede their stores. Without `restrict`, a check before the
// loop runs the original if a store may overlap a later load. The original also runs if the narrow
// sum of an index wraps in some lane.
//
// Position: after interleave-sub-groups, which decides by the original loop.
#include "compiler/regions/passes.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/analysis/index_expressions.h"
#include "compiler/regions/straight_columns.h"
#include "compiler/regions/transposed_accesses.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/remark.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <algorithm>
#include <bit>

namespace lockstep::compiler {

namespace {

// Fewer iterations save little over a gather.
constexpr unsigned least_at_once = limits::chains_at_once / 2;

// Distance between consecutive iterations, the same in all lanes, unless a narrow sum wraps.
class IterationDistances {
public:
  IterationDistances(const llvm::Loop &loop, IndexExpressions &expressions,
                     llvm::ScalarEvolution &evolution)
      : loop_(loop), expressions_(expressions), evolution_(evolution) {}

  // Returns the distance in bytes.
  std::optional<int64_t> of(const llvm::Value &pointer) const {
    return of_terms(expressions_.of(pointer), /*is_narrow=*/false);
  }
  // Whether `symbol` is the extension of a narrow sum with step 1 whose wrapping is unknown, as in
  // `uint row, k; from[row + k]`.
  bool is_narrow_sum(const IndexSymbol &symbol) const {
    return symbol.extension != Extension::none && !is_invariant(symbol) &&
           symbol.value->getType()->isVectorTy() &&
           of_terms(expressions_.of(*symbol.value), /*is_narrow=*/true) == 1;
  }
  bool is_invariant(const IndexSymbol &symbol) const {
    return !symbol.value || loop_.isLoopInvariant(symbol.value);
  }
  IndexExpressions &expressions() const { return expressions_; }

private:
  std::optional<int64_t> of_terms(const IndexExpression &expression, bool is_narrow) const {
    uint64_t sum = 0;
    for (const IndexExpression::Term &term : expression.terms) {
      const auto distance = of_symbol(term.symbol, is_narrow);
      if (!distance)
        return std::nullopt;
      sum += uint64_t(term.coefficient) * uint64_t(*distance);
    }
    return llvm::SignExtend64(sum, expression.bits);
  }
  std::optional<int64_t> of_symbol(const IndexSymbol &symbol, bool is_narrow) const {
    if (is_invariant(symbol))
      return 0;
    if (symbol.value->getType()->isVectorTy())
      return !is_narrow && is_narrow_sum(symbol) ? std::optional<int64_t>(1) : std::nullopt;
    // A scalar: LLVM may know that it does not wrap from the number of iterations.
    const llvm::SCEV *scalar = evolution_.getSCEV(const_cast<llvm::Value *>(symbol.value));
    llvm::Type *wide = llvm::Type::getInt64Ty(evolution_.getContext());
    if (symbol.extension == Extension::sign)
      scalar = evolution_.getSignExtendExpr(scalar, wide);
    else if (symbol.extension == Extension::zero)
      scalar = evolution_.getZeroExtendExpr(scalar, wide);
    auto *walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(scalar);
    if (!walk || walk->getLoop() != &loop_ || !walk->isAffine())
      return std::nullopt;
    auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution_));
    return step ? std::optional<int64_t>(step->getAPInt().getSExtValue()) : std::nullopt;
  }

  const llvm::Loop &loop_;
  IndexExpressions &expressions_;
  llvm::ScalarEvolution &evolution_;
};

using Accesses = llvm::SmallVector<llvm::IntrinsicInst *>;

bool is_scatter(const llvm::IntrinsicInst &access) {
  return access.getIntrinsicID() == llvm::Intrinsic::masked_scatter;
}

llvm::Value &pointers_of(const llvm::IntrinsicInst &access) {
  return *address_of_rows(access);
}

// The number of iterations to combine.
unsigned count_for(const llvm::IntrinsicInst &access) {
  return std::min(type_of_columns(access)->getNumElements(),
                  cache_line_bytes / size_of_element(access));
}

llvm::IntrinsicInst *as_column(llvm::Instruction &instruction,
                               const IterationDistances &distances) {
  auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!access || !is_column(*access))
    return nullptr;
  const auto distance = distances.of(pointers_of(*access));
  const bool is_next = distance && uint64_t(*distance) == size_of_element(*access) &&
                       count_for(*access) >= least_at_once;
  return is_next ? access : nullptr;
}

// The column accesses of one loop, all with the same number of combined iterations.
Accesses columns_of(const llvm::Loop &loop, const IterationDistances &distances,
                    llvm::ScalarEvolution &evolution) {
  Accesses columns;
  if (loop.getNumBlocks() != 1 || !loop.isLoopSimplifyForm() ||
      loop.getHeader()->sizeWithoutDebug() > limits::small_code)
    return {};
  bool reads = false, writes = false;
  for (llvm::Instruction &instruction : *loop.getHeader())
    if (llvm::IntrinsicInst *column = as_column(instruction, distances)) {
      columns.push_back(column);
      writes |= is_scatter(*column);
    } else if (instruction.mayHaveSideEffects()) {
      return {};
    } else {
      reads |= instruction.mayReadFromMemory();
    }
  if (columns.empty())
    return {};
  const unsigned count = count_for(*columns[0]),
                 iterations = evolution.getSmallConstantTripCount(&loop);
  const bool others_differ = llvm::any_of(
      columns, [&](const llvm::IntrinsicInst *column) { return count_for(*column) != count; });
  if ((iterations != 0 && iterations < count) ||
      !evolution.hasLoopInvariantBackedgeTakenCount(&loop) || (writes && (reads || others_differ)))
    return {};
  llvm::erase_if(columns, [&](auto *column) { return count_for(*column) != count; });
  return columns;
}

// ---- overlap of loads and stores

// The value of an expression in the first iteration, before the loop; null if it is not computed
// there. An integer, a scalar or one per lane.
llvm::Value *first_of(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                      const IterationDistances &distances, const IndexExpression &expression,
                      unsigned lanes) {
  return emit_sum(builder, expression, lanes, [&](const IndexSymbol &symbol) -> llvm::Value * {
    auto *value = const_cast<llvm::Value *>(symbol.value);
    if (distances.is_invariant(symbol))
      return value;
    if (auto *phi = llvm::dyn_cast<llvm::PHINode>(value);
        phi && phi->getParent() == loop.getHeader())
      return phi->getIncomingValueForBlock(loop.getLoopPreheader());
    return distances.is_narrow_sum(symbol)
               ? first_of(builder, loop, distances, distances.expressions().of(*value), lanes)
               : nullptr;
  });
}

// Distance in bytes from the addresses of `other` to those of `one`, which is the same in all
// iterations: a scalar or one per lane.
llvm::Value *distance_between(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                              const IterationDistances &distances, const llvm::IntrinsicInst &one,
                              const llvm::IntrinsicInst &other) {
  if (size_of_element(one) != size_of_element(other))
    return nullptr;
  IndexExpressions &expressions = distances.expressions();
  return first_of(builder, loop, distances,
                  difference(expressions.of(pointers_of(one)), expressions.of(pointers_of(other))),
                  type_of_columns(one)->getNumElements());
}

// Whether the combined iterations, with all loads first, would read what one of them writes, or
// write in another order. Returns nullopt if no check is possible or they always conflict, null if
// they never do. A load behind the store must not read what the store writes in the same iteration,
// either. Only the iterations of one work-item count: a conflict with another work-item without a
// barrier is a race.
std::optional<llvm::Value *> overlap(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                                     const IterationDistances &distances, const Accesses &columns) {
  llvm::Value *any = nullptr;
  for (const llvm::IntrinsicInst *scatter : columns) {
    if (!is_scatter(*scatter))
      continue;
    for (const llvm::IntrinsicInst *other : columns) {
      const bool is_load_behind = !is_scatter(*other) && scatter->comesBefore(other);
      if (other == scatter || (is_scatter(*other) && !other->comesBefore(scatter)))
        continue;
      if (&pointers_of(*scatter) == &pointers_of(*other)) {
        if (is_load_behind)
          return std::nullopt;
        continue;
      }
      llvm::Value *distance = distance_between(builder, loop, distances, *scatter, *other);
      if (!distance)
        return std::nullopt;
      llvm::Type *type = distance->getType();
      const auto size = int64_t(size_of_element(*scatter)), iterations = count_for(*scatter) * size;
      const int64_t first = is_load_behind ? 1 - size : 1;
      llvm::Value *ahead = builder.CreateICmpULT(
          builder.CreateSub(distance, llvm::ConstantInt::getSigned(type, first)),
          llvm::ConstantInt::getSigned(type, iterations - first));
      if (type->isVectorTy())
        ahead = builder.CreateOrReduce(ahead);
      any = any ? builder.CreateOr(any, ahead) : ahead;
    }
  }
  return any;
}

llvm::Value *sum(llvm::IRBuilder<> &builder, llvm::Value *one, llvm::Value *other, unsigned lanes) {
  if (one->getType() != other->getType())
    (one->getType()->isVectorTy() ? other : one) =
        builder.CreateVectorSplat(lanes, one->getType()->isVectorTy() ? other : one);
  return builder.CreateAdd(one, other);
}

// Whether the narrow sum of an index wraps in some lane and iteration; null if there is none.
std::optional<llvm::Value *> wraps(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                                   const IterationDistances &distances, const Accesses &columns,
                                   llvm::ScalarEvolution &evolution) {
  llvm::Type *wide = builder.getInt64Ty();
  llvm::SCEVExpander expander(evolution, "columns");
  llvm::Value *any = nullptr;
  llvm::SmallSetVector<std::pair<const llvm::Value *, Extension>, 4> sums;
  for (const llvm::IntrinsicInst *column : columns)
    for (const auto &term : distances.expressions().of(pointers_of(*column)).terms)
      if (term.symbol.value && distances.is_narrow_sum(term.symbol))
        sums.insert({term.symbol.value, term.symbol.extension});
  for (const auto &[narrow, extension] : sums) {
    auto *type = llvm::cast<llvm::FixedVectorType>(narrow->getType());
    const unsigned bits = type->getScalarSizeInBits();
    const llvm::SCEV *iterations = evolution.getBackedgeTakenCount(&loop);
    if (evolution.getTypeSizeInBits(iterations->getType()) > 64)
      return std::nullopt;
    iterations = evolution.getNoopOrZeroExtend(iterations, wide);
    if (!expander.isSafeToExpandAt(iterations, &*builder.GetInsertPoint()))
      return std::nullopt;
    llvm::Value *more = expander.expandCodeFor(iterations, wide, &*builder.GetInsertPoint());
    llvm::Value *first = first_of(builder, loop, distances, distances.expressions().of(*narrow),
                                  type->getNumElements());
    if (!first)
      return std::nullopt;
    const llvm::APInt most = extension == Extension::sign ? llvm::APInt::getSignedMaxValue(bits)
                                                          : llvm::APInt::getMaxValue(bits);
    first = extension == Extension::sign
                ? builder.CreateSExt(first, first->getType()->getWithNewType(wide))
                : builder.CreateZExt(first, first->getType()->getWithNewType(wide));
    llvm::Value *last = sum(builder, first, more, type->getNumElements());
    llvm::Value *beyond =
        builder.CreateICmpSGT(last, llvm::ConstantInt::get(last->getType(), most.getZExtValue()));
    if (beyond->getType()->isVectorTy())
      beyond = builder.CreateOrReduce(beyond);
    beyond = builder.CreateOr(
        beyond, builder.CreateICmpUGT(
                    more, builder.getInt64(llvm::APInt::getMaxValue(bits).getZExtValue())));
    any = any ? builder.CreateOr(any, beyond) : beyond;
  }
  return any;
}

struct LoopAnalyses {
  llvm::LoopInfo &loops;
  llvm::DominatorTree &dominators;
  llvm::ScalarEvolution &evolution;
  llvm::AssumptionCache &assumptions;
};

// Adds a copy of the loop that runs unless `condition` is true. `columns` become those of the copy.
llvm::Loop *copy_unless(llvm::Value &condition, llvm::Loop &loop, Accesses &columns,
                        LoopAnalyses &analyses) {
  llvm::BasicBlock *before = loop.getLoopPreheader(), *exit = loop.getUniqueExitBlock();
  llvm::BasicBlock *own_before =
      llvm::SplitEdge(before, loop.getHeader(), &analyses.dominators, &analyses.loops);
  llvm::ValueToValueMapTy copies;
  llvm::SmallVector<llvm::BasicBlock *> blocks;
  llvm::Loop *copy = llvm::cloneLoopWithPreheader(own_before, before, &loop, copies, ".rows",
                                                  &analyses.loops, &analyses.dominators, blocks);
  llvm::remapInstructionsInBlocks(blocks, copies);
  for (llvm::PHINode &phi : exit->phis()) {
    llvm::Value *value = phi.getIncomingValueForBlock(loop.getHeader());
    if (llvm::Value *copied = copies.lookup(value))
      value = copied;
    phi.addIncoming(value, copy->getHeader());
  }
  llvm::ReplaceInstWithInst(
      before->getTerminator(),
      llvm::BranchInst::Create(own_before, copy->getLoopPreheader(), &condition));
  analyses.dominators.changeImmediateDominator(exit, before);
  analyses.evolution.forgetLoop(&loop);
  for (llvm::IntrinsicInst *&column : columns)
    column = llvm::cast<llvm::IntrinsicInst>(copies.lookup(column));
  return copy;
}

bool transpose(llvm::Function &function, llvm::Loop *loop, LoopAnalyses &analyses,
               const llvm::TargetTransformInfo &target) {
  auto &[loops, dominators, evolution, assumptions] = analyses;
  bool changed =
      llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
  IndexExpressions expressions(function, loops);
  const IterationDistances distances(*loop, expressions, evolution);
  Accesses columns = columns_of(*loop, distances, evolution);
  if (columns.empty())
    return changed;
  llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
  llvm::IRBuilder<> builder(loop->getLoopPreheader()->getTerminator());
  const auto do_overlap = overlap(builder, *loop, distances, columns);
  const auto do_wrap = wraps(builder, *loop, distances, columns, evolution);
  if (!do_overlap || !do_wrap)
    return true;
  llvm::Value *condition = *do_overlap;
  if (*do_wrap)
    condition = condition ? builder.CreateOr(condition, *do_wrap) : *do_wrap;
  if (condition) {
    loop = copy_unless(*condition, *loop, columns, analyses);
    llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, true);
  }
  const unsigned count = count_for(*columns[0]),
                 lanes = type_of_columns(*columns[0])->getNumElements();
  const llvm::DebugLoc place = columns[0]->getDebugLoc();
  mark_tiles(columns);
  llvm::UnrollLoopOptions options{};
  options.Count = count;
  options.Force = options.Runtime = options.AllowExpensiveTripCount = true;
  llvm::Loop *rest = nullptr;
  llvm::OptimizationRemarkEmitter remarks(&function);
  llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &target, &remarks,
                   /*PreserveLCSSA=*/true, &rest);
  if (rest)
    for (llvm::BasicBlock *block : rest->blocks())
      forget_tiles(*block);
  if (transpose_tiles(function, count) != 0)
    remark(function.getContext(), place, "lanes",
           "rows of " + llvm::Twine(count) + " elements by " + llvm::Twine(lanes) +
               " are accessed as such and transposed in registers");
  return true;
}

} // namespace

llvm::PreservedAnalyses TransposeColumnsPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &analyses) {
  auto is_by_lane = [](const llvm::Instruction &instruction) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && (intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather ||
                         is_scatter(*intrinsic));
  };
  if (llvm::none_of(llvm::instructions(function), is_by_lane))
    return llvm::PreservedAnalyses::all();
  LoopAnalyses of_loops{analyses.getResult<llvm::LoopAnalysis>(function),
                        analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                        analyses.getResult<llvm::ScalarEvolutionAnalysis>(function),
                        analyses.getResult<llvm::AssumptionAnalysis>(function)};
  auto &target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::SmallVector<llvm::Loop *> innermost;
  for (llvm::Loop *loop : of_loops.loops.getLoopsInPreorder())
    if (loop->isInnermost())
      innermost.push_back(loop);
  bool changed = false;
  for (llvm::Loop *loop : innermost)
    changed |= transpose(function, loop, of_loops, target);
  IndexExpressions expressions(function, of_loops.loops);
  changed |= transpose_straight_columns(function, expressions);
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler

// Unrolls loops in which each work-item walks along its own row, and accesses whole rows.
//
//     for (k = 0; k < n; k++) sum += a[row * n + k];
//
// Lanes are rows here. Each iteration gathers a column: one element from each of 16 cache lines,
// and the same lines in the next 15 iterations. If rows are a power of two long, these lines
// compete for a few ways of the cache. With 16 iterations at once, each lane's row is one load, and
// the vectors are transposed in registers (transposed_accesses.h, with iterations in place of
// sub-groups).
//
// Requires: the function of a work-group with its loops over sub-groups. Only innermost loops of
// one block change, whose unmasked gathers (or scatters) access in each iteration the element after
// that of the previous one. A loop with scatters has no other memory accesses.
// Ensures: the loop runs as many iterations at once as elements fit in 64 bytes, at most one per
// lane; remaining iterations gather as before. A row is read as far as the original loop reads it,
// no further.
//
// All loads of the combined iterations precede their stores. Without `restrict`, a check before the
// loop runs the original if a store may overlap a later load. The original also runs if an unsigned
// 32-bit index wraps in some lane.
//
// Position: after interleave-sub-groups, which decides by the original loop.
#include "compiler/regions/passes.h"

#include "compiler/regions/transposed_accesses.h"
#include "kernel_ir/remark.h"

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

constexpr unsigned line = 64;         // bytes of a cache line
constexpr unsigned least_at_once = 4; // fewer iterations save little over a gather
// In one iteration; the code is repeated for each iteration that runs at once.
constexpr unsigned most_instructions = 128;

// `uint row, k; from[row + k]`: the loop-invariant operand and the induction variable.
struct NarrowSum {
  llvm::Value *row = nullptr, *count = nullptr;
};

std::optional<NarrowSum> narrow_sum(const llvm::Loop &loop, llvm::Value &index) {
  auto *wide = llvm::dyn_cast<llvm::ZExtInst>(&index);
  auto *narrow = wide ? llvm::dyn_cast<llvm::BinaryOperator>(wide->getOperand(0)) : nullptr;
  if (!narrow || narrow->getOpcode() != llvm::Instruction::Add ||
      !narrow->getType()->isVectorTy() || !narrow->getType()->getScalarType()->isIntegerTy(32))
    return std::nullopt;
  const unsigned operand = loop.isLoopInvariant(narrow->getOperand(0)) ? 0 : 1;
  NarrowSum result{narrow->getOperand(operand),
                   llvm::getSplatValue(narrow->getOperand(1 - operand))};
  return loop.isLoopInvariant(result.row) && result.count ? std::optional<NarrowSum>(result)
                                                          : std::nullopt;
}

// Distance between consecutive iterations, the same in all lanes, unless a narrow sum wraps.
class RoundDistances {
public:
  RoundDistances(const llvm::Loop &loop, llvm::ScalarEvolution &evolution)
      : loop_(loop), evolution_(evolution) {}

  // Returns the distance in bytes.
  std::optional<int64_t> of_pointer(llvm::Value &pointer) const {
    if (loop_.isLoopInvariant(&pointer))
      return 0;
    if (!pointer.getType()->isVectorTy())
      return of_scalar(pointer);
    if (llvm::Value *one = llvm::getSplatValue(&pointer))
      return of_pointer(*one);
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&pointer);
    if (!gep || gep->getNumIndices() != 1)
      return std::nullopt;
    const auto base = of_pointer(*gep->getPointerOperand()), index = of_index(*gep->getOperand(1));
    if (!base || !index)
      return std::nullopt;
    const uint64_t size =
        evolution_.getDataLayout().getTypeAllocSize(gep->getSourceElementType()).getFixedValue();
    return int64_t(uint64_t(*base) + uint64_t(*index) * size);
  }

private:
  // Accepts 64-bit indices only: a narrower one may wrap before it becomes an address.
  std::optional<int64_t> of_index(llvm::Value &index) const {
    if (loop_.isLoopInvariant(&index))
      return 0;
    if (const auto narrow = narrow_sum(loop_, index)) {
      const auto step = of_scalar(*narrow->count);
      return step == 1 ? step : std::nullopt; // wraps() assumes this step
    }
    if (!index.getType()->getScalarType()->isIntegerTy(64))
      return std::nullopt;
    if (!index.getType()->isVectorTy())
      return of_scalar(index);
    if (llvm::Value *one = llvm::getSplatValue(&index))
      return of_index(*one);
    auto *sum = llvm::dyn_cast<llvm::BinaryOperator>(&index);
    if (!sum || sum->getOpcode() != llvm::Instruction::Add)
      return std::nullopt;
    const auto one = of_index(*sum->getOperand(0)), other = of_index(*sum->getOperand(1));
    return one && other ? std::optional<int64_t>(int64_t(uint64_t(*one) + uint64_t(*other)))
                        : std::nullopt;
  }
  std::optional<int64_t> of_scalar(llvm::Value &value) const {
    auto *walk = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution_.getSCEV(&value));
    if (!walk || walk->getLoop() != &loop_ || !walk->isAffine())
      return std::nullopt;
    auto *step = llvm::dyn_cast<llvm::SCEVConstant>(walk->getStepRecurrence(evolution_));
    return step ? std::optional<int64_t>(step->getAPInt().getSExtValue()) : std::nullopt;
  }

  const llvm::Loop &loop_;
  llvm::ScalarEvolution &evolution_;
};

using Accesses = llvm::SmallVector<llvm::IntrinsicInst *>;

bool is_scatter(const llvm::IntrinsicInst &access) {
  return access.getIntrinsicID() == llvm::Intrinsic::masked_scatter;
}

llvm::Value &pointers_of(const llvm::IntrinsicInst &access) {
  return *access.getArgOperand(is_scatter(access) ? 1 : 0);
}

llvm::FixedVectorType &type_of(const llvm::IntrinsicInst &access) {
  return *llvm::cast<llvm::FixedVectorType>(is_scatter(access) ? access.getArgOperand(0)->getType()
                                                               : access.getType());
}

unsigned size_of(const llvm::IntrinsicInst &access) {
  return unsigned(
      access.getDataLayout().getTypeStoreSize(type_of(access).getElementType()).getFixedValue());
}

// The number of iterations to combine.
unsigned count_for(const llvm::IntrinsicInst &access) {
  return std::min(type_of(access).getNumElements(), line / size_of(access));
}

llvm::IntrinsicInst *as_column(llvm::Instruction &instruction, const RoundDistances &distances) {
  auto *access = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!access ||
      (access->getIntrinsicID() != llvm::Intrinsic::masked_gather && !is_scatter(*access)))
    return nullptr;
  auto *mask = llvm::dyn_cast<llvm::Constant>(access->getArgOperand(is_scatter(*access) ? 2 : 1));
  llvm::Type *element = type_of(*access).getElementType();
  if (!mask || !mask->isAllOnesValue() ||
      !(element->isIntegerTy() || element->isFloatingPointTy()) ||
      !std::has_single_bit(type_of(*access).getNumElements()))
    return nullptr;
  const unsigned size = size_of(*access);
  const auto distance = distances.of_pointer(pointers_of(*access));
  const bool is_next = distance && uint64_t(*distance) == size &&
                       access->getDataLayout().getTypeSizeInBits(element) == size * 8 &&
                       std::has_single_bit(size) && count_for(*access) >= least_at_once;
  return is_next ? access : nullptr;
}

// The column accesses of one loop, all with the same number of combined iterations.
Accesses columns_of(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  Accesses columns;
  if (loop.getNumBlocks() != 1 || !loop.isLoopSimplifyForm() ||
      loop.getHeader()->sizeWithoutDebug() > most_instructions)
    return {};
  const RoundDistances distances(loop, evolution);
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
                 rounds = evolution.getSmallConstantTripCount(&loop);
  const bool others_differ = llvm::any_of(
      columns, [&](const llvm::IntrinsicInst *column) { return count_for(*column) != count; });
  if ((rounds != 0 && rounds < count) || !evolution.hasLoopInvariantBackedgeTakenCount(&loop) ||
      (writes && (reads || others_differ)))
    return {};
  llvm::erase_if(columns, [&](auto *column) { return count_for(*column) != count; });
  return columns;
}

// ---- overlap of loads and stores

// An address as the sum of a loop-invariant number and a count of elements that is the same in all
// lanes.
struct Place {
  llvm::Value *stays = nullptr; // i64, a scalar or one per lane
  llvm::Value *counted = nullptr;
  llvm::Type *element = nullptr;
};

llvm::Value *sum(llvm::IRBuilder<> &builder, llvm::Value *one, llvm::Value *other, unsigned lanes) {
  if (one->getType() != other->getType())
    (one->getType()->isVectorTy() ? other : one) =
        builder.CreateVectorSplat(lanes, one->getType()->isVectorTy() ? other : one);
  return builder.CreateAdd(one, other);
}

// Computes the parts before the loop; nullopt if the address has another form.
std::optional<Place> place_of(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                              const llvm::IntrinsicInst &access) {
  auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&pointers_of(access));
  if (!gep || gep->getNumIndices() != 1 || !loop.isLoopInvariant(gep->getPointerOperand()))
    return std::nullopt;
  const unsigned lanes = type_of(access).getNumElements();
  Place place{nullptr, gep->getOperand(1), gep->getSourceElementType()};
  llvm::Value *base = gep->getPointerOperand();
  place.stays = builder.CreatePtrToInt(base, base->getType()->getWithNewType(builder.getInt64Ty()));
  if (!place.counted->getType()->isVectorTy())
    return place;
  const uint64_t size = access.getDataLayout().getTypeAllocSize(place.element).getFixedValue();
  if (auto *index = llvm::dyn_cast<llvm::BinaryOperator>(place.counted);
      index && index->getOpcode() == llvm::Instruction::Add) {
    const unsigned operand = loop.isLoopInvariant(index->getOperand(0)) ? 0 : 1;
    llvm::Value *row = index->getOperand(operand);
    if (!loop.isLoopInvariant(row))
      return std::nullopt;
    place.stays = sum(builder, place.stays,
                      builder.CreateMul(row, llvm::ConstantInt::get(row->getType(), size)), lanes);
    place.counted = index->getOperand(1 - operand);
  }
  if (const auto narrow = narrow_sum(loop, *place.counted)) {
    llvm::Value *row = builder.CreateZExt(
        narrow->row, narrow->row->getType()->getWithNewType(builder.getInt64Ty()));
    place.stays = sum(builder, place.stays,
                      builder.CreateMul(row, llvm::ConstantInt::get(row->getType(), size)), lanes);
    place.counted = narrow->count;
    return place;
  }
  place.counted = llvm::getSplatValue(place.counted);
  return place.counted ? std::optional<Place>(place) : std::nullopt;
}

// Distance in bytes from the addresses of `other` to those of `one`: a scalar or one per lane.
llvm::Value *distance_between(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                              const llvm::IntrinsicInst &one, const llvm::IntrinsicInst &other) {
  const auto place = place_of(builder, loop, one), other_place = place_of(builder, loop, other);
  if (!place || !other_place || place->counted != other_place->counted ||
      place->element != other_place->element)
    return nullptr;
  return sum(builder, place->stays, builder.CreateNeg(other_place->stays),
             type_of(one).getNumElements());
}

// Whether the combined iterations, with all loads first, would read what one of them writes, or
// write in another order. Returns nullopt if no check is possible or they always conflict, null if
// they never do. A load behind the store must not read what the store writes in the same iteration,
// either. Only the iterations of one work-item count: a conflict with another work-item without a
// barrier is a race.
std::optional<llvm::Value *> overlap(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                                     const Accesses &columns) {
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
      llvm::Value *distance = distance_between(builder, loop, *scatter, *other);
      if (!distance)
        return std::nullopt;
      llvm::Type *type = distance->getType();
      const auto size = int64_t(size_of(*scatter)), rounds = count_for(*scatter) * size;
      const int64_t first = is_load_behind ? 1 - size : 1;
      llvm::Value *ahead = builder.CreateICmpULT(
          builder.CreateSub(distance, llvm::ConstantInt::getSigned(type, first)),
          llvm::ConstantInt::getSigned(type, rounds - first));
      if (type->isVectorTy())
        ahead = builder.CreateOrReduce(ahead);
      any = any ? builder.CreateOr(any, ahead) : ahead;
    }
  }
  return any;
}

// Collects all narrow sums that RoundDistances accepts in the operands of a pointer or an index.
void add_narrow_sums(const llvm::Loop &loop, llvm::Value &value,
                     llvm::SmallVectorImpl<NarrowSum> &sums) {
  if (loop.isLoopInvariant(&value))
    return;
  if (const auto narrow = narrow_sum(loop, value))
    sums.push_back(*narrow);
  else if (auto *place = llvm::dyn_cast<llvm::GetElementPtrInst>(&value))
    for (llvm::Value *part : place->operands())
      add_narrow_sums(loop, *part, sums);
  else if (auto *both = llvm::dyn_cast<llvm::BinaryOperator>(&value))
    for (llvm::Value *part : both->operands())
      add_narrow_sums(loop, *part, sums);
}

// Whether a narrow sum of an index wraps in some lane and iteration; null if there is no narrow
// sum.
std::optional<llvm::Value *> wraps(llvm::IRBuilder<> &builder, const llvm::Loop &loop,
                                   const Accesses &columns, llvm::ScalarEvolution &evolution) {
  llvm::Type *wide = builder.getInt64Ty();
  llvm::SCEVExpander expander(evolution, "columns");
  llvm::Value *any = nullptr;
  llvm::SmallVector<NarrowSum> sums;
  for (const llvm::IntrinsicInst *column : columns)
    add_narrow_sums(loop, pointers_of(*column), sums);
  for (const NarrowSum &narrow : sums) {
    auto *count = llvm::cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(narrow.count));
    const llvm::SCEV *rounds = evolution.getBackedgeTakenCount(&loop);
    if (evolution.getTypeSizeInBits(rounds->getType()) > 64)
      return std::nullopt;
    rounds = evolution.getNoopOrZeroExtend(rounds, wide);
    const llvm::SCEV *start = evolution.getZeroExtendExpr(count->getStart(), wide);
    if (!expander.isSafeToExpandAt(rounds, &*builder.GetInsertPoint()) ||
        !expander.isSafeToExpandAt(start, &*builder.GetInsertPoint()))
      return std::nullopt;
    llvm::Value *more = expander.expandCodeFor(rounds, wide, &*builder.GetInsertPoint());
    llvm::Value *last =
        builder.CreateAdd(more, expander.expandCodeFor(start, wide, &*builder.GetInsertPoint()));
    llvm::Value *rows = builder.CreateZExt(narrow.row, narrow.row->getType()->getWithNewType(wide));
    auto *lanes = llvm::cast<llvm::FixedVectorType>(rows->getType());
    llvm::Value *ends = sum(builder, rows, last, lanes->getNumElements());
    llvm::Value *beyond = builder.CreateOrReduce(
        builder.CreateICmpUGT(ends, llvm::ConstantInt::get(ends->getType(), UINT32_MAX)));
    beyond = builder.CreateOr(beyond, builder.CreateICmpUGT(more, builder.getInt64(UINT32_MAX)));
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
  Accesses columns = columns_of(*loop, evolution);
  if (columns.empty())
    return changed;
  llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
  llvm::IRBuilder<> builder(loop->getLoopPreheader()->getTerminator());
  const auto do_overlap = overlap(builder, *loop, columns);
  const auto do_wrap = wraps(builder, *loop, columns, evolution);
  if (!do_overlap || !do_wrap)
    return true;
  llvm::Value *condition = *do_overlap;
  if (*do_wrap)
    condition = condition ? builder.CreateOr(condition, *do_wrap) : *do_wrap;
  if (condition) {
    loop = copy_unless(*condition, *loop, columns, analyses);
    llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, true);
  }
  const unsigned count = count_for(*columns[0]), lanes = type_of(*columns[0]).getNumElements();
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
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler

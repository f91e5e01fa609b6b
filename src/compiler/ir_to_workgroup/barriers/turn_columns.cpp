#include "compiler/ir_to_workgroup/barriers/turn_columns.h"

#include "compiler/ir_to_workgroup/barriers/tiles.h"
#include "compiler/ir_to_workgroup/remark.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/UnrollLoop.h"

#include <algorithm>
#include <bit>

namespace lockstep::compiler {

namespace {

constexpr unsigned line = 64;         // bytes
constexpr unsigned least_at_once = 4; // else it is hardly less than to gather
constexpr unsigned most_instructions =
    128; // of a round: all are there as often as rounds are done at once

// How much further it is in the next round, in all lanes.
class RoundDistances {
public:
  RoundDistances(const llvm::Loop &loop, llvm::ScalarEvolution &evolution)
      : loop_(loop), evolution_(evolution) {}

  // In bytes.
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
  // Of 64 bits: a narrower one may wrap on its way to the address.
  std::optional<int64_t> of_index(llvm::Value &index) const {
    if (loop_.isLoopInvariant(&index))
      return 0;
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

using Gathers = llvm::SmallVector<llvm::IntrinsicInst *>;

// Rounds to do at once.
unsigned count_for(const llvm::IntrinsicInst &gather) {
  auto *type = llvm::cast<llvm::FixedVectorType>(gather.getType());
  const auto size =
      unsigned(gather.getDataLayout().getTypeStoreSize(type->getElementType()).getFixedValue());
  return std::min(type->getNumElements(), line / size);
}

bool is_column(const llvm::Instruction &instruction, const RoundDistances &distances) {
  auto *gather = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  if (!gather || gather->getIntrinsicID() != llvm::Intrinsic::masked_gather)
    return false;
  auto *mask = llvm::dyn_cast<llvm::Constant>(gather->getArgOperand(1));
  auto *type = llvm::cast<llvm::FixedVectorType>(gather->getType());
  llvm::Type *element = type->getElementType();
  if (!mask || !mask->isAllOnesValue() ||
      !(element->isIntegerTy() || element->isFloatingPointTy()) ||
      !std::has_single_bit(type->getNumElements()))
    return false;
  const llvm::DataLayout &layout = gather->getDataLayout();
  const uint64_t size = layout.getTypeStoreSize(element).getFixedValue();
  const auto distance = distances.of_pointer(*gather->getArgOperand(0));
  return distance && uint64_t(*distance) == size && layout.getTypeSizeInBits(element) == size * 8 &&
         std::has_single_bit(size) && count_for(*gather) >= least_at_once;
}

// Of one loop, all with the same number of rounds at once.
Gathers columns_of(const llvm::Loop &loop, llvm::ScalarEvolution &evolution) {
  Gathers columns;
  if (loop.getNumBlocks() != 1 || !loop.isLoopSimplifyForm() ||
      loop.getHeader()->sizeWithoutDebug() > most_instructions)
    return columns;
  const RoundDistances distances(loop, evolution);
  for (llvm::Instruction &instruction : *loop.getHeader()) {
    if (instruction.mayHaveSideEffects())
      return {};
    if (is_column(instruction, distances))
      columns.push_back(llvm::cast<llvm::IntrinsicInst>(&instruction));
  }
  if (!columns.empty()) {
    const unsigned count = count_for(*columns[0]),
                   rounds = evolution.getSmallConstantTripCount(&loop);
    llvm::erase_if(columns, [&](auto *column) { return count_for(*column) != count; });
    if ((rounds != 0 && rounds < count) || !evolution.hasLoopInvariantBackedgeTakenCount(&loop))
      return {};
  }
  return columns;
}

} // namespace

llvm::PreservedAnalyses TurnColumnsPass::run(llvm::Function &function,
                                             llvm::FunctionAnalysisManager &analyses) {
  auto has_gather = [](const llvm::Instruction &instruction) {
    auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    return intrinsic && intrinsic->getIntrinsicID() == llvm::Intrinsic::masked_gather;
  };
  if (llvm::none_of(llvm::instructions(function), has_gather))
    return llvm::PreservedAnalyses::all();
  auto &loops = analyses.getResult<llvm::LoopAnalysis>(function);
  auto &dominators = analyses.getResult<llvm::DominatorTreeAnalysis>(function);
  auto &evolution = analyses.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto &assumptions = analyses.getResult<llvm::AssumptionAnalysis>(function);
  auto &target = analyses.getResult<llvm::TargetIRAnalysis>(function);
  llvm::OptimizationRemarkEmitter remarks(&function);
  llvm::SmallVector<llvm::Loop *> innermost;
  for (llvm::Loop *loop : loops.getLoopsInPreorder())
    if (loop->isInnermost())
      innermost.push_back(loop);
  bool changed = false;
  for (llvm::Loop *loop : innermost) {
    changed |=
        llvm::simplifyLoop(loop, &dominators, &loops, &evolution, &assumptions, nullptr, false);
    const Gathers columns = columns_of(*loop, evolution);
    if (columns.empty())
      continue;
    changed = true;
    llvm::formLCSSARecursively(*loop, dominators, &loops, &evolution);
    const unsigned count = count_for(*columns[0]);
    const auto lanes = llvm::cast<llvm::FixedVectorType>(columns[0]->getType())->getNumElements();
    const llvm::DebugLoc place = columns[0]->getDebugLoc();
    mark_tiles(columns);
    llvm::UnrollLoopOptions options{};
    options.Count = count;
    options.Force = options.Runtime = options.AllowExpensiveTripCount = true;
    llvm::Loop *rest = nullptr;
    llvm::UnrollLoop(loop, options, &loops, &evolution, &dominators, &assumptions, &target,
                     &remarks,
                     /*PreserveLCSSA=*/true, &rest);
    if (rest)
      for (llvm::BasicBlock *block : rest->blocks())
        forget_tiles(*block);
    if (turn_tiles(function, count) != 0)
      remark(function.getContext(), place, "lanes",
             "rows of " + llvm::Twine(count) + " elements by " + llvm::Twine(lanes) +
                 " are loaded as such and turned in registers");
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler

#include "compiler/lanes/choose/switch_cost.h"

#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/uniformity.h"
#include "kernel_ir/out_of_line_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// With fewer cases, lanes win or come close.
constexpr unsigned many_cases = limits::lanes_in_line;

unsigned count_cases(const llvm::SwitchInst &instruction) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> targets(llvm::from_range,
                                                          llvm::successors(&instruction));
  return unsigned(targets.size());
}

const llvm::SwitchInst *large_switch(const llvm::BasicBlock &block) {
  auto *instruction = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
  return instruction && count_cases(*instruction) >= many_cases ? instruction : nullptr;
}

// The expected number of cases that at least one lane takes, if lanes choose independently.
double cases_wanted(unsigned cases, unsigned width) {
  double spared = 1; // the probability that no lane takes a given case
  for (unsigned lane = 0; lane != width; ++lane)
    spared *= 1 - 1.0 / cases;
  return cases * (1 - spared);
}

class Estimate {
public:
  Estimate(llvm::Function &function, unsigned width, const llvm::DominatorTree &dominators,
           const llvm::BlockFrequencyInfo &frequencies)
      : width_(width), dominators_(dominators), frequencies_(frequencies),
        uniformity_(function, dominators, UniformityLevel::lanes) {
    for (const llvm::BasicBlock &block : function)
      if (const llvm::SwitchInst *large = large_switch(block);
          large && !uniformity_.has_uniform_branch(block))
        add_switch(*large);
    if (has_switches_)
      for (const llvm::BasicBlock &block : function)
        add_block(block);
  }

  bool lanes_lose() const {
    return has_switches_ && CostModel::is_clearly_less(one_by_one_, in_lanes_);
  }

private:
  double frequency(const llvm::BasicBlock &block) const {
    return double(frequencies_.getBlockFreq(&block).getFrequency());
  }

  void add_switch(const llvm::SwitchInst &instruction) {
    has_switches_ = true;
    const llvm::BasicBlock &block = *instruction.getParent();
    const unsigned cases = count_cases(instruction);
    const double wanted = cases_wanted(cases, width_);
    one_by_one_ += frequency(block) * width_ * CostModel::divergent_jump();
    in_lanes_ += frequency(block) * (cases + wanted) * CostModel::lane_test();
    llvm::SmallPtrSet<const llvm::BasicBlock *, 32> targets(llvm::from_range,
                                                            llvm::successors(&instruction));
    llvm::SmallVector<llvm::BasicBlock *> inside;
    for (const llvm::BasicBlock *target : targets)
      if (target->getUniquePredecessor() == &block) {
        dominators_.getDescendants(const_cast<llvm::BasicBlock *>(target), inside);
        for (const llvm::BasicBlock *body : inside) {
          double &times = times_in_lanes_.try_emplace(body, 1).first->second;
          times = std::min(double(width_), times * wanted);
        }
      }
  }

  // LLVM's frequency of a case is how often one work-item takes it.
  void add_block(const llvm::BasicBlock &block) {
    double scalar = 0, vector = 0;
    for (const llvm::Instruction &instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction.isDebugOrPseudoInst())
        continue;
      scalar += CostModel::scalars(1);
      vector += CostModel::vectors(1);
      const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
      if (address && !is_in_row(*address))
        vector += model_.gather();
    }
    auto times = times_in_lanes_.find(&block);
    one_by_one_ += frequency(block) * width_ * scalar;
    in_lanes_ += frequency(block) * (times == times_in_lanes_.end() ? 1 : times->second) * vector;
  }

  // True for a uniform address and for a private variable at uniform indices.
  bool is_in_row(const llvm::Value &address) const {
    if (uniformity_.is_uniform(address) || llvm::isa<llvm::AllocaInst>(address))
      return true;
    auto *gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&address);
    return gep &&
           llvm::all_of(gep->indices(),
                        [&](const llvm::Use &index) { return uniformity_.is_uniform(*index); }) &&
           is_in_row(*gep->getPointerOperand());
  }

  const unsigned width_;
  const CostModel model_{width_};
  const llvm::DominatorTree &dominators_;
  const llvm::BlockFrequencyInfo &frequencies_;
  const Uniformity uniformity_;
  bool has_switches_ = false;
  double one_by_one_ = 0, in_lanes_ = 0; // cycles per sub-group
  // How often blocks of cases run in lanes; 1 for all other blocks.
  llvm::DenseMap<const llvm::BasicBlock *, double> times_in_lanes_;
};

} // namespace

bool lanes_lose_in_switches(llvm::Function &function, unsigned width,
                            llvm::FunctionAnalysisManager &analyses) {
  if (llvm::none_of(function, large_switch)) // the usual case
    return false;
  if (is_out_of_line(function)) // how often its callers reach the switch is unknown
    return true;
  return Estimate(function, width, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::BlockFrequencyAnalysis>(function))
      .lanes_lose();
}

} // namespace lockstep::compiler

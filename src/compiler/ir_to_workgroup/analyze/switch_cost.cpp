#include "compiler/ir_to_workgroup/analyze/switch_cost.h"

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/kernel_ir/kept_function.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

constexpr unsigned many_cases = 16; // with fewer, lanes win or are close

// Cycles.
constexpr double jump = 20;  // of one work-item, to where nobody expected it
constexpr double test = 3.4; // of a case: does a lane want it?
constexpr double entry = 3;  // of a case, that one does
constexpr double scalar_instruction = 0.45, vector_instruction = 0.75;
constexpr double gather = 30;    // or scatter
constexpr double clearly = 1.25; // estimates are no better

unsigned count_cases(const llvm::SwitchInst &instruction) {
  llvm::SmallPtrSet<const llvm::BasicBlock *, 32> targets(llvm::from_range,
                                                          llvm::successors(&instruction));
  return unsigned(targets.size());
}

const llvm::SwitchInst *large_switch(const llvm::BasicBlock &block) {
  auto *instruction = llvm::dyn_cast<llvm::SwitchInst>(block.getTerminator());
  return instruction && count_cases(*instruction) >= many_cases ? instruction : nullptr;
}

// How many of `cases` are wanted by at least one lane if each chooses for itself.
double cases_wanted(unsigned cases, unsigned width) {
  double spared = 1; // the chance that a case is
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

  bool lanes_lose() const { return has_switches_ && in_lanes_ > clearly * one_by_one_; }

private:
  double frequency(const llvm::BasicBlock &block) const {
    return double(frequencies_.getBlockFreq(&block).getFrequency());
  }

  void add_switch(const llvm::SwitchInst &instruction) {
    has_switches_ = true;
    const llvm::BasicBlock &block = *instruction.getParent();
    const unsigned cases = count_cases(instruction);
    const double wanted = cases_wanted(cases, width_);
    one_by_one_ += frequency(block) * width_ * jump;
    in_lanes_ += frequency(block) * (cases * test + wanted * entry);
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

  // LLVM expects a case to run as often as it is chosen by one work-item.
  void add_block(const llvm::BasicBlock &block) {
    double scalar = 0, vector = 0;
    for (const llvm::Instruction &instruction : block) {
      if (llvm::isa<llvm::PHINode>(instruction) || instruction.isDebugOrPseudoInst())
        continue;
      scalar += scalar_instruction;
      vector += vector_instruction;
      const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
      if (address && !is_in_row(*address))
        vector += gather;
    }
    auto times = times_in_lanes_.find(&block);
    one_by_one_ += frequency(block) * width_ * scalar;
    in_lanes_ += frequency(block) * (times == times_in_lanes_.end() ? 1 : times->second) * vector;
  }

  // The same address in all lanes, or a private variable's at a place that is the same for all.
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
  const llvm::DominatorTree &dominators_;
  const llvm::BlockFrequencyInfo &frequencies_;
  const Uniformity uniformity_;
  bool has_switches_ = false;
  double one_by_one_ = 0, in_lanes_ = 0;                            // cycles of a sub-group
  llvm::DenseMap<const llvm::BasicBlock *, double> times_in_lanes_; // of blocks in cases; else 1
};

} // namespace

bool lanes_lose_in_switches(llvm::Function &function, unsigned width,
                            llvm::FunctionAnalysisManager &analyses) {
  if (llvm::none_of(function, large_switch)) // nearly all
    return false;
  if (is_kept(function)) // nobody knows how often which of its callers comes to what
    return true;
  return Estimate(function, width, analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::BlockFrequencyAnalysis>(function))
      .lanes_lose();
}

} // namespace lockstep::compiler

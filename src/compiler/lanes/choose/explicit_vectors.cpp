#include "compiler/lanes/choose/explicit_vectors.h"

#include "compiler/analysis/copy_distances.h"
#include "compiler/analysis/cost/cost_model.h"
#include "compiler/analysis/uniformity.h"
#include "compiler/target_model/target_model.h"
#include "kernel_ir/math_functions.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>
#include <cstdlib>

namespace lockstep::compiler {

namespace {

constexpr unsigned lane_bits = 32;

const llvm::Type *type_moved(const llvm::Instruction &instruction) {
  if (llvm::getLoadStorePointerOperand(&instruction))
    return llvm::getLoadStoreType(const_cast<llvm::Instruction *>(&instruction));
  return instruction.getType();
}

unsigned elements_of(const llvm::Type &type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  return vector ? vector->getNumElements() : 1;
}

bool is_call_of_maths(const llvm::Instruction &instruction) {
  auto *intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return intrinsic && (is_maths_function(intrinsic->getIntrinsicID()) ||
                       intrinsic->getIntrinsicID() == llvm::Intrinsic::powi);
}

// True for instructions without machine code and for those that fold into another instruction.
bool is_free(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::PHINode, llvm::GetElementPtrInst, llvm::AllocaInst, llvm::BitCastInst,
                   llvm::AddrSpaceCastInst, llvm::FreezeInst>(instruction) ||
         instruction.isDebugOrPseudoInst() || instruction.isLifetimeStartOrEnd();
}

bool moves_elements(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::InsertElementInst, llvm::ExtractElementInst, llvm::ShuffleVectorInst>(
      instruction);
}

// True for an element of a loaded vector: the element can be loaded by itself.
bool is_of_load(const llvm::Instruction &instruction) {
  auto *extract = llvm::dyn_cast<llvm::ExtractElementInst>(&instruction);
  return extract && llvm::isa<llvm::LoadInst>(extract->getVectorOperand());
}

// True for a part of a splat: it folds into the instruction that uses the splat.
bool is_of_splat(const llvm::Instruction &instruction) {
  if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    return llvm::isa<llvm::UndefValue>(insert->getOperand(0));
  auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  return shuffle && shuffle->isZeroEltSplat();
}

// Where the local size is known, rows may consist of whole sub-groups.
UniformityLevel level_of(const llvm::Function &function, unsigned width) {
  const uint32_t row = specialized_local_size(function)[0];
  return row != 0 && row % width == 0 ? UniformityLevel::along_x : UniformityLevel::lanes;
}

class Estimate {
public:
  Estimate(llvm::Function &function, unsigned width, const TargetInfo &target,
           const llvm::DominatorTree &dominators, const llvm::BlockFrequencyInfo &frequencies,
           const llvm::LoopInfo &loops, IndexExpressions &expressions)
      : width_(width), vector_bits_(target.vector_bits), vector_registers_(target.vector_registers),
        layout_(function.getDataLayout()),
        uniformity_(function, dominators, level_of(function, width)), loops_(loops),
        distances_(expressions, different_, 1, CopyDistances::Wraps::are_ignored) {
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (!uniformity_.is_uniform(instruction))
        different_.insert(&instruction);
    for (const llvm::BasicBlock &block : function) {
      const auto often = double(frequencies.getBlockFreq(&block).getFrequency());
      for (const llvm::Instruction &instruction : block)
        if (!is_free(instruction)) {
          own_ += often * own(instruction);
          in_lanes_ += often * in_lanes(instruction) / width;
        }
      if (const llvm::Loop *loop = loops.getLoopFor(&block);
          loop && loop->isInnermost() && loop->getHeader() == &block)
        in_lanes_ += often *
                     CostModel::spills(std::max(0.0, registers_carried(block) - registers())) /
                     width;
    }
  }

  bool own_vectors_win() const { return CostModel::is_clearly_less(own_, in_lanes_); }

  // Checks that the kernel moves vectors that profit: vectors of at least half a register, vectors
  // of elements narrower than 32 bits, and vectors that are not adjacent to those of the next lane.
  bool moves_wide_vector(const llvm::Instruction &instruction) {
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    const llvm::Type &type = *type_moved(instruction);
    if (!address || !type.isVectorTy() || bits_of(type) < narrowest_vector_bits)
      return false;
    return bits_of(type) * 2 >= vector_bits_ || bits_of(*type.getScalarType()) < lane_bits ||
           !(is_in_row(*address) || is_beside_next(*address, type));
  }

private:
  double bits_of(const llvm::Type &type) const {
    return double(layout_.getTypeSizeInBits(const_cast<llvm::Type *>(&type)).getFixedValue());
  }
  // The registers available for values: four are scratch registers.
  double registers() const { return vector_registers_ - 4; }
  // Registers that a value of this type occupies in lanes.
  double registers_of(const llvm::Type &type) const {
    const llvm::Type &one = *type.getScalarType();
    return elements_of(type) * std::max(1.0, bits_of(one) * width_ / vector_bits_);
  }
  double registers_carried(const llvm::BasicBlock &header) const {
    double all = 0;
    for (const llvm::PHINode &phi : header.phis())
      if (phi.getType()->isVectorTy())
        all += registers_of(*phi.getType());
    return all;
  }

  // The cost for one work-item that runs alone.
  double own(const llvm::Instruction &instruction) const {
    const llvm::Type &type = *type_moved(instruction);
    if (is_call_of_maths(instruction))
      return CostModel::math_calls(elements_of(type));
    if (moves_elements(instruction) && !is_of_load(instruction))
      return CostModel::vectors(is_of_splat(instruction) ? 0 : 1);
    if (!type.isVectorTy())
      return CostModel::scalars(is_once_for_all(instruction) ? 1.0 / width_ : 1);
    return CostModel::vectors(std::max(1.0, bits_of(type) / vector_bits_));
  }

  // True for a uniform computation that is hoisted out of the loop over the work-items.
  bool is_once_for_all(const llvm::Instruction &instruction) const {
    return uniformity_.is_uniform(instruction) && !instruction.mayReadOrWriteMemory() &&
           !instruction.isTerminator() && !loops_.getLoopFor(instruction.getParent());
  }

  // The cost for a whole sub-group.
  double in_lanes(const llvm::Instruction &instruction) {
    const llvm::Type &type = *type_moved(instruction);
    if (moves_elements(instruction))
      return 0;
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    const bool is_same = address ? is_in_row(*address) : uniformity_.is_uniform(instruction);
    if (type.isVoidTy() || !type.isSized() || (is_same && !address))
      return CostModel::scalars(elements_of(type));
    const double all = registers_of(type);
    if (is_call_of_maths(instruction))
      return CostModel::math_calls(all);
    if (!address || is_same)
      return CostModel::vectors(all);
    if (!is_beside_next(*address, type))
      return all * model_.gather_of_lines();
    // Part of a vector next to that of the neighboring lane may be gathered.
    return CostModel::vectors(all * std::max(2.0, double(elements_of(type))));
  }

  bool is_beside_next(const llvm::Value &address, const llvm::Type &type) {
    const auto distance = distances_.of(address);
    return distance && double(std::abs(*distance)) * 8 <= 2 * bits_of(type);
  }

  // True for a uniform address and for a private variable, whose per-lane copies are interleaved.
  bool is_in_row(const llvm::Value &address) const {
    return uniformity_.is_uniform(address) ||
           llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address));
  }

  const unsigned width_;
  const CostModel model_{width_};
  const double vector_bits_, vector_registers_;
  const llvm::DataLayout &layout_;
  const Uniformity uniformity_;
  const llvm::LoopInfo &loops_;
  llvm::SmallPtrSet<const llvm::Value *, 32> different_;
  CopyDistances distances_;
  double own_ = 0, in_lanes_ = 0;
};

} // namespace

bool own_vectors_win(llvm::Function &function, unsigned width, const TargetInfo &target,
                     llvm::FunctionAnalysisManager &analyses) {
  auto is_vector = [](const llvm::Instruction &instruction) {
    return type_moved(instruction)->isVectorTy();
  };
  if (llvm::none_of(llvm::instructions(function), is_vector))
    return false; // the usual case
  Estimate estimate(function, width, target,
                    analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                    analyses.getResult<llvm::BlockFrequencyAnalysis>(function),
                    analyses.getResult<llvm::LoopAnalysis>(function),
                    analyses.getResult<IndexExpressionsAnalysis>(function));
  return estimate.own_vectors_win() &&
         llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction &instruction) {
           return estimate.moves_wide_vector(instruction);
         });
}

} // namespace lockstep::compiler

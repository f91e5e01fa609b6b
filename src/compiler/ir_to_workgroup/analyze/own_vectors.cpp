#include "compiler/ir_to_workgroup/analyze/own_vectors.h"

#include "compiler/ir_to_workgroup/analyze/uniformity.h"
#include "compiler/ir_to_workgroup/maths_functions.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// Vector instructions; several scalar ones are done at a time.
constexpr double scalar_instruction = 0.5;
constexpr double function = 20;  // of an element, where an intrinsic is a call
constexpr double element = 2;    // of a vector of neighbours, of which some may be gathered
constexpr double spill = 2;      // a store and a load
constexpr double clearly = 1.25; // estimates are no better

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

// What no machine code is made for, or what is a part of another instruction.
bool is_free(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::PHINode, llvm::GetElementPtrInst, llvm::AllocaInst, llvm::BitCastInst,
                   llvm::AddrSpaceCastInst, llvm::FreezeInst>(instruction) ||
         instruction.isDebugOrPseudoInst() || instruction.isLifetimeStartOrEnd();
}

bool moves_elements(const llvm::Instruction &instruction) {
  return llvm::isa<llvm::InsertElementInst, llvm::ExtractElementInst, llvm::ShuffleVectorInst>(
      instruction);
}

// The same value in all elements: a part of the instruction that uses it.
bool is_of_splat(const llvm::Instruction &instruction) {
  if (auto *insert = llvm::dyn_cast<llvm::InsertElementInst>(&instruction))
    return llvm::isa<llvm::UndefValue>(insert->getOperand(0));
  auto *shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
  return shuffle && shuffle->isZeroEltSplat();
}

class Estimate {
public:
  Estimate(llvm::Function &function, unsigned width, uint32_t vector_bits,
           const llvm::DominatorTree &dominators, const llvm::BlockFrequencyInfo &frequencies,
           const llvm::LoopInfo &loops)
      : width_(width), vector_bits_(vector_bits), layout_(function.getDataLayout()),
        uniformity_(function, dominators, UniformityLevel::lanes) {
    for (const llvm::BasicBlock &block : function) {
      const auto often = double(frequencies.getBlockFreq(&block).getFrequency());
      for (const llvm::Instruction &instruction : block)
        if (!is_free(instruction)) {
          own_ += often * own(instruction);
          in_lanes_ += often * in_lanes(instruction) / width;
        }
      if (const llvm::Loop *loop = loops.getLoopFor(&block);
          loop && loop->isInnermost() && loop->getHeader() == &block)
        in_lanes_ += often * spill * std::max(0.0, registers_carried(block) - registers()) / width;
    }
  }

  bool own_vectors_win() const { return own_ * clearly < in_lanes_; }

private:
  double bits_of(const llvm::Type &type) const {
    return double(layout_.getTypeSizeInBits(const_cast<llvm::Type *>(&type)).getFixedValue());
  }
  // Without scratch, of 32 or 16.
  double registers() const { return vector_bits_ >= 512 ? 28 : 12; }
  // Of a value of this type in lanes.
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

  // Of one work-item.
  double own(const llvm::Instruction &instruction) const {
    const llvm::Type &type = *type_moved(instruction);
    if (is_call_of_maths(instruction))
      return function * elements_of(type);
    if (moves_elements(instruction))
      return is_of_splat(instruction) ? 0 : 1;
    if (!type.isVectorTy())
      return scalar_instruction;
    return std::max(1.0, bits_of(type) / vector_bits_);
  }

  // Of a sub-group.
  double in_lanes(const llvm::Instruction &instruction) const {
    const llvm::Type &type = *type_moved(instruction);
    if (moves_elements(instruction))
      return 0;
    const llvm::Value *address = llvm::getLoadStorePointerOperand(&instruction);
    const bool is_same = address ? is_in_row(*address) : uniformity_.is_uniform(instruction);
    if (type.isVoidTy() || !type.isSized() || (is_same && !address))
      return scalar_instruction * elements_of(type);
    const double all = registers_of(type);
    if (is_call_of_maths(instruction))
      return function * all;
    if (!address || is_same)
      return all;
    return all * std::max(element, double(elements_of(type)));
  }

  // The same address in all lanes, or a private variable's, of which lanes have their own beside each other.
  bool is_in_row(const llvm::Value &address) const {
    return uniformity_.is_uniform(address) ||
           llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(&address));
  }

  const unsigned width_;
  const double vector_bits_;
  const llvm::DataLayout &layout_;
  const Uniformity uniformity_;
  double own_ = 0, in_lanes_ = 0;
};

// A vector of memory that fills a register.
bool moves_wide_vector(const llvm::Instruction &instruction, uint32_t vector_bits) {
  if (!llvm::getLoadStorePointerOperand(&instruction))
    return false;
  auto *type = llvm::dyn_cast<llvm::FixedVectorType>(type_moved(instruction));
  return type && instruction.getDataLayout().getTypeSizeInBits(
                     const_cast<llvm::FixedVectorType *>(type)) >= vector_bits;
}

} // namespace

bool own_vectors_win(llvm::Function &function, unsigned width, uint32_t vector_bits,
                     llvm::FunctionAnalysisManager &analyses) {
  if (llvm::none_of(llvm::instructions(function), [&](const llvm::Instruction &instruction) {
        return moves_wide_vector(instruction, vector_bits);
      }))
    return false; // nearly all
  return Estimate(function, width, vector_bits,
                  analyses.getResult<llvm::DominatorTreeAnalysis>(function),
                  analyses.getResult<llvm::BlockFrequencyAnalysis>(function),
                  analyses.getResult<llvm::LoopAnalysis>(function))
      .own_vectors_win();
}

} // namespace lockstep::compiler

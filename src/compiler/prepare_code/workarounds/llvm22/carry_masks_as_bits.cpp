// Carries masks between blocks as integers if LLVM would carry each lane in a register of its own.
//
// A mask of 64 lanes is no legal type of processors without AVX-512BW, and one of 32 lanes none of
// those without AVX2. LLVM 22 splits such a value where it crosses from one block to another, into
// a general-purpose register for each lane. A phi of 64 lanes then takes some 500 instructions, and
// the register allocator takes most of the time of a kernel that requires 64 lanes. Within a block,
// the code generator uses vectors of bytes.
//
// Requires: any function.
// Ensures: no mask that LLVM would carry lane by lane lives across blocks, except parameters. And,
// or, xor and select of such masks are operations on integers if an operand comes from another
// block, because LLVM also splits operations whose operands it computes in different types.
//
// Position: last, because earlier passes undo it. loop-over-lanes creates blocks.
//
// Upstream: none was found on 2026-11-29; tests/passes/carry-masks-as-bits/llvm_still_needs_it.ll
// holds the text of a report.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/TargetLowering.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Target/TargetMachine.h"

namespace lockstep::compiler {

namespace {

class Carrier {
public:
  Carrier(llvm::Function &function, const llvm::TargetLowering &lowering)
      : function_(function), lowering_(lowering), builder_(function.getContext()) {}

  bool run() {
    for (llvm::Instruction &instruction : llvm::instructions(function_))
      if (is_split(*instruction.getType()) && is_carried(instruction))
        carried_.push_back(&instruction);
    for (llvm::Instruction *mask : carried_)
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(mask)) {
        builder_.SetInsertPoint(phi);
        bits_[phi] = builder_.CreatePHI(integer(*phi->getType()), phi->getNumIncomingValues(),
                                        phi->getName() + ".bits");
      }
    for (llvm::Instruction *mask : carried_)
      replace_uses(*mask);
    for (llvm::Instruction *mask : carried_)
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(mask))
        fill(*phi);
    for (llvm::Instruction *mask : carried_)
      if (auto *phi = llvm::dyn_cast<llvm::PHINode>(mask)) {
        phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
        bits_.erase(phi);
        phi->eraseFromParent();
      }
    if (!carried_.empty())
      combine_bits();
    return !carried_.empty();
  }

private:
  bool is_split(llvm::Type &type) {
    auto *mask = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    if (!mask || !mask->getElementType()->isIntegerTy(1) || mask->getNumElements() > 64 ||
        !llvm::isPowerOf2_32(mask->getNumElements()))
      return false;
    auto [known, is_new] = is_split_.try_emplace(mask);
    if (is_new)
      known->second = mask->getNumElements() > 1 &&
                      lowering_.getNumRegisters(function_.getContext(), llvm::EVT::getEVT(mask)) ==
                          mask->getNumElements();
    return known->second;
  }

  static bool is_carried(const llvm::Instruction &mask) {
    return llvm::isa<llvm::PHINode>(mask) || llvm::any_of(mask.uses(), [&](const llvm::Use &use) {
             auto *user = llvm::cast<llvm::Instruction>(use.getUser());
             return llvm::isa<llvm::PHINode>(user) || user->getParent() != mask.getParent();
           });
  }

  llvm::Type *integer(const llvm::Type &mask) {
    return builder_.getIntNTy(llvm::cast<llvm::FixedVectorType>(mask).getNumElements());
  }

  llvm::Value *bits_of_constant(const llvm::Constant &mask) {
    llvm::APInt bits(integer(*mask.getType())->getIntegerBitWidth(), 0);
    for (unsigned lane = 0; lane != bits.getBitWidth(); ++lane)
      if (const llvm::Constant *element = mask.getAggregateElement(lane);
          element && element->isOneValue())
        bits.setBit(lane);
    return builder_.getInt(bits);
  }

  // Undefined lanes must not make all bits undefined.
  llvm::Value *bits_of(llvm::Value &mask) {
    if (llvm::isa<llvm::UndefValue>(mask))
      return llvm::PoisonValue::get(integer(*mask.getType()));
    if (auto *constant = llvm::dyn_cast<llvm::Constant>(&mask);
        constant && !llvm::isa<llvm::ConstantExpr>(constant))
      return bits_of_constant(*constant);
    llvm::Value *source = nullptr;
    if (llvm::PatternMatch::match(
            &mask, llvm::PatternMatch::m_BitCast(llvm::PatternMatch::m_Value(source))) &&
        source->getType() == integer(*mask.getType()))
      return source;
    llvm::Value *&bits = bits_[&mask];
    if (!bits) {
      auto *instruction = llvm::dyn_cast<llvm::Instruction>(&mask);
      builder_.SetInsertPoint(instruction
                                  ? *instruction->getInsertionPointAfterDef()
                                  : function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
      bits = builder_.CreateBitCast(builder_.CreateFreeze(&mask), integer(*mask.getType()),
                                    mask.getName() + ".bits");
    }
    return bits;
  }

  void replace_uses(llvm::Instruction &mask) {
    llvm::SmallDenseMap<llvm::BasicBlock *, llvm::Value *> in_block;
    for (llvm::Use &use : llvm::make_early_inc_range(mask.uses())) {
      auto *user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::BasicBlock *block = user->getParent();
      if (llvm::isa<llvm::PHINode>(user) ||
          (block == mask.getParent() && !llvm::isa<llvm::PHINode>(mask)))
        continue;
      llvm::Value *&here = in_block[block];
      if (!here) {
        llvm::Value *bits = bits_of(mask);
        builder_.SetInsertPoint(block, block->getFirstInsertionPt());
        here = builder_.CreateBitCast(bits, mask.getType(), mask.getName());
      }
      use.set(here);
    }
  }

  void fill(llvm::PHINode &phi) {
    auto &bits = llvm::cast<llvm::PHINode>(*bits_[&phi]);
    for (unsigned edge = 0; edge != phi.getNumIncomingValues(); ++edge)
      bits.addIncoming(bits_of(*phi.getIncomingValue(edge)), phi.getIncomingBlock(edge));
  }

  static bool comes_as_bits(const llvm::Value &mask) {
    auto *cast = llvm::dyn_cast<llvm::BitCastInst>(&mask);
    return cast && cast->getOperand(0)->getType()->isIntegerTy();
  }

  void combine_bits() {
    llvm::ReversePostOrderTraversal<llvm::Function *> order(&function_);
    for (llvm::BasicBlock *block : order)
      for (llvm::Instruction &instruction : llvm::make_early_inc_range(*block)) {
        if (llvm::none_of(instruction.operands(), [&](const llvm::Use &operand) {
              return is_split(*operand->getType()) && comes_as_bits(*operand);
            }))
          continue;
        if (is_split(*instruction.getType())) {
          combine(instruction);
        } else if (llvm::isa<llvm::BitCastInst>(instruction) &&
                   instruction.getType()->isIntegerTy()) {
          instruction.replaceAllUsesWith(bits_of(*instruction.getOperand(0)));
          instruction.eraseFromParent();
        }
      }
  }

  void combine(llvm::Instruction &mask) {
    llvm::Value *bits = nullptr;
    if (mask.isBitwiseLogicOp()) {
      llvm::Value *one = bits_of(*mask.getOperand(0)), *other = bits_of(*mask.getOperand(1));
      builder_.SetInsertPoint(&mask);
      bits = builder_.CreateBinOp(llvm::cast<llvm::BinaryOperator>(mask).getOpcode(), one, other);
    } else if (auto *select = llvm::dyn_cast<llvm::SelectInst>(&mask)) {
      llvm::Value *yes = bits_of(*select->getTrueValue()), *no = bits_of(*select->getFalseValue());
      llvm::Value *condition = select->getCondition();
      const bool is_mask = condition->getType()->isVectorTy();
      if (is_mask)
        condition = bits_of(*condition);
      builder_.SetInsertPoint(&mask);
      bits = !is_mask ? builder_.CreateSelect(condition, yes, no)
                      : builder_.CreateOr(builder_.CreateAnd(condition, yes),
                                          builder_.CreateAnd(builder_.CreateNot(condition), no));
    } else {
      return;
    }
    mask.replaceAllUsesWith(builder_.CreateBitCast(bits, mask.getType(), mask.getName()));
    bits_.erase(&mask);
    mask.eraseFromParent();
  }

  llvm::Function &function_;
  const llvm::TargetLowering &lowering_;
  llvm::IRBuilder<> builder_;
  llvm::SmallDenseMap<const llvm::Type *, bool> is_split_;
  llvm::SmallVector<llvm::Instruction *> carried_;
  llvm::DenseMap<const llvm::Value *, llvm::Value *> bits_;
};

} // namespace

llvm::PreservedAnalyses CarryMasksAsBitsPass::run(llvm::Function &function,
                                                  llvm::FunctionAnalysisManager &) {
  if (function.isDeclaration())
    return llvm::PreservedAnalyses::all();
  const llvm::TargetSubtargetInfo *processor = target_.getSubtargetImpl(function);
  if (!processor || !Carrier(function, *processor->getTargetLowering()).run())
    return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

} // namespace lockstep::compiler

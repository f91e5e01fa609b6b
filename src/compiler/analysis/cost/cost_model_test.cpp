#include "compiler/analysis/cost/cost_model.h"

#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

// Scalar operations on floats, for a processor.
class Operations {
public:
  explicit Operations(const char *cpu) : module_("operations", context_), builder_(context_) {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    const llvm::Triple triple("x86_64-pc-linux-gnu");
    std::string error;
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    machine_.reset(target->createTargetMachine(triple, cpu, "", {}, llvm::Reloc::PIC_));
    module_.setTargetTriple(triple);
    module_.setDataLayout(machine_->createDataLayout());
    auto *type = llvm::FunctionType::get(builder_.getVoidTy(), {builder_.getFloatTy()}, false);
    function_ =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "function", module_);
    builder_.SetInsertPoint(llvm::BasicBlock::Create(context_, "entry", function_));
    target_ =
        std::make_unique<llvm::TargetTransformInfo>(machine_->getTargetTransformInfo(*function_));
  }

  double cost(unsigned width, llvm::Instruction::BinaryOps operation) {
    return of(width, builder_.CreateBinOp(operation, x(), x()));
  }
  double cost(unsigned width, llvm::Intrinsic::ID intrinsic) {
    return of(width, builder_.CreateUnaryIntrinsic(intrinsic, x()));
  }

private:
  llvm::Value *x() { return function_->getArg(0); }
  double of(unsigned width, llvm::Value *value) {
    return CostModel(width, target_.get())
        .arithmetic_in_lanes(*llvm::cast<llvm::Instruction>(value));
  }

  llvm::LLVMContext context_;
  llvm::Module module_;
  llvm::IRBuilder<> builder_;
  std::unique_ptr<llvm::TargetMachine> machine_;
  llvm::Function *function_ = nullptr;
  std::unique_ptr<llvm::TargetTransformInfo> target_;
};

TEST(CostModel, LanesBeyondOneRegisterCostMore) {
  Operations wide("skylake-avx512"), narrow("x86-64-v2");
  EXPECT_EQ(wide.cost(16, llvm::Instruction::FMul), CostModel::vectors(1));
  EXPECT_EQ(wide.cost(64, llvm::Instruction::FMul), CostModel::vectors(4));
  EXPECT_EQ(narrow.cost(16, llvm::Instruction::FMul), 4 * narrow.cost(4, llvm::Instruction::FMul));
}

TEST(CostModel, DivisionsAndRootsCostMoreThanProducts) {
  Operations on("skylake-avx512");
  const double product = on.cost(16, llvm::Instruction::FMul);
  EXPECT_GT(on.cost(16, llvm::Instruction::FDiv), 4 * product);
  EXPECT_GT(on.cost(16, llvm::Intrinsic::sqrt), 4 * product);
  EXPECT_LT(on.cost(16, llvm::Intrinsic::fabs), 4 * product);
}

TEST(CostModel, OneLaneIsScalar) {
  Operations on("skylake-avx512");
  EXPECT_LT(on.cost(1, llvm::Instruction::FDiv), on.cost(16, llvm::Instruction::FDiv));
}

TEST(CostModel, ComparesWithAMargin) {
  EXPECT_FALSE(CostModel::is_clearly_less(10, 10));
  EXPECT_FALSE(CostModel::is_clearly_less(10, 11));
  EXPECT_TRUE(CostModel::is_clearly_less(10, 20));
}

TEST(CostModel, GathersGrowWithLanes) {
  EXPECT_EQ(CostModel(64).gather(), 4 * CostModel(16).gather());
  EXPECT_GT(CostModel(4).gather(), CostModel::vectors(4));
  EXPECT_GT(CostModel(16).gather_of_lines(), CostModel(16).gather());
  EXPECT_LT(CostModel::access_of_one_lane(), CostModel(16).gather());
}

} // namespace
} // namespace lockstep::compiler

// Tests that pipelines are lists: another target can start with the shared stages, and an
// instrumentation can insert a stage.
#include "compiler/pipelines/pipeline.h"

#include "back_ends/cpu/pipeline/pipeline_cpu.h"
#include "compiler/options/target.h"
#include "front_ends/front_ends.h"
#include "kernel_ir/kernel_function.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

using testing::Contains;
using testing::ElementsAre;

class PipelineTest : public testing::Test {
protected:
  void SetUp() override {
    std::string log;
    auto built = build_opencl_c(R"(
      int half_of(int value) { return value / 2; }
      kernel void k(global int *out, int rows) {
        local int tile[16];
        int sum = 0;
        for (int row = 0; row < rows; ++row)
          sum += half_of(out[row * get_global_size(0) + get_global_id(0)]);
        tile[get_local_id(0)] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[15 - get_local_id(0)];
      })",
                                "", log);
    ASSERT_TRUE(built) << log;
    options_ = {built->kernels[0], {{16, 1, 1}}, code_options_of_process()};
    options_.code.verify = true;
    auto parsed =
        llvm::parseBitcodeFile(llvm::MemoryBufferRef(built->bitcode, "program"), context_);
    ASSERT_TRUE(static_cast<bool>(parsed));
    module_ = std::move(*parsed);
    target_ = make_target_machine(options_.code.target, true);
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  std::unique_ptr<llvm::TargetMachine> target_;
  WorkGroupOptions options_;
};

// Counts the stores of the single function at the point where the pass runs.
class CountStoresPass : public llvm::PassInfoMixin<CountStoresPass> {
public:
  explicit CountStoresPass(unsigned &count) : count_(&count) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
    for (llvm::Instruction &instruction : llvm::instructions(*kernel_function(module)))
      *count_ += llvm::isa<llvm::StoreInst>(instruction);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  unsigned *count_;
};

TEST_F(PipelineTest, SharedStagesLeaveOneKernelOfOneWorkItem) {
  Pipeline shared = shared_pipeline();
  EXPECT_THAT(stage_names(shared),
              ElementsAre("source", "link", "inline", "specialize", "scalar-optimization"));
  auto remarks = run_pipeline(shared, *module_, *target_, options_, nullptr);
  ASSERT_TRUE(remarks) << remarks.error().message;
  llvm::Function &kernel = *kernel_function(*module_);
  EXPECT_EQ(kernel.getName().str(), "lockstep.kernel");
  unsigned calls_of_ours = 0;
  for (llvm::Instruction &instruction : llvm::instructions(kernel))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      calls_of_ours += call->getCalledFunction()->getName() == "_Z7half_ofi";
  EXPECT_EQ(calls_of_ours, 0u);
}

TEST_F(PipelineTest, AStageCanBePutIntoAPipelineOfTheCpu) {
  unsigned stores = 0;
  Pipeline pipeline = cpu_pipeline();
  insert_after(pipeline, "waits",
               {"count", KernelIrStage::inlined,
                [&](PassList &passes, llvm::PassBuilder &, llvm::TargetMachine &,
                    const WorkGroupOptions &) { passes.addPass(CountStoresPass(stores)); }});
  std::vector<std::string> names = stage_names(pipeline);
  auto place = std::ranges::find(names, "count");
  ASSERT_NE(place, names.end());
  EXPECT_EQ(*std::prev(place), "waits");
  EXPECT_EQ(*std::next(place), "checks");
  auto remarks = run_pipeline(pipeline, *module_, *target_, options_, nullptr);
  ASSERT_TRUE(remarks) << remarks.error().message;
  EXPECT_EQ(stores, 2u); // of one work-item: to the tile, to the buffer
}

// Adds the number of the insertion to a list.
class RecordPass : public llvm::PassInfoMixin<RecordPass> {
public:
  RecordPass(std::vector<int> &order, int number) : order_(&order), number_(number) {}
  llvm::PreservedAnalyses run(llvm::Module &, llvm::ModuleAnalysisManager &) {
    order_->push_back(number_);
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }

private:
  std::vector<int> *order_;
  int number_;
};

TEST_F(PipelineTest, PassesCanBeInsertedBesideThoseOfAStage) {
  using Where = InsertedPasses::Where;
  std::vector<int> order;
  const auto record = [&](int number) {
    return [&order, number](llvm::ModulePassManager &manager, auto &, auto &, auto &) {
      manager.addPass(RecordPass(order, number));
    };
  };
  Pipeline pipeline = {{"stage", KernelIrStage::kernel, [&](auto &passes, auto &, auto &, auto &) {
                          passes.addPass(RecordPass(order, 10));
                          passes.addPass(llvm::GlobalDCEPass());
                          passes.addPass(RecordPass(order, 20));
                        }}};
  insert(pipeline, "stage", {Where::last, {}, record(30)});
  insert(pipeline, "stage", {Where::after, llvm::GlobalDCEPass::name(), record(12)});
  insert(pipeline, "stage", {Where::before, llvm::GlobalDCEPass::name(), record(11)});
  insert(pipeline, "stage", {Where::after, llvm::GlobalDCEPass::name(), record(13)});
  insert(pipeline, "stage", {Where::first, {}, record(1)});
  auto remarks = run_pipeline(pipeline, *module_, *target_, options_, nullptr);
  ASSERT_TRUE(remarks) << remarks.error().message;
  EXPECT_THAT(order, ElementsAre(1, 10, 11, 12, 13, 20, 30));
}

TEST_F(PipelineTest, AnInsertionBesideAPassThatIsNotThereFails) {
  Pipeline pipeline = {{"stage", KernelIrStage::kernel, [](auto &, auto &, auto &, auto &) {}}};
  insert(pipeline, "stage",
         {InsertedPasses::Where::after, CountStoresPass::name(),
          [](auto &, auto &, auto &, auto &) {}});
  EXPECT_FALSE(run_pipeline(pipeline, *module_, *target_, options_, nullptr));
}

TEST_F(PipelineTest, StagesOfTheOtherFormAreSkipped) {
  std::vector<std::string> ran;
  StageListener listener;
  listener.after_stage = [&](std::string_view stage, std::string_view, bool, double) {
    ran.emplace_back(stage);
  };
  ASSERT_TRUE(run_pipeline(cpu_pipeline(), *module_, *target_, options_, &listener));
  EXPECT_THAT(ran, Contains("work-item-loops"));
  EXPECT_THAT(ran, testing::Not(Contains("coroutine")));
}

// Passes that are needed by few kernels do not run for the others.
TEST_F(PipelineTest, AnOrdinaryKernelNeedsFewPasses) {
  std::vector<std::string> ran;
  StageListener listener;
  listener.before_pass = [&](std::string_view pass) {
    const bool is_ours = pass.starts_with("lockstep::compiler::");
    const bool has_passes = pass.ends_with("OnKernel") || pass.find("When<") != pass.npos;
    if (is_ours && !has_passes)
      ran.emplace_back(pass);
  };
  options_.code.verify = false;
  ASSERT_TRUE(run_pipeline(cpu_pipeline(), *module_, *target_, options_, &listener));
  std::string names;
  for (const std::string &name : ran)
    names += name + '\n';
  EXPECT_LE(ran.size(), 55u) << names;
  EXPECT_THAT(ran, Contains("lockstep::compiler::PacketizePass"));
  EXPECT_THAT(ran, Contains("lockstep::compiler::WorkItemLoopsPass"));
}

} // namespace
} // namespace lockstep::compiler

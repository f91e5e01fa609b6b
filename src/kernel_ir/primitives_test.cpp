// Tests that declarations of primitives get their attribute, and that nothing else counts as one.
#include "kernel_ir/primitives.h"
#include "kernel_ir/verify_kernel_ir.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

class Primitives : public testing::Test {
protected:
  void read(const char *text) {
    llvm::SMDiagnostic diagnostic;
    module_ = llvm::parseAssemblyString(text, diagnostic, context_);
    ASSERT_TRUE(module_) << diagnostic.getMessage().str();
  }
  std::optional<Primitive> of(const char *name) const {
    return primitive_of(*module_->getFunction(name));
  }

  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
};

TEST_F(Primitives, AreDeclarationsWithTheirNames) {
  read(R"(declare i64 @__lockstep_local_id(i32)
          declare i64 @__lockstep_local_idle(i32)
          declare i64 @local_id(i32)
          define void @__lockstep_barrier(i32) { ret void })");
  set_primitives(*module_);
  EXPECT_EQ(of("__lockstep_local_id"), Primitive::local_id);
  EXPECT_EQ(of("__lockstep_local_idle"), std::nullopt);
  EXPECT_EQ(of("local_id"), std::nullopt);
  EXPECT_EQ(of("__lockstep_barrier"), std::nullopt);
}

TEST_F(Primitives, HaveATypeIfThereIsOneFunctionForEach) {
  read(R"(declare i32 @__lockstep_sub_group_reduce_i32(i32, i32, i32)
          declare double @__lockstep_sub_group_reduce_f64(i32, i32, double)
          declare i32 @__lockstep_sub_group_reduce(i32, i32, i32)
          declare i64 @__lockstep_lane_i64())");
  set_primitives(*module_);
  EXPECT_EQ(of("__lockstep_sub_group_reduce_i32"), Primitive::sub_group_reduce);
  EXPECT_EQ(of("__lockstep_sub_group_reduce_f64"), Primitive::sub_group_reduce);
  EXPECT_EQ(of("__lockstep_sub_group_reduce"), std::nullopt);
  EXPECT_EQ(of("__lockstep_lane_i64"), std::nullopt);
}

TEST_F(Primitives, AttributesOfTheProgramDoNotCount) {
  read(R"(declare void @f() "lockstep-primitive"="4711"
          declare i32 @__lockstep_work_dim() "lockstep-primitive"="0"
          define void @g() "lockstep-primitive"="0" { ret void })");
  set_primitives(*module_);
  EXPECT_EQ(of("f"), std::nullopt);
  EXPECT_EQ(of("__lockstep_work_dim"), Primitive::work_dim);
  EXPECT_EQ(of("g"), std::nullopt);
}

TEST_F(Primitives, AreDeclaredWithTheAttribute) {
  read("");
  auto *type = llvm::Type::getInt64Ty(context_);
  declare_primitive(*module_, Primitive::lane, type);
  EXPECT_EQ(of("__lockstep_lane"), Primitive::lane);
  EXPECT_EQ(declare_primitive(*module_, Primitive::lane, type).getCallee(),
            module_->getFunction("__lockstep_lane"));
}

TEST_F(Primitives, TheVerifierFindsADeclarationWithoutTheAttribute) {
  read("declare i64 @__lockstep_local_id(i32)");
  EXPECT_NE(verify_kernel_ir(*module_, KernelIrStage::kernel), "");
  set_primitives(*module_);
  EXPECT_EQ(verify_kernel_ir(*module_, KernelIrStage::kernel), "");
}

} // namespace
} // namespace lockstep::compiler

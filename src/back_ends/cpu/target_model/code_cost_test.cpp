// Tests the estimate of the code generator's work against values counted by hand.
#include "back_ends/cpu/target_model/code_cost.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <string>

namespace lockstep::compiler {
namespace {

CodeCost cost_of(const std::string &ir) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  auto module = llvm::parseAssemblyString(ir, error, context);
  EXPECT_TRUE(module) << error.getMessage().str();
  return module ? code_cost(*module, 512, 200'000'000) : CodeCost{};
}

// One value that is live from the entry through `blocks` more blocks.
std::string line_of_blocks(const std::string &type, int blocks) {
  std::string text =
      "define void @f(" + type + " %x, ptr %p) {\n  %v = add " + type + " %x, %x\n  br label %b0\n";
  for (int block = 0; block != blocks - 1; ++block)
    text += "b" + std::to_string(block) + ":\n  br label %b" + std::to_string(block + 1) + "\n";
  return text + "b" + std::to_string(blocks - 1) + ":\n  store " + type +
         " %v, ptr %p\n  ret void\n}\n";
}

TEST(CodeCost, IsTheSquareOfTheBlocksThatAValueLivesThrough) {
  EXPECT_EQ(cost_of(line_of_blocks("i32", 1)).crossings, 1u);
  EXPECT_EQ(cost_of(line_of_blocks("i32", 30)).crossings, 900u);
  EXPECT_EQ(cost_of(line_of_blocks("<16 x i32>", 30)).crossings, 900u);
}

TEST(CodeCost, CountsRegisters) {
  EXPECT_EQ(cost_of(line_of_blocks("<64 x i32>", 30)).crossings, 4u * 900);
  const uint64_t one = cost_of(line_of_blocks("i32", 3)).values;
  EXPECT_EQ(one, 6u * 3000); // the addition, the store, and the terminator of each block
  EXPECT_EQ(cost_of(line_of_blocks("<64 x i64>", 3)).values, one + 7 * 3000);
}

TEST(CodeCost, ALoopIsPartOfALifeAndAPhiEndsOne) {
  // %v is live through head and body, for the next iteration, and to the end: 3. %next ends at the
  // phi of the head, whose incoming block is the body, where %next is defined: 0. %phi is live into
  // the body: 1.
  EXPECT_EQ(cost_of(R"(
    define void @f(i32 %x, ptr %p) {
    entry:
      %v = add i32 %x, 1
      br label %head
    head:
      %phi = phi i32 [ 0, %entry ], [ %next, %body ]
      %more = icmp ult i32 %phi, %x
      br i1 %more, label %body, label %end
    body:
      %next = add i32 %phi, %v
      br label %head
    end:
      store i32 %v, ptr %p
      ret void
    })")
                .crossings,
            9u + 0 + 1);
}

TEST(CodeCost, StopsWhereItIsEnough) {
  const CodeCost cost = cost_of(line_of_blocks("i32", 20'000));
  EXPECT_EQ(cost.crossings, 400'000'000u);
  EXPECT_LT(cost.values, 20'000u * 3000);
}

} // namespace
} // namespace lockstep::compiler

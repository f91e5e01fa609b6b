#include "compiler/analysis/index_expressions.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

using namespace lockstep::compiler;

namespace {

// The expressions of the function @f of a module.
class Parsed {
public:
  explicit Parsed(const char *text) {
    llvm::SMDiagnostic error;
    module_ = llvm::parseAssemblyString(text, error, context_);
    EXPECT_TRUE(module_) << error.getMessage().str();
    function_ = module_->getFunction("f");
    dominators_ = std::make_unique<llvm::DominatorTree>(*function_);
    loops_ = std::make_unique<llvm::LoopInfo>(*dominators_);
    expressions_ = std::make_unique<IndexExpressions>(*function_, *loops_);
  }

  const llvm::Value &value(llvm::StringRef name) {
    for (llvm::Argument &argument : function_->args())
      if (argument.getName() == name)
        return argument;
    for (llvm::Instruction &instruction : llvm::instructions(*function_))
      if (instruction.getName() == name)
        return instruction;
    throw std::runtime_error(name.str());
  }
  const IndexExpression &of(const char *name, Depth depth = Depth::exact) {
    return expressions_->of(value(name), depth);
  }
  std::string text(const char *name, Depth depth = Depth::exact) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    of(name, depth).print(stream);
    return text;
  }
  std::optional<Induction> induction(const char *name) {
    return expressions_->induction(llvm::cast<llvm::PHINode>(value(name)));
  }
  llvm::Function &function() { return *function_; }

private:
  llvm::LLVMContext context_;
  std::unique_ptr<llvm::Module> module_;
  llvm::Function *function_ = nullptr;
  std::unique_ptr<llvm::DominatorTree> dominators_;
  std::unique_ptr<llvm::LoopInfo> loops_;
  std::unique_ptr<IndexExpressions> expressions_;
};

TEST(IndexExpressions, AddressesOfOneArrayDifferByConstants) {
  Parsed parsed(R"(
    define void @f(ptr %p, i64 %i, i64 %j) {
      %next = add i64 %i, 1
      %a = getelementptr i32, ptr %p, i64 %i
      %b = getelementptr i32, ptr %p, i64 %next
      %c = getelementptr i32, ptr %p, i64 %j
      ret void
    })");
  EXPECT_TRUE(parsed.of("b").differs_by_constant(parsed.of("a")));
  EXPECT_EQ(parsed.of("b").constant - parsed.of("a").constant, 4);
  EXPECT_FALSE(parsed.of("c").differs_by_constant(parsed.of("a")));
  const IndexExpression distance = difference(parsed.of("c"), parsed.of("a"));
  ASSERT_EQ(distance.terms.size(), 2U);
  EXPECT_EQ(distance.terms[0].coefficient + distance.terms[1].coefficient, 0);
}

TEST(IndexExpressions, ExtensionsAreSeenThroughOnlyIfExact) {
  Parsed parsed(R"(
    define void @f(i32 %i) {
      %wraps = add i32 %i, 1
      %keeps = add nsw i32 %i, 1
      %a = sext i32 %wraps to i64
      %b = sext i32 %keeps to i64
      %c = zext i32 %keeps to i64
      ret void
    })");
  EXPECT_EQ(parsed.text("a"), "sext %wraps");
  EXPECT_EQ(parsed.text("b"), "sext %i + 1");
  EXPECT_EQ(parsed.text("c"), "zext %keeps");
  EXPECT_EQ(parsed.text("a", Depth::estimate), "%i + 1");
}

TEST(IndexExpressions, ScalarsOfVectorsMayBeKept) {
  Parsed parsed(R"(
    define void @f(<2 x i32> %i, i64 %j) {
      %next = add nsw <2 x i32> %i, splat (i32 1)
      %wide = zext nneg <2 x i32> %next to <2 x i64>
      %sum = add i64 %j, 2
      %one = insertelement <2 x i64> poison, i64 %sum, i64 0
      %all = shufflevector <2 x i64> %one, <2 x i64> poison, <2 x i32> zeroinitializer
      %index = add <2 x i64> %wide, %all
      ret void
    })");
  EXPECT_EQ(parsed.text("index", Depth::vectors), "sext %next + %sum");
  EXPECT_EQ(parsed.text("index"), "sext %i + %j + 3");
}

TEST(IndexExpressions, ACoefficientThatDoesNotFitIsNotExact) {
  Parsed parsed(R"(
    define void @f(i32 %i) {
      %product = mul nuw i32 %i, 2147483649
      %a = zext i32 %product to i64
      ret void
    })");
  EXPECT_FALSE(parsed.of("product").no_unsigned_wrap);
  EXPECT_EQ(parsed.text("a"), "zext %product");
}

TEST(IndexExpressions, InductionVariables) {
  Parsed parsed(R"(
    define void @f(i64 %start, i64 %step, i64 %n) {
    entry:
      br label %loop
    loop:
      %i = phi i64 [ %start, %entry ], [ %next, %loop ]
      %twice = phi i64 [ 1, %entry ], [ %doubled, %loop ]
      %more = add i64 %i, %step
      %next = add i64 %more, 2
      %doubled = mul i64 %twice, 2
      %done = icmp uge i64 %next, %n
      br i1 %done, label %end, label %loop
    end:
      ret void
    })");
  const auto induction = parsed.induction("i");
  ASSERT_TRUE(induction);
  EXPECT_EQ(induction->start, &parsed.value("start"));
  EXPECT_EQ(induction->step.constant, 2);
  ASSERT_EQ(induction->step.terms.size(), 1U);
  EXPECT_EQ(induction->step.terms[0].symbol.value, &parsed.value("step"));
  EXPECT_FALSE(parsed.induction("twice"));
}

// A chain that is too long, or a cycle in code that never runs, ends in a symbol.
TEST(IndexExpressions, RecursionEnds) {
  Parsed parsed(R"(
    define void @f() {
      ret void
    never:
      %a = add i64 %b, 1
      %b = add i64 %a, 1
      br label %never
    })");
  EXPECT_LE(parsed.of("a").terms.size(), 2U);
}

TEST(IndexExpressions, AnEmittedSumHasTheExpressionOfItsValue) {
  Parsed parsed(R"(
    define void @f(<4 x i32> %rows, i64 %n, ptr %p) {
      %wide = sext <4 x i32> %rows to <4 x i64>
      %one = insertelement <4 x i64> poison, i64 %n, i64 0
      %all = shufflevector <4 x i64> %one, <4 x i64> poison, <4 x i32> zeroinitializer
      %minus = sub <4 x i64> %wide, %all
      %lanes = add <4 x i64> %minus, <i64 5, i64 7, i64 9, i64 11>
      ret void
    })");
  EXPECT_EQ(parsed.text("lanes"), "2 * lane + sext %rows + -1 * %n + 5");
  llvm::IRBuilder<> builder(parsed.function().getEntryBlock().getTerminator());
  llvm::Value *sum = emit_sum(builder, parsed.of("lanes"), 4, [](const IndexSymbol &symbol) {
    return const_cast<llvm::Value *>(symbol.value);
  });
  ASSERT_TRUE(sum);
  sum->setName("emitted");
  EXPECT_EQ(parsed.text("emitted"), parsed.text("lanes"));
}

} // namespace

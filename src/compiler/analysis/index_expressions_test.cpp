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

#include <random>

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

// tid = 16 * y + x, with x from 0 to 15.
TEST(IndexExpressions, RowsAndColumnsOfALinearId) {
  Parsed parsed(R"(
    declare i32 @id(i32)
    define void @f(i32 %n) {
      %x = call range(i32 0, 16) i32 @id(i32 0)
      %y = call range(i32 0, 8) i32 @id(i32 1)
      %rows = shl nuw nsw i32 %y, 4
      %tid = or disjoint i32 %rows, %x
      %row = lshr i32 %tid, 4
      %column = and i32 %tid, 15
      %pair = lshr i32 %tid, 3
      %first = and i32 %tid, -16
      %fourth = lshr i32 %tid, 2
      %rows.of.16 = and i32 %fourth, 28
      %odd = and i32 %tid, 1
      %next = add i32 %tid, 16
      %row.of.next = udiv i32 %next, 16
      ret void
    })");
  EXPECT_EQ(parsed.text("row"), "%y, nuw, nsw");
  EXPECT_EQ(parsed.text("column"), "%x, nuw, nsw");
  EXPECT_EQ(parsed.text("pair"), "%pair, nuw, nsw"); // x may be 8
  EXPECT_EQ(parsed.text("first"), "16 * %y, nuw, nsw");
  EXPECT_EQ(parsed.text("rows.of.16"), "4 * %y, nuw, nsw");
  EXPECT_EQ(parsed.text("odd"), "%odd, nuw, nsw");
  EXPECT_EQ(parsed.text("row.of.next"), "%y + 1, nuw, nsw");
}

TEST(IndexExpressions, RowsWhoseLengthIsNoPowerOfTwo) {
  Parsed parsed(R"(
    declare i32 @id(i32)
    define void @f(i32 %n) {
      %x = call range(i32 0, 48) i32 @id(i32 0)
      %y = call range(i32 0, 8) i32 @id(i32 1)
      %rows = mul nuw nsw i32 %y, 48
      %tid = add nuw nsw i32 %rows, %x
      %row = udiv i32 %tid, 48
      %column = urem i32 %tid, 48
      %signed.row = sdiv i32 %tid, 48
      %half = udiv i32 %tid, 24
      %may.wrap = mul i32 %n, 48
      %sum = add i32 %may.wrap, %x
      %n.again = udiv i32 %sum, 48
      ret void
    })");
  EXPECT_EQ(parsed.text("row"), "%y, nuw, nsw");
  EXPECT_EQ(parsed.text("column"), "%x, nuw, nsw");
  EXPECT_EQ(parsed.text("signed.row"), "%y, nuw, nsw");
  EXPECT_EQ(parsed.text("half"), "%half, nuw, nsw");
  EXPECT_EQ(parsed.text("n.again"), "%n.again, nuw, nsw");
}

// A mask does not need an exact sum, a shift does.
TEST(IndexExpressions, PartsOfSumsThatMayWrap) {
  Parsed parsed(R"(
    declare i32 @id(i32)
    define void @f(i32 %n, i64 %m) {
      %x = call range(i32 0, 16) i32 @id(i32 0)
      %rows = shl i32 %n, 4
      %sum = add i32 %rows, %x
      %low = and i32 %sum, 15
      %high = lshr i32 %sum, 4
      %minus = sub i32 %x, %rows
      %low.minus = and i32 %minus, 15
      %top = and i32 %sum, -2147483648
      %up = shl i64 %m, 32
      %down = ashr i64 %up, 32
      %part = and i64 %m, 4294967295
      %ring = and i64 %m, 15
      %down.16 = lshr i64 %up, 16
      ret void
    })");
  EXPECT_EQ(parsed.text("low"), "%x, nuw, nsw");
  EXPECT_EQ(parsed.text("low.minus"), "%x, nuw, nsw");
  EXPECT_EQ(parsed.text("high"), "%high, nuw, nsw");
  EXPECT_EQ(parsed.text("top"), "%top, nuw, nsw");
  EXPECT_EQ(parsed.text("down"), "%down");
  EXPECT_EQ(parsed.text("down", Depth::address), "%m");
  EXPECT_EQ(parsed.text("part"), "%part");
  EXPECT_EQ(parsed.text("part", Depth::address), "%m");
  EXPECT_EQ(parsed.text("ring", Depth::estimate), "%ring");
  EXPECT_EQ(parsed.text("down.16", Depth::address), "65536 * %m");
}

// 3 * i - 1 >> 1 is rounded down, also where it is negative.
TEST(IndexExpressions, ShiftsOfSignedSumsRoundDown) {
  Parsed parsed(R"(
    define void @f(i32 %i, i1 %bit) {
      %twice = shl nsw i32 %i, 1
      %odd = add nsw i32 %twice, -1
      %half = ashr i32 %odd, 1
      %wide = sext i32 %half to i64
      %quotient = sdiv i32 %odd, 2
      ret void
    })");
  EXPECT_EQ(parsed.text("half"), "%i + -1, nsw");
  EXPECT_EQ(parsed.text("wide"), "sext %i + -1");
  EXPECT_EQ(parsed.text("quotient"), "%quotient, nuw, nsw"); // rounds towards zero
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

// Random arithmetic on two ids of 8 bits: the expression, and what it says of wrapping, must hold for
// all ids. A step has the flags nuw and nsw if they are right for all ids.
class RandomArithmetic {
public:
  explicit RandomArithmetic(unsigned seed) : random_(seed) {
    const unsigned limits[] = {1 + unsigned(random_() % 24), 1 + unsigned(random_() % 24)};
    text_ = "declare i8 @id(i32)\ndefine void @f() {\n";
    for (unsigned id = 0; id != 2; ++id)
      text_ += "%v" + std::to_string(id) + " = call range(i8 0, " + std::to_string(limits[id]) +
               ") i8 @id(i32 " + std::to_string(id) + ")\n";
    values_.resize(2);
    for (unsigned x = 0; x != limits[0]; ++x)
      for (unsigned y = 0; y != limits[1]; ++y) {
        values_[0].emplace_back(8, x);
        values_[1].emplace_back(8, y);
      }
    for (unsigned count = 0; count != 10; ++count)
      add_step();
    text_ += "ret void }";
  }
  const std::string &text() const { return text_; }
  size_t count() const { return values_.size(); }
  const std::vector<llvm::APInt> &values(size_t number) const { return values_[number]; }

private:
  void add_step() {
    const size_t one = random_() % values_.size(), other = random_() % values_.size();
    static constexpr const char *names[] = {"add", "sub",  "mul",  "shl",  "lshr", "ashr",
                                            "and", "udiv", "urem", "sdiv", "srem"};
    const unsigned operation = random_() % std::size(names);
    const bool is_shift = operation >= 3 && operation <= 5, is_constant = operation >= 2;
    const unsigned mask = (0xffU << random_() % 6) & (0xffU >> random_() % 6);
    unsigned number = is_shift         ? random_() % 5
                      : operation == 6 ? (mask ? mask : 1)
                                       : 1 + random_() % 20;
    const llvm::APInt constant(8, number);
    std::vector<llvm::APInt> results;
    bool nuw = true, nsw = true;
    for (size_t index = 0; index != values_[one].size(); ++index) {
      const llvm::APInt &a = values_[one][index],
                        &b = is_constant ? constant : values_[other][index];
      bool wraps = false, wraps_signed = false;
      switch (operation) {
      case 0:
        results.push_back(a + b), (void)a.uadd_ov(b, wraps), (void)a.sadd_ov(b, wraps_signed);
        break;
      case 1:
        results.push_back(a - b), (void)a.usub_ov(b, wraps), (void)a.ssub_ov(b, wraps_signed);
        break;
      case 2:
        results.push_back(a * b), (void)a.umul_ov(b, wraps), (void)a.smul_ov(b, wraps_signed);
        break;
      case 3:
        results.push_back(a.shl(b)), (void)a.ushl_ov(b, wraps), (void)a.sshl_ov(b, wraps_signed);
        break;
      case 4:
        results.push_back(a.lshr(b));
        break;
      case 5:
        results.push_back(a.ashr(b));
        break;
      case 6:
        results.push_back(a & b);
        break;
      case 7:
        results.push_back(a.udiv(b));
        break;
      case 8:
        results.push_back(a.urem(b));
        break;
      case 9:
        results.push_back(a.sdiv(b));
        break;
      default:
        results.push_back(a.srem(b));
        break;
      }
      nuw &= !wraps;
      nsw &= !wraps_signed;
    }
    const bool has_flags = operation <= 3;
    text_ += "%v" + std::to_string(values_.size()) + " = " + names[operation] +
             (has_flags && nuw ? " nuw" : "") + (has_flags && nsw ? " nsw" : "") + " i8 %v" +
             std::to_string(one) + ", " +
             (is_constant ? std::to_string(number) : "%v" + std::to_string(other)) + "\n";
    values_.push_back(std::move(results));
  }

  std::minstd_rand random_;
  std::string text_;
  std::vector<std::vector<llvm::APInt>> values_; // of each value, for all ids
};

TEST(IndexExpressions, RandomArithmeticHasItsValue) {
  unsigned decomposed = 0;
  for (unsigned seed = 1; seed != 2000; ++seed) {
    const RandomArithmetic arithmetic(seed);
    Parsed parsed(arithmetic.text().c_str());
    auto number_of = [](const llvm::Value &value) {
      return size_t(std::stoul(value.getName().drop_front().str()));
    };
    for (size_t value = 2; value != arithmetic.count(); ++value) {
      const IndexExpression &expression = parsed.of(("v" + std::to_string(value)).c_str());
      decomposed +=
          expression.terms.empty() || number_of(*expression.terms[0].symbol.value) != value;
      for (size_t index = 0; index != arithmetic.values(value).size(); ++index) {
        int64_t of_unsigned = expression.constant, of_signed = expression.constant;
        for (const IndexExpression::Term &term : expression.terms) {
          ASSERT_EQ(term.symbol.extension, Extension::none);
          const llvm::APInt &symbol = arithmetic.values(number_of(*term.symbol.value))[index];
          of_unsigned += term.coefficient * int64_t(symbol.getZExtValue());
          of_signed += term.coefficient * symbol.getSExtValue();
        }
        const llvm::APInt &wanted = arithmetic.values(value)[index];
        ASSERT_EQ(uint8_t(of_unsigned), wanted.getZExtValue()) << "value " << value << " of\n"
                                                               << arithmetic.text();
        if (expression.no_unsigned_wrap)
          ASSERT_EQ(of_unsigned, int64_t(wanted.getZExtValue())) << "value " << value << " of\n"
                                                                 << arithmetic.text();
        if (expression.no_signed_wrap)
          ASSERT_EQ(of_signed, wanted.getSExtValue()) << "value " << value << " of\n"
                                                      << arithmetic.text();
      }
    }
  }
  EXPECT_GT(decomposed, 6000U);
}

} // namespace

#include "compiler/checks/expressions/item_values.h"

#include "kernel_ir/primitives.h"
#include "kernel_ir/specialization_attributes.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <random>

using namespace lockstep::compiler;

namespace {

constexpr uint32_t width = 4, height = 3;

uint64_t low_bits(uint64_t value, unsigned bits) {
  return value & llvm::maskTrailingOnes<uint64_t>(bits);
}

// A loop that computes an address from two ids, the arguments %v2 and %v3, and the loop's variable
// %v4, which begins at `start` and changes by `(%v4 & mask) + step`.
class RandomAddress {
public:
  explicit RandomAddress(unsigned seed) : random_(seed) {
    phi_bits_ = random_() % 2 ? 32 : 64;
    mask_ = random_() % 3 ? ~uint64_t{0} : llvm::maskTrailingOnes<uint64_t>(4 + random_() % 28);
    step_ = random_() % 40;
    start_ = random_() % 2; // of the values
    bits_ = {64, 64, 32, 64, phi_bits_};
    const std::string type = "i" + std::to_string(phi_bits_);
    text_ = "declare i64 @__lockstep_local_id(i32)\n"
            "define void @f(ptr %p, i32 %v2, i64 %v3, i1 %again) {\nentry:\n"
            "%v0 = call range(i64 0, 4) i64 @__lockstep_local_id(i32 0)\n"
            "%v1 = call range(i64 0, 3) i64 @__lockstep_local_id(i32 1)\n"
            "%narrow = trunc i64 %v" +
            std::to_string(start_) + " to i32\nbr label %loop\nloop:\n%v4 = phi " + type + " [ %" +
            (phi_bits_ == 32 ? "narrow" : "v" + std::to_string(start_)) +
            ", %entry ], [ %next, %loop ]\n";
    for (unsigned count = 0; count != 8; ++count)
      add_step();
    const bool is_masked = low_bits(mask_, phi_bits_) != low_bits(~uint64_t{0}, phi_bits_);
    if (is_masked)
      text_ += "%masked = and " + type + " %v4, " + std::to_string(mask_) + "\n";
    text_ += "%next = add " + type + (is_masked ? " %masked, " : " %v4, ") + std::to_string(step_) +
             "\n%address = getelementptr [3 x i32], ptr %p, i" + std::to_string(bits_.back()) +
             " %v" + std::to_string(bits_.size() - 1) + "\n" +
             "br i1 %again, label %loop, label %end\nend:\nret void\n}\n";
  }
  const std::string &text() const { return text_; }

  // The distance of the address from %p.
  uint64_t offset(uint64_t x, uint64_t y, uint64_t n, uint64_t m, unsigned iterations) const {
    std::vector<uint64_t> values = {x, y, low_bits(n, 32), m, start_ ? y : x};
    for (; iterations != 0; --iterations)
      values[4] = low_bits((values[4] & mask_) + step_, phi_bits_);
    for (const Step &step : steps_)
      values.push_back(low_bits(result(step, values), bits_[values.size()]));
    return uint64_t(llvm::SignExtend64(values.back(), bits_.back())) * 12;
  }

private:
  struct Step {
    unsigned operation;
    size_t one, other;
    uint64_t number;
  };
  static constexpr const char *names[] = {"add", "sub",   "mul",  "shl",
                                          "and", "trunc", "zext", "sext"};

  uint64_t result(const Step &step, const std::vector<uint64_t> &values) const {
    const uint64_t one = values[step.one], other = values[step.other];
    switch (step.operation) {
    case 0:
      return one + other;
    case 1:
      return one - other;
    case 2:
      return one * step.number;
    case 3:
      return one << step.number;
    case 4:
      return one & step.number;
    case 7:
      return uint64_t(llvm::SignExtend64(one, bits_[step.one]));
    default:
      return one;
    }
  }

  void add_step() {
    Step step{unsigned(random_() % 5), random_() % bits_.size(), random_() % bits_.size(), 0};
    unsigned bits = bits_[step.one];
    if (random_() % 3 == 0 || (step.operation < 2 && bits != bits_[step.other]))
      step.operation = bits == 64 ? 5 : 6 + random_() % 2;
    step.number = step.operation == 3   ? random_() % 6
                  : step.operation == 4 ? llvm::maskTrailingOnes<uint64_t>(1 + random_() % 31)
                                        : random_() % 100;
    const std::string from = "i" + std::to_string(bits) + " %v" + std::to_string(step.one);
    if (step.operation > 4)
      bits = 96 - bits; // the other of 32 and 64
    text_ += "%v" + std::to_string(bits_.size()) + " = " + names[step.operation] + " " + from;
    if (step.operation > 4)
      text_ += " to i" + std::to_string(bits);
    else
      text_ += step.operation < 2 ? ", %v" + std::to_string(step.other)
                                  : ", " + std::to_string(step.number);
    text_ += "\n";
    steps_.push_back(step);
    bits_.push_back(bits);
  }

  std::minstd_rand random_;
  std::string text_;
  unsigned phi_bits_;
  uint64_t mask_, step_, start_;
  std::vector<unsigned> bits_; // of each value
  std::vector<Step> steps_;    // from %v5 on
};

TEST(ItemValues, RandomAddressesDifferByMultiplesOfTheModulus) {
  unsigned useful = 0;
  std::minstd_rand random(1);
  for (unsigned seed = 1; seed != 3000; ++seed) {
    const RandomAddress address(seed);
    llvm::LLVMContext context;
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(address.text(), error, context);
    ASSERT_TRUE(module) << error.getMessage().str() << address.text();
    set_primitives(*module);
    llvm::Function &function = *module->getFunction("f");
    set_specialized_local_size(function, {width, height, 1});
    const llvm::DominatorTree dominators(function);
    const llvm::LoopInfo loops(dominators);
    ItemValues values(function, loops);
    const auto pointer = llvm::find_if(
        llvm::instructions(function), [](const auto &each) { return each.getName() == "address"; });
    const ItemValues::Offset *offset = values.offset_of(&*pointer);
    ASSERT_TRUE(offset) << address.text();
    useful += offset->modulus == 0 || offset->modulus > 64;
    for (unsigned item = 0; item != width * height; ++item)
      for (unsigned trial = 0; trial != 4; ++trial) {
        const auto [x, y, z] = values.id_of(item);
        const uint64_t n = random() * uint64_t(random()), m = random() * uint64_t(random());
        const auto difference =
            int64_t(address.offset(x, y, trial < 2 ? n % 100 : n, m, unsigned(random() % 20)) -
                    offset->column[item]);
        ASSERT_EQ(offset->modulus ? difference % int64_t(offset->modulus) : difference, 0)
            << "work-item " << item << ", modulus " << offset->modulus << "\n"
            << address.text();
      }
  }
  EXPECT_GT(useful, 1000U);
}

} // namespace

// Addresses as sums of products of what a launch knows and of ids: `4 * (64 * group + item) + 16`.
//
// Such a sum stands for a value of the kernel if nothing overflows, which only the launch can tell: each value has a list
// of what must fit. Quotients, and remainders by them, are numbers of their own, of which there is a list.
#pragma once

#include "compiler/suppositions.h"

#include "llvm/ADT/DenseMap.h"

#include <map>
#include <optional>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class LoadInst;
class Loop;
class LoopInfo;
class PHINode;
class SCEV;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class LaunchSums {
public:
  using Sum = std::map<std::vector<LaunchAtom>, int64_t>; // factors; none is 0
  struct Result {
    Sum sum;
    std::vector<FittingSum> fitting;
  };

  LaunchSums(llvm::Function &function, llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution)
      : function_(function), loops_(loops), evolution_(evolution) {}

  // Nothing: it is something else.
  std::optional<Result> of(const llvm::Value *value);
  // From the argument or variable that the pointer is of.
  std::optional<Result> offset_of(const llvm::Value *pointer);

  // The rounds of each loop that a sum counts; some may have fewer.
  const std::vector<LaunchSum> &counters() const { return counters_; }
  const std::vector<int64_t> &steps() const { return steps_; } // UnequalPlaces::steps
  bool are_bounds() const { return are_bounds_; }
  const llvm::Loop *loop_of(uint32_t counter) const;
  // Of a loop that is left at one place: exactly so many, if all of this fits.
  struct Rounds {
    LaunchSum sum; // divided by the step, rounded down
    int64_t step = 1;
    std::vector<FittingSum> fitting;
  };
  std::optional<Rounds> all_rounds_of(const llvm::Loop &loop); // whose exit is at its latch
  // By counter: the rounds of all loops that the sum counts, where they are not there yet, and what must fit for them. False: not all
  // are known.
  bool add_all_rounds(const LaunchSum &sum, std::vector<LaunchSum> &counters,
                      std::vector<int64_t> &steps, std::vector<FittingSum> &fitting);
  const std::vector<Division> &divisions() const { return divisions_; }

private:
  std::optional<Result> compute(const llvm::Value *value);
  std::optional<Result> of_instruction(const llvm::Instruction &instruction);
  std::optional<Result> of_shifted(const llvm::Instruction &instruction);
  std::optional<Result> of_division(const llvm::Instruction &instruction);
  struct Kind { // of a division
    unsigned bits;
    bool is_by_power_of_two = false;
  };
  std::optional<Result> quotient(const Result &dividend, const Result &divisor, Kind kind);
  std::optional<Result> remainder(const Result &dividend, const Result &divisor, Kind kind);
  std::optional<Result> of_call(const llvm::Instruction &call);
  std::optional<Result> of_image(const llvm::LoadInst &load);
  std::optional<Result> of_join(const llvm::PHINode &phi);
  std::optional<Result> of_loop_variable(const llvm::PHINode &phi, llvm::Loop &loop);
  LaunchSum rounds_of(llvm::Loop &loop, int64_t &step);
  std::optional<Rounds> rounds_below_bound(const llvm::Loop &loop);
  std::optional<Sum> bound_of(const llvm::SCEV *back, llvm::Loop &loop);
  std::optional<Sum> bound_from(const llvm::PHINode &phi, const llvm::SCEV *back, llvm::Loop &loop);
  // With a sign or without? Nothing: it may be entered otherwise.
  std::optional<bool> is_entered_below(llvm::Loop &loop, const Result &start,
                                       const llvm::SCEV *first, const llvm::SCEV *end);
  enum class Narrowing { none, lessens, lessens_unsigned };
  // `fitting`: what must fit, so that it is this sum exactly.
  std::optional<Sum> of_evolution(const llvm::SCEV *value, Narrowing narrowing = Narrowing::none,
                                  std::vector<FittingSum> *fitting = nullptr);

  llvm::Function &function_;
  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  llvm::DenseMap<const llvm::Value *, std::optional<Result>> known_;
  llvm::DenseMap<const llvm::Loop *, uint32_t> counter_of_;
  std::vector<LaunchSum> counters_;
  std::vector<int64_t> steps_;
  bool are_bounds_ = false;
  std::vector<Division> divisions_;
};

LaunchSum to_list(const LaunchSums::Sum &sum);
void append(std::vector<FittingSum> &all, const std::vector<FittingSum> &more); // each once

} // namespace lockstep::compiler

// Represents addresses as sums of products of launch parameters, ids and induction variables, such
// as `4 * (64 * group + item) + 16`. The index expressions decompose linear arithmetic; this adds
// products, quotients and loops.
//
// A sum equals the value of the kernel only if nothing overflows, which is known at launch. So each
// result has a list of sums that must fit into their widths. Quotients and remainders are not sums:
// each quotient is an atom of its own, listed in `divisions`.
#pragma once

#include "abi/assumptions.h"
#include "compiler/analysis/index_expressions.h"

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

class LaunchExpressions {
public:
  // product of atoms to its coefficient, which is not 0
  using Sum = std::map<std::vector<LaunchAtom>, int64_t>;
  struct Result {
    Sum sum;
    std::vector<FittingSum> fitting;
  };

  LaunchExpressions(llvm::Function &function, llvm::LoopInfo &loops,
                    llvm::ScalarEvolution &evolution)
      : function_(function), loops_(loops), evolution_(evolution), expressions_(function, loops) {}

  // Nullopt: the value is not such a sum.
  std::optional<Result> of(const llvm::Value *value);
  // The offset in bytes from the argument or variable that the pointer is based on.
  std::optional<Result> offset_of(const llvm::Value *pointer);

  // Trip count of each loop whose induction variable a sum contains. If `are_bounds`, some counts
  // are upper bounds.
  const std::vector<LaunchSum> &counters() const { return counters_; }
  const std::vector<int64_t> &steps() const { return steps_; } // DistinctAddresses::steps
  bool are_bounds() const { return are_bounds_; }
  const llvm::Loop *loop_of(uint32_t counter) const;
  // The exact trip count of a loop with one exit, valid if `fitting` holds.
  struct TripCount {
    LaunchSum sum; // must be divided by the step, rounded down
    int64_t step = 1;
    std::vector<FittingSum> fitting;
  };
  std::optional<TripCount>
  exact_trip_count_of(const llvm::Loop &loop); // The exit must be at the latch.
  // For each loop counter of `sum` that has no trip count in `counters` yet: adds the exact trip
  // count, the step and what must fit. Returns false if one of them is unknown.
  bool add_all_iterations(const LaunchSum &sum, std::vector<LaunchSum> &counters,
                          std::vector<int64_t> &steps, std::vector<FittingSum> &fitting);
  const std::vector<Division> &divisions() const { return divisions_; }

  // From now on, the variable of a loop that all work-items sweep through together is a counter
  // itself. No value may have been looked at before.
  void find_sweeps() { finds_sweeps_ = true; }
  const Sweep *sweep_of(uint32_t counter) const;

private:
  std::optional<Result> compute(const llvm::Value *value);
  std::optional<Result> of_sum(const IndexExpression &sum);
  std::optional<Result> of_instruction(const llvm::Instruction &instruction);
  std::optional<Result> of_shifted(const llvm::Instruction &instruction);
  std::optional<Result> of_division(const llvm::Instruction &instruction);
  struct Kind { // properties of a division
    unsigned bits;
    bool is_by_power_of_two = false;
  };
  std::optional<Result> quotient(const Result &dividend, const Result &divisor, Kind kind);
  std::optional<Result> remainder(const Result &dividend, const Result &divisor, Kind kind);
  std::optional<Result> of_call(const llvm::Instruction &call);
  std::optional<Result> of_image(const llvm::LoadInst &load);
  std::optional<Result> of_join(const llvm::PHINode &phi);
  std::optional<Result> of_loop_variable(const llvm::PHINode &phi, llvm::Loop &loop);
  // Returns nullopt if the phi is no variable of a sweep.
  std::optional<Sweep> find_sweep(const llvm::PHINode &phi, llvm::Loop &loop);
  LaunchSum trip_count_of(llvm::Loop &loop, int64_t &step);
  std::optional<TripCount> trip_count_below_bound(const llvm::Loop &loop);
  std::optional<Sum> bound_of(const llvm::SCEV *back, llvm::Loop &loop);
  std::optional<Sum> bound_from(const llvm::PHINode &phi, const llvm::SCEV *back, llvm::Loop &loop);
  // Returns whether `first < end` holds at loop entry in signed (true) or unsigned (false)
  // comparison; nullopt if neither is proven.
  std::optional<bool> is_entered_below(llvm::Loop &loop, const Result &start,
                                       const llvm::SCEV *first, const llvm::SCEV *end);
  enum class Narrowing { none, decreases, decreases_unsigned };
  // If `fitting` is given, it receives the conditions under which the sum is exact.
  std::optional<Sum> of_evolution(const llvm::SCEV *value, Narrowing narrowing = Narrowing::none,
                                  std::vector<FittingSum> *fitting = nullptr);

  llvm::Function &function_;
  llvm::LoopInfo &loops_;
  llvm::ScalarEvolution &evolution_;
  IndexExpressions expressions_;
  llvm::DenseMap<const llvm::Value *, std::optional<Result>> known_;
  llvm::DenseMap<const llvm::Loop *, uint32_t> counter_of_;
  std::vector<LaunchSum> counters_;
  std::vector<int64_t> steps_;
  bool are_bounds_ = false;
  bool finds_sweeps_ = false;
  std::map<const llvm::Loop *, std::pair<const llvm::PHINode *, Sweep>> sweeps_;
  std::vector<Division> divisions_;
};

LaunchSum to_list(const LaunchExpressions::Sum &sum);
// without duplicates
void append(std::vector<FittingSum> &all, const std::vector<FittingSum> &more);

} // namespace lockstep::compiler

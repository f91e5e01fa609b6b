#include "compiler/checks/bounds/in_bounds_accesses.h"

#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/assumption_metadata.h"
#include "compiler/checks/expressions/access_guards.h"

#include "llvm/IR/Argument.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// The first 23 have a number each; the others share the last number.
constexpr size_t most_numbers = 24;
constexpr llvm::StringLiteral in_bounds_name = "lockstep.check.inside";

} // namespace

InBoundsAccesses::InBoundsAccesses(llvm::Function &function, const llvm::DominatorTree &dominators,
                                   llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
                                   uint64_t failed)
    : dominators_(dominators), sums_(function, loops, evolution), failed_(failed) {}

bool InBoundsAccesses::add_iterations(const LaunchSum &sum, DistinctAddresses &places) {
  return sums_.add_all_iterations(sum, places.counters, places.steps, places.fitting);
}

// Adds the trip counts that the offset and its preconditions need; `fitting` may grow meanwhile. A
// guard or quotient with an unknown trip count has no effect.
bool InBoundsAccesses::add_all_iterations(DistinctAddresses &places) {
  if (!add_iterations(places.places.front().offset, places))
    return false;
  for (const Division &each : places.divisions) {
    add_iterations(each.dividend, places);
    add_iterations(each.divisor, places);
  }
  for (const Guard &guard : places.guards) {
    add_iterations(guard.sum, places);
    for (const FittingSum &each : guard.fitting)
      add_iterations(each.sum, places);
  }
  for (size_t i = 0; i != places.fitting.size(); ++i)
    if (const LaunchSum sum = places.fitting[i].sum; !add_iterations(sum, places))
      return false;
  return true;
}

bool InBoundsAccesses::has(const llvm::Instruction &access, const llvm::Value &pointer,
                           const llvm::Value &base, uint64_t bytes, uint64_t size_of_variable) {
  auto *argument = llvm::dyn_cast<llvm::Argument>(&base);
  if ((!argument && size_of_variable == 0) || found_.size() == limits::compared_accesses)
    return false;
  auto offset = sums_.offset_of(&pointer);
  if (!offset)
    return false;
  InBoundsAccess in_bounds{static_cast<int64_t>(size_of_variable), {}};
  DistinctAddresses &places = in_bounds.places;
  places.argument = argument ? static_cast<int64_t>(argument->getArgNo()) : -1;
  places.fitting = std::move(offset->fitting);
  places.places.push_back({to_list(offset->sum), static_cast<int64_t>(bytes)});
  places.guards = guards_of(access, dominators_, sums_, GuardedEnds::both);
  places.divisions = sums_.divisions(); // Read after the guards, which may add divisions.
  if (!add_all_iterations(places))
    return false;
  // Numbers do not depend on which assumptions failed.
  const auto same = std::find_if(found_.begin(), found_.end(), [&](InBoundsAccess &each) {
    places.number = each.places.number;
    return each == in_bounds;
  });
  if (same == found_.end()) {
    places.number =
        most_assumptions - 1 - static_cast<uint32_t>(std::min(found_.size(), most_numbers - 1));
    found_.push_back(in_bounds);
  }
  return !(failed_ >> places.number & 1);
}

void assume_in_bounds(llvm::Module &module, const std::vector<InBoundsAccess> &in_bounds) {
  set_assumptions(module, in_bounds_name, {.in_bounds = in_bounds});
}

std::vector<InBoundsAccess> assumed_in_bounds(const llvm::Module &module) {
  return assumptions_in(module, in_bounds_name).in_bounds;
}

} // namespace lockstep::compiler

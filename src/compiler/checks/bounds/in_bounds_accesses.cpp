#include "compiler/checks/bounds/in_bounds_accesses.h"

#include "compiler/checks/common/assumption_metadata.h"
#include "compiler/checks/expressions/access_guards.h"

#include "llvm/IR/Argument.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// The first 23 have a number each; the others share the last number.
constexpr size_t most_numbers = 24, most_places = 256;
constexpr llvm::StringLiteral inside_name = "lockstep.check.inside";

} // namespace

InBoundsAccesses::InBoundsAccesses(llvm::Function &function, const llvm::DominatorTree &dominators,
                                   llvm::LoopInfo &loops, llvm::ScalarEvolution &evolution,
                                   uint64_t refused)
    : dominators_(dominators), sums_(function, loops, evolution), refused_(refused) {}

bool InBoundsAccesses::add_rounds(const LaunchSum &sum, UnequalPlaces &places) {
  return sums_.add_all_rounds(sum, places.counters, places.steps, places.fitting);
}

// Adds the trip counts that the offset and its preconditions need; `fitting` may grow meanwhile. A
// guard or quotient with an unknown trip count has no effect.
bool InBoundsAccesses::add_all_rounds(UnequalPlaces &places) {
  if (!add_rounds(places.places.front().offset, places))
    return false;
  for (const Division &each : places.divisions) {
    add_rounds(each.dividend, places);
    add_rounds(each.divisor, places);
  }
  for (const Guard &guard : places.guards) {
    add_rounds(guard.sum, places);
    for (const FittingSum &each : guard.fitting)
      add_rounds(each.sum, places);
  }
  for (size_t i = 0; i != places.fitting.size(); ++i)
    if (const LaunchSum sum = places.fitting[i].sum; !add_rounds(sum, places))
      return false;
  return true;
}

bool InBoundsAccesses::has(const llvm::Instruction &access, const llvm::Value &pointer,
                           const llvm::Value &base, uint64_t bytes, uint64_t size_of_variable) {
  auto *argument = llvm::dyn_cast<llvm::Argument>(&base);
  if ((!argument && size_of_variable == 0) || found_.size() == most_places)
    return false;
  auto offset = sums_.offset_of(&pointer);
  if (!offset)
    return false;
  InsidePlaces inside{static_cast<int64_t>(size_of_variable), {}};
  UnequalPlaces &places = inside.places;
  places.argument = argument ? static_cast<int64_t>(argument->getArgNo()) : -1;
  places.fitting = std::move(offset->fitting);
  places.places.push_back({to_list(offset->sum), static_cast<int64_t>(bytes)});
  places.guards = guards_of(access, dominators_, sums_, GuardedEnds::both);
  places.divisions = sums_.divisions(); // Read after the guards, which may add divisions.
  if (!add_all_rounds(places))
    return false;
  // Numbers do not depend on which assumptions failed.
  const auto same = std::find_if(found_.begin(), found_.end(), [&](InsidePlaces &each) {
    places.number = each.places.number;
    return each == inside;
  });
  if (same == found_.end()) {
    places.number =
        most_assumptions - 1 - static_cast<uint32_t>(std::min(found_.size(), most_numbers - 1));
    found_.push_back(inside);
  }
  return !(refused_ >> places.number & 1);
}

void assume_inside(llvm::Module &module, const std::vector<InsidePlaces> &inside) {
  set_assumptions(module, inside_name, {.inside = inside});
}

std::vector<InsidePlaces> assumed_inside(const llvm::Module &module) {
  return assumptions_in(module, inside_name).inside;
}

} // namespace lockstep::compiler

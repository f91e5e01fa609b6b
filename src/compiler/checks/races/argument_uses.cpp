// Computes, for each pointer argument, which accesses use it and which bytes they reach. The launch
// uses this to find out whether two arguments overlap.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/races/disjoint_accesses.h"

#include "compiler/checks/expressions/access_guards.h"
#include "compiler/checks/expressions/launch_expressions.h"

#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <map>

namespace lockstep::compiler {

namespace {

bool is_sum_of_ids(const LaunchExpressions::Sum &sum) {
  return std::none_of(sum.begin(), sum.end(), [](const auto &term) {
    return std::count_if(term.first.begin(), term.first.end(),
                         [](const LaunchAtom &atom) { return atom.differs(); }) > 1;
  });
}

void add_new(std::vector<FittingSum> &all, const std::vector<FittingSum> &more) {
  for (const FittingSum &each : more)
    if (!llvm::is_contained(all, each))
      all.push_back(each);
}

} // namespace

// Addresses that differ by a constant are merged into one range, including the bytes between them.
DistinctAddresses DisjointAccesses::reach_of(const Some &accesses) const {
  struct Bytes {
    int64_t begin, end;
  };
  std::map<LaunchExpressions::Sum, Bytes> places;
  DistinctAddresses reach;
  if (accesses.empty() || accesses.size() > limits::compared_accesses * limits::search_depth)
    return {};
  for (const SharedAccess *each : accesses) {
    auto offset = sums_->offset_of(each->pointer);
    if (!offset || each->size == 0 || !is_sum_of_ids(offset->sum))
      return {};
    const auto constant = offset->sum.extract(std::vector<LaunchAtom>());
    const int64_t begin = constant.empty() ? 0 : constant.mapped(),
                  end = begin + static_cast<int64_t>(each->size);
    auto [place, is_new] = places.try_emplace(std::move(offset->sum), begin, end);
    place->second.begin = std::min(place->second.begin, begin);
    place->second.end = std::max(place->second.end, end);
    add_new(reach.fitting, offset->fitting);
    if (places.size() > 2 * limits::sum_terms || reach.fitting.size() > 2 * limits::sum_terms)
      return {};
  }
  for (const auto &[sum, bytes] : places) {
    LaunchSum offset = to_list(sum);
    if (bytes.begin)
      offset.push_back({bytes.begin, {}});
    reach.places.push_back({std::move(offset), bytes.end - bytes.begin});
  }
  reach.counters = sums_->counters();
  reach.steps = sums_->steps();
  reach.divisions = sums_->divisions();
  reach.guards = common_guards(accesses);
  return reach;
}

} // namespace lockstep::compiler

// Finds sides of async copies that need no comparison. Their memory is only read; or one copy per
// work-group writes disjoint ranges of global memory; or copies to and from local memory that are
// in progress at the same time access disjoint ranges.
#include "compiler/checks/races/disjoint_accesses.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/checks/common/reachability.h"
#include "compiler/checks/expressions/launch_expressions.h"
#include "compiler/checks/races/copy_events.h"
#include "kernel_ir/primitives.h"

#include "abi/address_spaces.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// Uniform in the work-group, and the same each time it is computed.
bool is_same_in_group(const LaunchExpressions::Sum &sum) {
  return std::none_of(sum.begin(), sum.end(), [](const auto &term) {
    return std::any_of(term.first.begin(), term.first.end(), [](const LaunchAtom &each) {
      return each.differs() && each.number != LaunchNumber::group_id;
    });
  });
}

// Appends -1 times the sum; false: a factor overflows.
bool subtract(LaunchSum &from, const LaunchSum &sum) {
  for (LaunchTerm term : sum) {
    if (__builtin_sub_overflow(0, term.factor, &term.factor))
      return false;
    from.push_back(std::move(term));
  }
  return true;
}

// The product of each term with each; nullopt: a factor overflows.
std::optional<LaunchSum> product(const LaunchSum &one, const LaunchSum &other) {
  LaunchSum all;
  for (const LaunchTerm &first : one)
    for (const LaunchTerm &second : other) {
      LaunchTerm both{0, first.atoms};
      if (__builtin_mul_overflow(first.factor, second.factor, &both.factor))
        return std::nullopt;
      both.atoms.insert(both.atoms.end(), second.atoms.begin(), second.atoms.end());
      std::sort(both.atoms.begin(), both.atoms.end());
      all.push_back(std::move(both));
    }
  return all;
}

} // namespace

void DisjointAccesses::look_at_copies(const ByObject &global, const ByObject &local) {
  for (const auto &[object, copies] : kernel_.copies) {
    if (member_of(*object) || (llvm::isa<llvm::Argument>(object) &&
                               object->getType()->getPointerAddressSpace() == global_space))
      look_at_global_copies(*object, copies, global.lookup(object));
    else if (!in_local_.any())
      look_at_local_copies(copies, local.lookup(object));
  }
}

void DisjointAccesses::look_at_global_copies(const llvm::Value &object,
                                             const llvm::SmallVector<GroupCopy> &copies,
                                             const Some &accesses) {
  const bool is_written = kernel_.copied_to.contains(&object);
  if (accesses.empty()) {
    const auto place = argument_pointer(object);
    number_of_use_[&object] = next_number_++;
    assumptions_.arguments.push_back(
        {place->argument, is_written, false, place->byte, number_of_use_[&object]});
  }
  if (!is_written && !in_global_.writes && none_writes(accesses)) {
    if (has_failed(number_of_use_[&object]) || may_reach_variables(&object, /*is_read_only=*/true))
      return;
    only_read_.insert(&object);
    assumptions_.are_disjoint = true;
  } else if (is_written && accesses.empty() && copies.size() == 1 && !in_global_.any() &&
             are_unequal(object, copies.front()) && !has_failed(number_of_use_[&object]) &&
             !may_reach_variables(&object, /*is_read_only=*/false)) {
    disjoint_copies_.insert({copies.front().instruction, copies.front().writes});
    assumptions_.are_disjoint = true;
  }
}

std::optional<DisjointAccesses::Copied> DisjointAccesses::copied(const GroupCopy &copy) const {
  const auto &call = *llvm::cast<llvm::CallInst>(copy.instruction);
  auto *element = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(5));
  if (called_primitive(call) != Primitive::group_copy || !element)
    return std::nullopt;
  const unsigned side = copy.writes ? 0 : 1;
  Copied result;
  result.size = element->getSExtValue();
  auto begin = sums_->offset_of(call.getArgOperand(side)), count = sums_->of(call.getArgOperand(2)),
       stride = sums_->of(call.getArgOperand(3 + side));
  if (!begin || !count || !stride || !is_same_in_group(begin->sum) ||
      !is_same_in_group(count->sum) || !is_same_in_group(stride->sum))
    return std::nullopt;
  for (const auto *part : {&*begin, &*count, &*stride})
    result.fitting.insert(result.fitting.end(), part->fitting.begin(), part->fitting.end());
  result.begin = to_list(begin->sum);
  result.count = to_list(count->sum);
  result.stride = to_list(stride->sum);
  for (LaunchTerm &term : result.stride)
    if (__builtin_mul_overflow(term.factor, result.size, &term.factor))
      return std::nullopt;
  return result;
}

// Each work-group makes the copy once, and each of its elements counts as an access.
bool DisjointAccesses::are_unequal(const llvm::Value &object, const GroupCopy &copy) {
  const auto what = copied(copy);
  if (!what || loops_.getLoopFor(copy.instruction->getParent()))
    return false;
  DistinctAddresses unequal;
  unequal.number = next_number_++;
  if (has_failed(unequal.number))
    return false;
  if (const auto place = argument_pointer(object); place->byte < 0)
    unequal.argument = place->argument;
  unequal.is_of_one_item = true;
  unequal.fitting = what->fitting;
  unequal.counters = sums_->counters();
  unequal.steps = sums_->steps();
  const LaunchAtom element{LaunchNumber::counter, static_cast<uint32_t>(unequal.counters.size()),
                           0};
  unequal.counters.push_back(what->count);
  unequal.steps.push_back(1);
  LaunchSum offset = what->begin;
  for (LaunchTerm term : what->stride) {
    term.atoms.push_back(element); // the highest atom in their order
    offset.push_back(std::move(term));
  }
  unequal.places.push_back({std::move(offset), what->size});
  assumptions_.unequal.push_back(std::move(unequal));
  return true;
}

// Work-items' accesses are disjoint from copies, by waits and barriers; otherwise they are
// compared, and so are the copies.
void DisjointAccesses::look_at_local_copies(const llvm::SmallVector<GroupCopy> &copies,
                                            const Some &accesses) {
  if (!std::all_of(accesses.begin(), accesses.end(), [this](const SharedAccess *each) {
        return disjoint_.contains({each->instruction, each->pointer});
      }))
    return;
  std::vector<DisjointRanges> ranges;
  bool are_disjoint = true; // all pairs are examined, so that each gets its number
  for (size_t one = 0; one != copies.size(); ++one)
    for (size_t other = one; other != copies.size(); ++other)
      are_disjoint &= are_separated_by_waits(copies[one], copies[other]) ||
                      are_beside(copies[one], copies[other], ranges);
  if (!are_disjoint)
    return;
  assumptions_.ranges.insert(assumptions_.ranges.end(), ranges.begin(), ranges.end());
  for (const GroupCopy &each : copies)
    disjoint_copies_.insert({each.instruction, each.writes});
}

bool DisjointAccesses::are_separated_by_waits(const GroupCopy &one, const GroupCopy &other) const {
  if (!one.writes && !other.writes)
    return true;
  auto is_reached = [this](const GroupCopy &from, const GroupCopy &to) {
    llvm::DenseSet<const llvm::Instruction *> waits;
    for (const llvm::Instruction *wait : kernel_.waits)
      if (waits_for(*wait, *from.instruction))
        waits.insert(wait);
    bool reached = false;
    visit_until(from.instruction->getNextNode(), waits,
                [&](const llvm::Instruction &next) { reached |= &next == to.instruction; });
    return reached;
  };
  return !is_reached(one, other) && !is_reached(other, one);
}

bool DisjointAccesses::are_beside(const GroupCopy &one, const GroupCopy &other,
                                  std::vector<DisjointRanges> &ranges) {
  if (one.instruction == other.instruction)
    return false; // two executions have different numbers
  auto first = copied(one), second = copied(other);
  if (!first || !second)
    return false;
  DisjointRanges separate{.number = next_number_++};
  if (has_failed(separate.number))
    return false;
  separate.distance = second->begin;
  auto first_bytes = product(first->stride, first->count),
       second_bytes = product(second->stride, second->count);
  if (!first_bytes || !second_bytes || !subtract(separate.distance, first->begin))
    return false;
  separate.first = std::move(*first_bytes);
  separate.second = std::move(*second_bytes);
  separate.fitting = first->fitting;
  separate.fitting.insert(separate.fitting.end(), second->fitting.begin(), second->fitting.end());
  ranges.push_back(std::move(separate));
  return true;
}

} // namespace lockstep::compiler

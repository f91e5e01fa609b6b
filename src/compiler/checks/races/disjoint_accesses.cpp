#include "compiler/checks/races/disjoint_accesses.h"

#include "compiler/analysis/argument_members.h"
#include "compiler/checks/expressions/access_guards.h"
#include "compiler/checks/expressions/item_values.h"
#include "compiler/checks/expressions/launch_expressions.h"
#include "compiler/checks/races/exchanged_pairs.h"

#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>

namespace lockstep::compiler {

namespace {

// Substitutes the local ids of one work-item; false: a factor overflows.
bool substitute_ids(LaunchSum &sum, std::array<uint64_t, 3> ids) {
  LaunchSum result;
  for (const LaunchTerm &term : sum) {
    LaunchTerm known{term.factor, {}};
    for (const LaunchAtom &atom : term.atoms)
      if (atom.number != LaunchNumber::local_id)
        known.atoms.push_back(atom);
      else if (__builtin_mul_overflow(known.factor, static_cast<int64_t>(ids[atom.index]),
                                      &known.factor))
        return false;
    if (known.factor)
      result.push_back(std::move(known));
  }
  sum = std::move(result);
  return true;
}

} // namespace

bool DisjointAccesses::none_writes(const Some &accesses) {
  return llvm::none_of(accesses, [](const SharedAccess *each) { return each->writes; });
}

bool DisjointAccesses::all_reach_each_other(llvm::ArrayRef<const SharedAccess *> accesses) {
  return llvm::all_of(accesses,
                      [](const SharedAccess *each) { return each->is_atomic && !each->is_narrow; });
}

DisjointAccesses::DisjointAccesses(Kernel kernel, const Analyses &analyses)
    : kernel_(std::move(kernel)), dominators_(analyses.dominators), loops_(analyses.loops) {
  ItemValues items(kernel_.function, analyses.loops);
  LaunchExpressions sums(kernel_.function, analyses.loops, analyses.evolution);
  items_ = &items;
  sums_ = &sums;
  ByObject global, local;
  Some unknown;
  if (kernel_.copies_anything) {
    in_global_.add(true);
    in_local_.add(true);
  }
  for (const SharedAccess &access : kernel_.accesses) {
    if (access.object) {
      (access.is_local ? local : global)[access.object].push_back(&access);
      if (!access.is_local && !llvm::isa<llvm::Argument>(access.object))
        (member_of(*access.object) ? by_members_ : in_variables_).add(access.writes);
      continue;
    }
    unknown.push_back(&access);
    if (!access.is_local)
      in_global_.add(access.writes);
    if (access.is_local || access.is_generic)
      in_local_.add(access.writes);
  }
  refuse(unknown, "its address is not made from one argument or variable");
  for (const auto &packet : kernel_.packets)
    reasons_[packet] = "reservations say whose a packet of a pipe is";
  for (auto &[object, accesses] : global)
    look_at_global(object, accesses);
  look_at_local(local);
  look_at_copies(global, local);
  for (const SharedAccess &access : kernel_.accesses)
    if (const Key key{access.instruction, access.pointer};
        access.is_one_of_several && reasons_.contains(key))
      disjoint_.erase(key);
  items_ = nullptr;
  sums_ = nullptr;
  assumptions_.synchronizes = kernel_.synchronizes;
  assumptions_.uses_others = in_global_.any() || by_members_.any();
}

bool DisjointAccesses::has_all() const {
  return kernel_.copies.empty() && kernel_.packets.empty() && !kernel_.copies_anything &&
         llvm::all_of(kernel_.accesses, [this](const SharedAccess &each) {
           return disjoint_.contains({each.instruction, each.pointer});
         });
}

llvm::StringRef DisjointAccesses::why_not(const llvm::Instruction &access,
                                          const llvm::Value *pointer) const {
  auto found = reasons_.find({&access, pointer});
  return found == reasons_.end() ? "" : found->second;
}

void DisjointAccesses::refuse(const Some &accesses, const char *why) {
  for (const SharedAccess *each : accesses)
    reasons_[{each->instruction, each->pointer}] = why;
}

// ---- global memory

void DisjointAccesses::look_at_global(const llvm::Value *object, const Some &accesses) {
  // Accesses through another argument must not reach memory whose accesses are unchecked. The
  // launch compares the uses that are recorded here.
  const auto place = argument_pointer(*object);
  if (place) {
    const bool is_copied = kernel_.copies.contains(object);
    number_of_use_[object] = next_number_++;
    assumptions_.arguments.push_back(
        {place->argument, !none_writes(accesses) || kernel_.copied_to.contains(object),
         all_reach_each_other(accesses), place->byte, number_of_use_[object],
         is_copied ? DistinctAddresses() : reach_of(accesses)});
  }
  if (const char *problem = global_problem(object, accesses))
    return refuse(accesses, problem);
  assumptions_.are_disjoint |= place.has_value();
  for (const SharedAccess *each : accesses)
    disjoint_.insert({each->instruction, each->pointer});
}

const char *DisjointAccesses::global_problem(const llvm::Value *object, const Some &accesses) {
  const bool is_read_only = none_writes(accesses),
             may_meet = !is_read_only && !all_reach_each_other(accesses);
  const uint32_t number = may_meet ? next_number_++ : 0;
  if (kernel_.copied_to.contains(object) || (!is_read_only && kernel_.copied_from.contains(object)))
    return "group copies reach it too";
  if (is_read_only ? in_global_.writes : in_global_.any())
    return "accesses by unknown addresses may reach it too";
  if (may_reach_variables(object, is_read_only))
    return "a pointer in an argument may reach a variable of the program";
  if (const auto use = number_of_use_.find(object);
      use != number_of_use_.end() && has_failed(use->second))
    return "it overlaps with another argument of this launch";
  return may_meet ? find_unequal(object, accesses, number) : nullptr;
}

// The launch does not know the addresses of variables.
bool DisjointAccesses::may_reach_variables(const llvm::Value *object, bool is_read_only) const {
  if (llvm::isa<llvm::Argument>(object))
    return false;
  const Unknown &others = llvm::isa<llvm::GlobalVariable>(object) ? by_members_ : in_variables_;
  return is_read_only ? others.writes : others.any();
}

// True if one work-item of the group, the same for all of them, makes all accesses.
bool DisjointAccesses::are_at_one_item(const Some &accesses, size_t &item) {
  bool is_first = true;
  for (const SharedAccess *each : accesses) {
    const llvm::BitVector &present = items_->at(each->instruction->getParent());
    if (present.count() != 1)
      return false;
    const auto only = static_cast<size_t>(present.find_first());
    if (!is_first && only != item)
      return false;
    is_first = false;
    item = only;
  }
  return true;
}

// The sum has the local id of every dimension in which the work-group has several work-items.
bool DisjointAccesses::has_local_ids(const LaunchSum &sum) const {
  const auto last =
      items_->items() ? items_->id_of(items_->items() - 1) : std::array<uint64_t, 3>{1, 0, 0};
  for (uint32_t dimension : {0u, 1u, 2u})
    if (last[dimension] && llvm::none_of(sum, [&](const LaunchTerm &term) {
          return llvm::is_contained(term.atoms, LaunchAtom{LaunchNumber::local_id, dimension, 0});
        }))
      return false;
  return true;
}

std::vector<Guard> DisjointAccesses::common_guards(const Some &accesses) const {
  std::vector<Guard> common = guards_of(*accesses.front()->instruction, dominators_, *sums_);
  for (const SharedAccess *each : accesses) {
    const std::vector<Guard> own = guards_of(*each->instruction, dominators_, *sums_);
    std::erase_if(common, [&own](const Guard &guard) { return !llvm::is_contained(own, guard); });
  }
  return common;
}

const char *DisjointAccesses::find_unequal(const llvm::Value *object, const Some &accesses,
                                           uint32_t number) {
  constexpr const char *too_large = "its address has a number of more than 64 bits";
  size_t item = 0;
  DistinctAddresses unequal;
  unequal.number = number;
  if (has_failed(unequal.number))
    return "with the numbers of this launch, work-items may be at one place of it";
  const auto pairs = exchanged_pairs(accesses, dominators_, *sums_);
  if (pairs) { // no `argument`: each work-item accesses a partner's place, too
    unequal.places.push_back({pairs->offset, pairs->size});
    unequal.fitting = pairs->fitting;
  } else {
    unequal.is_of_one_item = are_at_one_item(accesses, item);
    if (const auto place = argument_pointer(*object); place && place->byte < 0)
      unequal.argument = place->argument;
  }
  for (const SharedAccess *each : pairs ? Some() : accesses) {
    auto offset = sums_->offset_of(each->pointer);
    if (!offset)
      return "its address is not a sum of ids and arguments, times what is known at launch";
    LaunchSum sum = to_list(offset->sum);
    if (unequal.is_of_one_item && !substitute_ids(sum, items_->id_of(item)))
      return too_large;
    for (const LaunchTerm &term : sum)
      if (std::count_if(term.atoms.begin(), term.atoms.end(),
                        [](const LaunchAtom &atom) { return atom.differs(); }) > 1)
        return "its address has a product of ids";
    unequal.places.push_back({std::move(sum), static_cast<int64_t>(each->size)});
    unequal.fitting.insert(unequal.fitting.end(), offset->fitting.begin(), offset->fitting.end());
    if (!unequal.is_of_one_item && !has_local_ids(unequal.places.back().offset))
      return "its address is the same for several work-items of a group";
  }
  unequal.counters = sums_->counters();
  unequal.steps = sums_->steps();
  unequal.are_bounds = sums_->are_bounds();
  unequal.divisions = sums_->divisions();
  unequal.guards = common_guards(accesses);
  if (unequal.is_of_one_item) {
    for (Division &each : unequal.divisions)
      if (!substitute_ids(each.dividend, items_->id_of(item)))
        return too_large;
    for (Guard &each : unequal.guards)
      if (!substitute_ids(each.sum, items_->id_of(item)))
        return too_large;
  }
  assumptions_.unequal.push_back(std::move(unequal));
  return nullptr;
}

} // namespace lockstep::compiler

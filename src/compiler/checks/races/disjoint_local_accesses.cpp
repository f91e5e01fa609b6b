// DisjointAccesses: accesses to local memory, which are compared within a barrier epoch.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/reachability.h"
#include "compiler/checks/expressions/item_values.h"
#include "compiler/checks/expressions/loop_states.h"
#include "compiler/checks/races/copy_events.h"
#include "compiler/checks/races/disjoint_accesses.h"
#include "kernel_ir/limits.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace lockstep::compiler {

// The values of work-items in each state of each loop, and the accesses that they make there.
class DisjointAccesses::InLoopStates {
public:
  InLoopStates(const DisjointAccesses &all, ItemValues &items)
      : all_(all), items_(items), loops_(find_loop_states(all.loops_)) {
    for (const LoopStates &each : loops_)
      items_of_.emplace_back(each.states.size());
  }
  bool are_unequal(const Interval &interval) {
    for (std::size_t loop = 0; loop != loops_.size(); ++loop)
      if (are_unequal(interval, loop))
        return true;
    return false;
  }

private:
  using State = std::optional<std::size_t>; // nullopt: before the loop
  using Begins = llvm::SmallVector<State>;

  // All work-items pass a barrier of the loop in one iteration. Behind the loop, each may have left
  // it in another one.
  bool are_unequal(const Interval &interval, std::size_t loop) {
    const LoopStates &states = loops_[loop];
    const llvm::BasicBlock *block = interval.start->getParent();
    Begins all;
    if (!all_.dominators_.dominates(states.loop->getHeader(), block))
      return are_unequal(interval, loop, {std::nullopt});
    for (std::size_t state = 0; state != states.states.size(); ++state)
      if (items_in(loop, state).at(block).any())
        all.push_back(state);
    if (!states.loop->contains(block))
      return are_unequal(interval, loop, all);
    return llvm::all_of(all, [&](State each) { return are_unequal(interval, loop, {each}); });
  }

  // `begins`: the states in which work-items may begin the interval.
  bool are_unequal(const Interval &interval, std::size_t loop, const Begins &begins) {
    const LoopStates &states = loops_[loop];
    llvm::DenseMap<const llvm::Instruction *, Some> at;
    for (const SharedAccess *each : interval.accesses)
      at[each->instruction].push_back(each);
    std::vector<Evaluated> accesses;
    std::set<std::pair<const llvm::BasicBlock *, State>> seen;
    llvm::SmallVector<std::pair<const llvm::Instruction *, State>> open;
    for (const State &begin : begins)
      open.emplace_back(interval.start, begin);
    bool has_states = false;
    while (!open.empty()) {
      auto [next, state] = open.pop_back_val();
      has_states |= state.has_value();
      for (; next && !all_.kernel_.local_barriers.contains(next); next = next->getNextNode()) {
        if (const auto here = at.find(next); here != at.end())
          for (const SharedAccess *each : here->second)
            accesses.push_back({each, state ? &items_in(loop, *state) : &items_});
        if (!next->isTerminator())
          continue;
        for (const llvm::BasicBlock *to : llvm::successors(next->getParent()))
          if (State after = state; interval.may_take(next->getParent(), to) &&
                                   states.pass(next->getParent(), to, after) &&
                                   seen.emplace(to, after).second)
            open.emplace_back(&to->front(), after);
      }
    }
    compared_ += accesses.size() * items_.items();
    return has_states && compared_ <= most_compared && are_unequal_in_group(accesses);
  }

  ItemValues &items_in(std::size_t loop, std::size_t state) {
    auto &items = items_of_[loop][state];
    if (!items)
      items = std::make_unique<ItemValues>(all_.kernel_.function, all_.loops_, *loops_[loop].loop,
                                           loops_[loop].states[state]);
    return *items;
  }

  const DisjointAccesses &all_;
  ItemValues &items_; // in no state
  const std::vector<LoopStates> loops_;
  // Accesses of work-items, which bounds the time: each takes some 10 ns.
  static constexpr size_t most_compared =
      size_t{max_work_group_size} * limits::search_steps * limits::sum_terms;
  size_t compared_ = 0;
  std::vector<std::vector<std::unique_ptr<ItemValues>>> items_of_; // by loop and state
};

// Accesses that may execute in the same barrier epoch, for the epoch that begins at kernel entry
// and for that of each barrier.
std::vector<DisjointAccesses::Interval> DisjointAccesses::intervals(const Some &accesses) const {
  std::vector<Interval> result = {{&kernel_.function.getEntryBlock().front()}};
  for (const llvm::Instruction *barrier : kernel_.local_barriers)
    result.push_back({barrier->getNextNode()});
  for (Interval &interval : result)
    find_accesses(interval, accesses);
  return result;
}

void DisjointAccesses::find_accesses(Interval &interval, const Some &accesses) const {
  llvm::DenseMap<const llvm::Instruction *, Some> at;
  for (const SharedAccess *each : accesses)
    at[each->instruction].push_back(each);
  interval.accesses.clear();
  visit_until(
      interval.start, kernel_.local_barriers,
      [&](const llvm::Instruction &next) {
        if (auto here = at.find(&next); here != at.end())
          interval.accesses.append(here->second.begin(), here->second.end());
      },
      [&interval](const auto *from, const auto *to) { return interval.may_take(from, to); });
}

// A copy is in progress from its call to a wait for its event. It may also be in progress before
// the call, back to the work-group's last barrier. If one call starts several copies, waiting for
// the last one does not wait for the others.
bool DisjointAccesses::conflicts_with_copy(const SharedAccess &access,
                                           llvm::ArrayRef<GroupCopy> copies) const {
  bool conflicts = false;
  for (const GroupCopy &copy : copies) {
    if (!access.writes && !copy.writes)
      continue;
    llvm::DenseSet<const llvm::Instruction *> waits;
    for (const llvm::Instruction *wait : kernel_.waits)
      if (waits_for(*wait, *copy.instruction))
        waits.insert(wait);
    const bool has_event = event_of_copy(*copy.instruction);
    visit_until(copy.instruction->getNextNode(), waits, [&](const llvm::Instruction &next) {
      conflicts |= &next == access.instruction || (has_event && &next == copy.instruction);
    });
    visit_until(access.instruction->getNextNode(), kernel_.local_barriers,
                [&](const llvm::Instruction &next) { conflicts |= &next == copy.instruction; });
  }
  return conflicts;
}

bool DisjointAccesses::are_unequal_in_group(const Interval &interval) const {
  std::vector<Evaluated> accesses;
  for (const SharedAccess *each : interval.accesses)
    accesses.push_back({each, items_});
  return are_unequal_in_group(accesses);
}

namespace {

struct ByteAccess {
  uint64_t byte;
  uint32_t item;
  bool writes, reaches_all;
  bool is_compared; // else with the compared ones only
};

// The work-items that access a byte in one way: none, one or several.
struct Accessing {
  enum : uint32_t { several = ~0U - 1, none };
  uint32_t item = none;
  void add(uint32_t other) { item = item == none || item == other ? other : several; }
  bool has_others_than(uint32_t own) const { return item != none && item != own; }
};

// Whether no two work-items access one byte, except for reads, and for atomics that reach each
// other.
bool have_no_conflict(std::vector<ByteAccess> &accesses) {
  std::sort(accesses.begin(), accesses.end(),
            [](const ByteAccess &a, const ByteAccess &b) { return a.byte < b.byte; });
  for (auto begin = accesses.begin(); begin != accesses.end();) {
    const auto end = std::find_if(begin, accesses.end(), [begin](const ByteAccess &each) {
      return each.byte != begin->byte;
    });
    Accessing by[2][2]; // whether they write, whether they reach all others
    for (auto each = begin; each != end; ++each)
      by[each->writes][each->reaches_all].add(each->item);
    for (auto each = begin; each != end; ++each)
      for (bool writes : {false, true})
        for (bool reaches_all : {false, true})
          if (each->is_compared && (writes || each->writes) &&
              !(reaches_all && each->reaches_all) &&
              by[writes][reaches_all].has_others_than(each->item))
            return false;
    begin = end;
  }
  return true;
}

} // namespace

// Accesses whose offsets are known are compared as they are, the others with all of them modulo a
// number.
bool DisjointAccesses::are_unequal_in_group(llvm::ArrayRef<Evaluated> accesses) {
  // Bytes: each work-item of the largest group accesses some words.
  constexpr size_t most = size_t{max_work_group_size} * limits::search_steps * sizeof(uint64_t);
  int64_t modulus = 0;
  for (const auto &[each, items] : accesses)
    if (const ItemValues::Offset *offsets = items->offset_of(each->pointer))
      modulus = static_cast<int64_t>(std::gcd(static_cast<uint64_t>(modulus), offsets->modulus));
  std::vector<ByteAccess> exact, all;
  for (const auto &[each, items] : accesses) {
    const ItemValues::Offset *offsets = items->offset_of(each->pointer);
    if (!offsets || exact.size() + all.size() + each->size * items->items() > most)
      return false;
    for (unsigned item : items->at(each->instruction->getParent()).set_bits())
      for (uint64_t byte = 0; byte != each->size; ++byte) {
        const auto place = static_cast<int64_t>(offsets->column[item] + byte);
        ByteAccess access{static_cast<uint64_t>(place), item, each->writes,
                          all_reach_each_other(each), true};
        if (!offsets->modulus)
          exact.push_back(access);
        if (!modulus)
          continue;
        access.byte = static_cast<uint64_t>((place % modulus + modulus) % modulus);
        access.is_compared = offsets->modulus != 0;
        all.push_back(access);
      }
  }
  return have_no_conflict(exact) && have_no_conflict(all);
}

void DisjointAccesses::look_at_local(const ByObject &by_object) {
  InLoopStates in_loop_states(*this, *items_);
  in_loop_states_ = &in_loop_states;
  for (const auto &[object, accesses] : by_object)
    if (in_local_.any())
      refuse(accesses, "accesses by unknown addresses may reach it too");
    else
      look_at_local(object, accesses);
  in_loop_states_ = nullptr;
}

bool DisjointAccesses::are_unequal(const Interval &interval) const {
  const Some &together = interval.accesses;
  return none_writes(together) || all_reach_each_other(together) ||
         are_unequal_in_group(interval) || in_loop_states_->are_unequal(interval);
}

// A uniform branch that each work-item executes at most once in the interval.
const llvm::BasicBlock *DisjointAccesses::undecided_branch(const Interval &interval) const {
  const llvm::BasicBlock *found = nullptr;
  const auto may_take = [&interval](const auto *from, const auto *to) {
    return interval.may_take(from, to);
  };
  const auto is_repeated = [&](const llvm::BasicBlock &block) {
    bool comes_again = false;
    for (const llvm::BasicBlock *next : llvm::successors(&block))
      visit_until(
          &next->front(), kernel_.local_barriers,
          [&](const llvm::Instruction &each) { comes_again |= &each == block.getTerminator(); },
          may_take);
    return comes_again;
  };
  visit_until(
      interval.start, kernel_.local_barriers,
      [&](const llvm::Instruction &each) {
        const llvm::BasicBlock *block = each.getParent();
        if (!found && each.isTerminator() && kernel_.uniform_branches.contains(block) &&
            !interval.taken.contains(block) && !is_repeated(*block))
          found = block;
      },
      may_take);
  return found;
}

// All work-items of the group take one edge of a uniform branch. So the accesses behind one edge
// are not compared with those behind the other one.
void DisjointAccesses::look_at_interval(const Interval &interval, const Some &accesses) {
  if (are_unequal(interval))
    return;
  const llvm::BasicBlock *branch =
      interval.taken.size() < limits::decided_branches ? undecided_branch(interval) : nullptr;
  if (!branch) {
    refuse(interval.accesses, "between two barriers, work-items may be at one place of it");
    for (const SharedAccess *each : interval.accesses)
      disjoint_.erase({each->instruction, each->pointer});
    return;
  }
  for (const llvm::BasicBlock *next : llvm::successors(branch)) {
    Interval decided = interval;
    decided.taken[branch] = next;
    find_accesses(decided, accesses);
    look_at_interval(decided, accesses);
  }
}

void DisjointAccesses::look_at_local(const llvm::Value *object, const Some &accesses) {
  if (kernel_.local_barriers.size() > limits::compared_accesses)
    return refuse(accesses, "the kernel has too many barriers to look at");
  for (const SharedAccess *each : accesses)
    disjoint_.insert({each->instruction, each->pointer});
  for (const Interval &interval : intervals(accesses))
    look_at_interval(interval, accesses);
  const auto copies = kernel_.copies.find(object);
  if (copies == kernel_.copies.end())
    return;
  for (const SharedAccess *each : accesses)
    if (conflicts_with_copy(*each, copies->second)) {
      refuse({each}, "a group copy that is under way may reach it too");
      disjoint_.erase({each->instruction, each->pointer});
    }
}

} // namespace lockstep::compiler

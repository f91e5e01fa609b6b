// DisjointAccesses: accesses to local memory, which are compared within a barrier epoch.
#include "compiler/analysis/cost/thresholds.h"
#include "compiler/checks/common/reachability.h"
#include "compiler/checks/expressions/item_values.h"
#include "compiler/checks/races/copy_events.h"
#include "compiler/checks/races/disjoint_accesses.h"
#include "kernel_ir/limits.h"

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace lockstep::compiler {

// Accesses that may execute in the same barrier epoch, for the epoch that begins at kernel entry
// and for that of each barrier.
std::vector<DisjointAccesses::Some> DisjointAccesses::intervals(const Some &accesses) const {
  llvm::DenseMap<const llvm::Instruction *, Some> at;
  for (const SharedAccess *each : accesses)
    at[each->instruction].push_back(each);
  std::vector<const llvm::Instruction *> starts = {&kernel_.function.getEntryBlock().front()};
  for (const llvm::Instruction *barrier : kernel_.local_barriers)
    starts.push_back(barrier->getNextNode());
  std::vector<Some> result;
  for (const llvm::Instruction *start : starts) {
    Some &found = result.emplace_back();
    visit_until(start, kernel_.local_barriers, [&](const llvm::Instruction &next) {
      if (auto here = at.find(&next); here != at.end())
        found.append(here->second.begin(), here->second.end());
    });
  }
  return result;
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

bool DisjointAccesses::are_unequal_in_group(const Some &accesses) {
  // Bytes: each work-item of the largest group accesses some words.
  constexpr size_t most = size_t{max_work_group_size} * limits::search_steps * sizeof(uint64_t);
  struct ByteAccess {
    uint64_t byte;
    uint32_t item;
    bool writes, reaches_all;
  };
  std::vector<ByteAccess> byte_accesses;
  uint64_t modulus = 0; // addresses are compared modulo this
  for (const SharedAccess *each : accesses)
    if (const ItemValues::Offset *offsets = items_->offset_of(each->pointer))
      modulus = std::gcd(modulus, offsets->modulus);
  for (const SharedAccess *each : accesses) {
    const ItemValues::Offset *offsets = items_->offset_of(each->pointer);
    if (!offsets || byte_accesses.size() + each->size * items_->items() > most)
      return false;
    for (unsigned item : items_->at(each->instruction->getParent()).set_bits())
      for (uint64_t byte = 0; byte != each->size; ++byte) {
        uint64_t place = offsets->column[item] + byte;
        if (const auto signed_modulus = static_cast<int64_t>(modulus))
          place = static_cast<uint64_t>(
              (static_cast<int64_t>(place) % signed_modulus + signed_modulus) % signed_modulus);
        byte_accesses.push_back({place, item, each->writes, all_reach_each_other(each)});
      }
  }
  std::sort(byte_accesses.begin(), byte_accesses.end(),
            [](const ByteAccess &a, const ByteAccess &b) {
              return std::tie(a.byte, a.item) < std::tie(b.byte, b.item);
            });
  for (size_t begin = 0; begin < byte_accesses.size();) {
    size_t end = begin;
    bool writes = false, is_plain = false;
    for (; end != byte_accesses.size() && byte_accesses[end].byte == byte_accesses[begin].byte;
         ++end) {
      writes |= byte_accesses[end].writes;
      is_plain |= !byte_accesses[end].reaches_all;
    }
    if (writes && is_plain && byte_accesses[begin].item != byte_accesses[end - 1].item)
      return false;
    begin = end;
  }
  return true;
}

void DisjointAccesses::look_at_local(const llvm::Value *object, const Some &accesses) {
  if (kernel_.local_barriers.size() > limits::compared_accesses)
    return refuse(accesses, "the kernel has too many barriers to look at");
  for (const SharedAccess *each : accesses)
    disjoint_.insert({each->instruction, each->pointer});
  for (const Some &together : intervals(accesses)) {
    if (none_writes(together) || all_reach_each_other(together) || are_unequal_in_group(together))
      continue;
    refuse(together, "between two barriers, work-items may be at one place of it");
    for (const SharedAccess *each : together)
      disjoint_.erase({each->instruction, each->pointer});
  }
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

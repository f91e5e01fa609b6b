// The record of one access: which work-items made it, when, and at which place in the source. The
// sets of accesses of a shadow cell (shadow_sets.h) hold records; shadow.h has a shorter form for
// most cells.
#pragma once

#include <cstdint>

namespace lockstep::runtime {

enum class RecordKind : uint8_t { read, write, atomic_read, atomic_write };
constexpr bool is_atomic(RecordKind kind) {
  return kind >= RecordKind::atomic_read;
}
constexpr bool writes(RecordKind kind) {
  return kind == RecordKind::write || kind == RecordKind::atomic_write;
}

// The work-items that an atomic's scope includes; later values include fewer.
enum class AtomicReach : uint8_t { device, work_group, sub_group, work_item };

// Which work-items accessed, when (epoch), and where in the source.
struct AccessRecord {
  uint32_t epoch = 0;
  uint16_t item = 0, last_item = 0; // a range of items with the same access
  uint16_t site = 0;
  RecordKind kind = RecordKind::read;
  AtomicReach reach : 2 = AtomicReach::device;
  // A read whose value only feeds a compare-and-swap: a race with it is reported separately.
  bool is_guess : 1 = false;
  // At least one more work-item of the group has made the same access in the same epoch interval.
  bool are_several : 1 = false;
  bool has(uint32_t which) const { return item <= which && which <= last_item; }
  bool is_narrow() const { return reach != AtomicReach::device; }
  AccessRecord moved(uint32_t items) const {
    AccessRecord there = *this;
    there.item = uint16_t(item + items);
    there.last_item = uint16_t(last_item + items);
    return there;
  }
  bool operator==(const AccessRecord &) const = default;
};
static_assert(sizeof(AccessRecord) == 12);

} // namespace lockstep::runtime

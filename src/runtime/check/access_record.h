// What is remembered of an access (shadow.h).
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

// Which work-items an atomic is meant for, by its scope; those further on are fewer.
enum class AtomicReach : uint8_t { device, work_group, sub_group, work_item };

// Whose, when, where in the source.
struct AccessRecord {
  uint32_t stamp = 0;
  uint16_t item = 0, last_item = 0; // of several that did the same
  uint16_t site = 0;
  RecordKind kind = RecordKind::read;
  AtomicReach reach : 2 = AtomicReach::device;
  bool is_guess : 1 =
      false; // a read that is only what a swap expects: a race of it is none of another's
  bool are_several : 1 =
      false; // at least one work-item more of the group has done the same in its interval
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

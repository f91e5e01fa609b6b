// What granules of a page have beside their words where one record is not enough: mostly readers of which each has to be
// ordered before whoever writes next.
//
// Neighbours mostly have the same accesses, each by the next work-item. So records are kept by their distance from a work-item that
// the granule's word names, granules that have the same share one set, and what the last one has become by one more record is
// what the next one becomes.
#pragma once

#include "runtime/check/access_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct ShadowSet {
  std::vector<AccessRecord> records; // by stamps, of work-items from that of the word on
  uint32_t granules = 0;             // that have it; 0: it is free
  uint32_t context = 0;              // by which their words name it; 0: none yet
  uint32_t prune_at = 0;    // that many records: those that no longer matter are looked for
  uint32_t key = 0;         // of its records
  uint64_t version = 0;     // another one with each change
  bool only_atomics = true; // none of them narrow
  bool only_reads = true;   // atomic ones too

  void add(const AccessRecord &record) { add(record, records.size()); }
  void add(const AccessRecord &record, std::size_t at);
  // Nothing that is in it conflicts with such an access: a word that all work-items read has as many records as there are.
  bool is_peaceful_with(const AccessRecord &record) const {
    return (is_atomic(record.kind) && !record.is_narrow() && only_atomics) ||
           (!writes(record.kind) && only_reads);
  }
};

class ShadowSets {
public:
  static constexpr uint32_t none = ~0u, first_prune = 16;
  // What a granule has: a set, or one or two records, which its word says.
  struct Place {
    uint32_t set = none;
    uint32_t word = 0; // without its work-item
    std::array<AccessRecord, 2> records{};
    bool are_two = false;
  };

  const ShadowSet &operator[](uint32_t set) const { return sets_[set]; }
  ShadowSet &operator[](uint32_t set) { return sets_[set]; }
  bool are_used() const { return used_ != 0; }
  std::size_t bytes() const { return bytes_; }

  // The set of a granule that has one record more. `first` is the work-item of its word. If it is another set than before, it
  // counts the granule; what the granule had is to be dropped.
  uint32_t with(const Place &before, const AccessRecord &record, uint32_t first);
  // The same for what is left of a set's records, at least one.
  uint32_t of(uint32_t before, std::span<const AccessRecord> records);
  bool drop(uint32_t set);            // by one granule; true: it was the last one
  void forget_words() { last_ = {}; } // they say something else from now on

private:
  struct Step { // of the last granule
    uint64_t from = 0, version = 0;
    uint32_t set = 0;
    AccessRecord record{};
  };
  struct Change {
    std::size_t at;
    bool replaces; // or is put before the one there
    AccessRecord record;
  };

  static Change change_by(std::span<const AccessRecord> records, const AccessRecord &record,
                          uint32_t first);
  static void apply(const Change &change, ShadowSet &set);
  uint32_t find(uint32_t key, std::span<const AccessRecord> records, const Change &change) const;
  uint32_t make(std::size_t records);
  void reserve(ShadowSet &set, std::size_t records);
  void settle(uint32_t number, uint32_t key);

  std::vector<ShadowSet> sets_;
  std::vector<uint32_t> free_;
  std::size_t used_ = 0, bytes_ = 0;
  uint64_t versions_ = 0;
  std::array<uint16_t, 32> recent_{}; // by key; some are free or others by now
  Step last_;
};

} // namespace lockstep::runtime

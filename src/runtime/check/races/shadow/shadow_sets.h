// Sets of accesses for shadow cells whose words are not sufficient: mostly readers that all have to
// be ordered before the next writer.
//
// Neighboring cells mostly have the same accesses, by the next work-item each. So records store the
// distance to the work-item in the cell's word, and cells with equal records share one set. If
// adding a record changed the set of one cell, the next cell usually takes the same step.
#pragma once

#include "runtime/check/races/shadow/access_record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

struct ShadowSet {
  std::vector<AccessRecord> records; // by epoch; items are relative to the word's
  uint32_t granules = 0;             // that refer to it; 0: the set is free
  uint32_t context = 0;              // by which words refer to it; 0: none yet
  uint32_t prune_at = 0;             // with this many records, obsolete ones are removed
  uint32_t key = 0;                  // hash of the records
  uint64_t version = 0;              // changes with each modification
  bool only_atomics = true;          // none with a narrow scope
  bool only_reads = true;            // atomic ones, too

  void add(const AccessRecord &record) { add(record, records.size()); }
  void add(const AccessRecord &record, std::size_t at);
  // Whether no record conflicts with such an access. A word that all work-items read can have many
  // records.
  bool is_compatible_with(const AccessRecord &record) const {
    return (is_atomic(record.kind) && !record.is_narrow() && only_atomics) ||
           (!writes(record.kind) && only_reads);
  }
};

class ShadowSets {
public:
  static constexpr uint32_t none = ~0u, first_prune = 16;
  // The state of a cell: a set, or the one or two records in its word.
  struct Place {
    uint32_t set = none;
    uint32_t word = 0; // without its item
    std::array<AccessRecord, 2> records{};
    bool are_two = false;
  };

  const ShadowSet &operator[](uint32_t set) const { return sets_[set]; }
  ShadowSet &operator[](uint32_t set) { return sets_[set]; }
  bool are_used() const { return used_ != 0; }
  std::size_t bytes() const { return bytes_; }

  // Returns the set for the state `before` plus one record. `first` is the item of the cell's word.
  // A different set than before already counts the cell; the caller drops the old one.
  uint32_t with(const Place &before, const AccessRecord &record, uint32_t first);
  // The same for a non-empty subset of a set's records.
  uint32_t of(uint32_t before, std::span<const AccessRecord> records);
  bool drop(uint32_t set);            // for one cell; true: it was the last one
  void forget_words() { last_ = {}; } // words have changed their meaning

private:
  struct Step { // of the last cell
    uint64_t from = 0, version = 0;
    uint32_t set = 0;
    AccessRecord record{};
  };
  struct Change {
    std::size_t at;
    bool replaces; // otherwise inserts before it
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
  std::array<uint16_t, 32> recent_{}; // by key; entries may be outdated
  Step last_;
};

} // namespace lockstep::runtime

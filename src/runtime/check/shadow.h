// What the checker remembers of memory: for each granule the last plain write, and the accesses since that a later one
// might have to be ordered after.
//
// A page of memory has granules of four bytes until somebody accesses less, or across them; then of one byte, so that
// two work-items that write neighbouring bytes are no race. Pages are made at the first access. Later launches find them
// where they are, with what is left there from others: its stamps are lower than any of the launch, so nothing must be
// cleared.
//
// A granule has two words of 64 bits, and most accesses are decided by comparing these (quick_check.h).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {

enum class RecordKind : uint8_t { read, write, atomic_read, atomic_write };

// An access: whose, when, where in the source.
struct AccessRecord {
  uint32_t stamp = 0;
  uint16_t item = 0, last_item = 0; // of several that did the same
  uint16_t site = 0;
  RecordKind kind = RecordKind::read;
  uint8_t is_narrow = 0; // an atomic that other groups are not meant to see
  bool has(uint32_t which) const { return item <= which && which <= last_item; }
};
static_assert(sizeof(AccessRecord) == 12);

// The same in a word, if work-items that did the same are a power of two, one after the other; kind and scope are the
// site's. Or the number of a set of records. Ascending stamps are in the upper half, work-items in the lowest bits.
struct RecordWord {
  static constexpr unsigned item_bits = 13, run_bits = 4, site_bits = 14;
  static constexpr uint64_t item_mask = (uint64_t(1) << item_bits) - 1,
                            run_and_item_mask = (uint64_t(1) << (item_bits + run_bits)) - 1,
                            run_mask = run_and_item_mask ^ item_mask,
                            atomic_bit = run_and_item_mask + 1;
  static constexpr unsigned site_shift = item_bits + run_bits + 1, stamp_shift = 32;
  static_assert(site_shift + site_bits == stamp_shift);
  static constexpr uint32_t set_stamp = ~0u; // no access has it

  static std::optional<uint64_t> of(const AccessRecord &record);
  static AccessRecord record(uint64_t word);
  static uint64_t of_set(std::size_t set) {
    return uint64_t(set_stamp) << stamp_shift | set << item_bits | item_mask;
  }
  static bool is_set(uint64_t word) { return word >> stamp_shift == set_stamp; }
  static std::size_t set(uint64_t word) { return uint32_t(word) >> item_bits; }
};

struct ShadowSet {
  std::vector<AccessRecord> records;
  bool only_atomics = true;  // none of them narrow
  std::size_t prune_at = 16; // that many records: those that no longer matter are looked for
};

// Words of granules, one after the other.
struct GranuleWords {
  uint64_t *writes, *sinces, *others; // others: null if there are none
};

class ShadowPage {
public:
  static constexpr std::size_t bytes = 4096;

  // What may throw std::bad_alloc leaves the page as it can be destroyed, and be visited by others.
  explicit ShadowPage(uintptr_t first = 0) : first_(first) { make_granules(4); }
  ~ShadowPage() { all_memory_ -= counted_; }
  ShadowPage(const ShadowPage &) = delete;
  ShadowPage &operator=(const ShadowPage &) = delete;
  static std::size_t all_memory() { return all_memory_; } // bytes of all pages
  bool has(uintptr_t address) const { return address - first_ < bytes; }

  void lock(uint64_t launch) {
    for (unsigned tries = 0; locked_.exchange(true, std::memory_order_acquire);)
      if (++tries % 64 == 0) // who has it may not be running
        std::this_thread::yield();
    if (launch_ != launch) [[unlikely]]
      begin(launch);
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

  std::size_t granule() const { return granule_; }
  void make_bytes(); // granules of one byte from now on
  std::size_t index(uintptr_t address) const { return (address & (bytes - 1)) / granule_; }

  // By granules: the last plain write; the only other access since, or a set of them; of pages of which several have read
  // one granule, another one that has read it, perhaps long ago. Stamps of earlier launches may be there.
  uint64_t *writes() { return words_.get(); }
  uint64_t *sinces() { return words_.get() + bytes / granule_; }
  uint64_t *others() { return others_.get(); }
  GranuleWords words(std::size_t index) {
    return {writes() + index, sinces() + index, others_ ? others_.get() + index : nullptr};
  }
  uint64_t &make_other(std::size_t index);
  ShadowSet &set_of(std::size_t index); // with what there is, if there was none
  void drop_set(std::size_t index);     // nothing is there afterwards

private:
  void begin(uint64_t launch); // unlocks if it throws
  void make_granules(std::size_t granule);
  void count();
  std::size_t new_set();
  void clear();

  const uintptr_t first_; // address
  std::atomic<bool> locked_{false};
  uint64_t launch_ = 0; // that was here last
  std::size_t granule_ = 4, used_sets_ = 0;
  std::unique_ptr<uint64_t[]> words_, others_;
  std::vector<ShadowSet> sets_;
  std::vector<std::size_t> free_sets_;
  std::size_t counted_ = 0;
  static inline std::atomic<std::size_t> all_memory_ = 0;
};

class Shadow {
public:
  Shadow();
  ~Shadow();
  Shadow(const Shadow &) = delete;
  Shadow &operator=(const Shadow &) = delete;

  ShadowPage &page(uintptr_t address);
  std::size_t pages() const { return pages_.size(); }

private:
  static constexpr unsigned page_bits = 12, low_bits = 18, address_bits = 47;
  static constexpr std::size_t low_size = std::size_t(1) << low_bits,
                               high_size = std::size_t(1) << (address_bits - page_bits - low_bits);
  using Low = std::atomic<ShadowPage *>;

  ShadowPage &make_page(Low &place, uintptr_t number);

  std::mutex mutex_;
  std::unique_ptr<std::atomic<Low *>[]> high_;
  std::vector<std::unique_ptr<Low[]>> lows_;
  std::vector<std::unique_ptr<ShadowPage>> pages_;
};

inline ShadowPage &Shadow::page(uintptr_t address) {
  const uintptr_t number = address >> page_bits;
  std::atomic<Low *> &high = high_[number >> low_bits & (high_size - 1)];
  Low *low = high.load(std::memory_order_acquire);
  if (!low) [[unlikely]] {
    std::lock_guard lock(mutex_);
    low = high.load(std::memory_order_relaxed);
    if (!low) {
      low = lows_.emplace_back(std::make_unique<Low[]>(low_size)).get();
      high.store(low, std::memory_order_release);
    }
  }
  Low &place = low[number & (low_size - 1)];
  ShadowPage *page = place.load(std::memory_order_acquire);
  return page ? *page : make_page(place, number);
}

} // namespace lockstep::runtime

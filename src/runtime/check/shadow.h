// What the checker remembers of memory, for one launch: for each granule the last plain write, and the accesses since
// that a later one might have to be ordered after.
//
// A page of memory has granules of four bytes until somebody accesses less, or across them; then of one byte, so that
// two work-items that write neighbouring bytes are no race. Pages are made at the first access. Later launches find them
// where they are, and what is left there from another launch is forgotten at the first access: so a launch costs what it
// touches.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep::runtime {

enum class RecordKind : uint8_t { read, write, atomic_read, atomic_write };

// An access: whose, when, where in the source.
struct AccessRecord {
  uint32_t stamp = 0;               // 0: none
  uint16_t item = 0, last_item = 0; // of several that did the same
  uint16_t site = 0;
  RecordKind kind = RecordKind::read;
  uint8_t is_narrow = 0; // an atomic that other groups are not meant to see
  explicit operator bool() const { return stamp != 0; }
  bool has(uint32_t which) const { return item <= which && which <= last_item; }
};
static_assert(sizeof(AccessRecord) == 12);

struct ShadowCell {
  static constexpr uint32_t no_set = ~0u;
  AccessRecord write;    // the last plain one
  AccessRecord since;    // the only other access since
  uint32_t set = no_set; // there are more: ShadowPage::sets
  uint32_t reserved = 0;
};
static_assert(sizeof(ShadowCell) == 32);

struct ShadowSet {
  std::vector<AccessRecord> records;
  bool only_atomics = true;  // none of them narrow
  std::size_t prune_at = 16; // that many records: those that no longer matter are looked for
};

class ShadowPage {
public:
  static constexpr std::size_t bytes = 4096;

  void lock(uint64_t launch) {
    for (unsigned tries = 0; locked_.exchange(true, std::memory_order_acquire);)
      if (++tries % 64 == 0) // who has it may not be running
        std::this_thread::yield();
    if (launch_ != launch) [[unlikely]] {
      if (std::exchange(launch_, launch) != 0)
        clear();
    }
  }
  void unlock() { locked_.store(false, std::memory_order_release); }

  std::size_t granule() const { return granule_; }
  void make_bytes(); // granules of one byte from now on
  ShadowCell &cell(std::size_t offset) { return cells_[offset / granule_]; }
  ShadowSet &set_of(ShadowCell &cell);
  void drop_set(ShadowCell &cell);

private:
  void clear();

  std::atomic<bool> locked_{false};
  uint64_t launch_ = 0; // that was here last
  std::size_t granule_ = 4;
  std::vector<ShadowCell> cells_ = std::vector<ShadowCell>(bytes / 4);
  std::vector<ShadowSet> sets_;
  std::vector<uint32_t> free_sets_;
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

  ShadowPage &make_page(Low &place);

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
      low = lows_.emplace_back(new Low[low_size]()).get();
      high.store(low, std::memory_order_release);
    }
  }
  Low &place = low[number & (low_size - 1)];
  ShadowPage *page = place.load(std::memory_order_acquire);
  return page ? *page : make_page(place);
}

} // namespace lockstep::runtime

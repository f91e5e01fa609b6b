// What the checker remembers of memory: for each granule the last plain write, and the accesses since that a later one
// might have to be ordered after.
//
// A page of memory has granules of four bytes until somebody accesses less, or across them; then of one byte, so that
// two work-items that write neighbouring bytes are no race. Pages are made at the first access. Later launches find them
// where they are, with what is left there from others: its stamps are lower than any of the launch, so nothing must be
// cleared.
//
// A granule has two words of 32 bits, and most accesses are decided by comparing these (quick_check.h). They name a context,
// one of few that a page has: when it was, and where in the source. One is of the last write, or where this launch has not
// written, of a second reader: a granule that one group writes and others read in one launch is a race where only barriers
// order, so that both are seldom needed. Where they are, and two work-items of one group have read it, its word names the first one
// and a context of both: neighbours mostly have the same, each by the next work-items. Pages on which that is seldom so, and a run
// that is to name both readers where only barriers order, get a third word for each granule. Else the granule has a set of
// accesses (shadow_sets.h).
//
// Where rows of work-items access rows of granules, and atomics order them, a page may have runs in place of words
// (shadow_rows.h).
#pragma once

#include "runtime/check/access_record.h"
#include "runtime/check/check_memory.h"
#include "runtime/check/shadow_rows.h"
#include "runtime/check/shadow_sets.h"
#include "runtime/check/short_lock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::runtime {

// A record in a word of a page, if work-items that did the same are a power of two, one after the other: the context's number
// is in the upper bits, work-items in the lowest; kind and scope are the site's. Or the context is of a set of records.
struct RecordWord {
  static constexpr unsigned item_bits = 13, run_bits = 4, context_bits = 14;
  static constexpr uint32_t item_mask = (1u << item_bits) - 1,
                            run_and_item_mask = (1u << (item_bits + run_bits)) - 1,
                            run_mask = run_and_item_mask ^ item_mask,
                            atomic_bit = run_and_item_mask + 1; // or a guess
  // In place of a power of two: this one and at least one more of the group, since the group's last barrier. Whoever comes
  // is not one of them.
  static constexpr uint32_t several = run_mask;
  // Of a second reader, in the word of the write: it is one, and it is of another group than the first one. Then these two
  // stand for all that read.
  static constexpr uint32_t reader_bit = atomic_bit, of_another_group = 14u << item_bits;
  static uint32_t second_reader(uint32_t word) { return word | reader_bit; }
  static uint32_t reader_of_another_group(uint32_t word) {
    return (word & ~run_mask) | reader_bit | of_another_group;
  }
  static bool is_of_another_group(uint32_t word) {
    return (word & (run_mask | reader_bit)) == (of_another_group | reader_bit);
  }
  // The context is of two that read, and the work-item the first one.
  static constexpr uint32_t two_readers = 14u << item_bits;
  static bool is_of_two(uint32_t word) { return (word & (run_mask | atomic_bit)) == two_readers; }
  static constexpr unsigned context_shift = item_bits + run_bits + 1;
  static_assert(context_shift + context_bits == 32);
  static constexpr uint32_t no_context = 0; // that no word has: nothing was there yet

  static std::optional<uint32_t> of(const AccessRecord &record, uint32_t context);
  static uint32_t of_one(uint32_t context, bool is_atomic, uint32_t item) {
    return context << context_shift | (is_atomic ? atomic_bit : 0) | item;
  }
  static uint32_t context(uint32_t word) { return word >> context_shift; }
  static uint32_t of_set(uint32_t context, uint32_t item) {
    return context << context_shift | item;
  }
  static uint32_t of_two(uint32_t context, uint32_t item) {
    return context << context_shift | two_readers | item;
  }
};

// Two work-items of one group that have read a granule.
struct TwoReaders {
  uint32_t first_stamp = 0, second_stamp = 0;
  uint16_t first_site = 0, second_site = 0;
  uint16_t apart =
      0; // the second one's item is so many after the first one's, by as many bits as an item has
  uint16_t context = 0; // 0: it is free
  uint32_t last_stamp() const { return std::max(first_stamp, second_stamp); }
};

// The same by contexts, of granules that are told of now.
struct TwoReadersNow {
  static constexpr uint32_t none = ~0u;
  uint32_t first = none, second = none, apart = 0, both = none;
  uint32_t first_stamp = 0, second_stamp = 0;
};

// By number: the stamp and the place in the source of accesses, or a set of them.
class ShadowContexts {
public:
  static constexpr uint32_t set_stamp = ~0u; // no access has it

  ShadowContexts() { clear(); }
  ShadowContexts(const ShadowContexts &) = delete;
  ShadowContexts &operator=(const ShadowContexts &) = delete;
  const uint32_t *stamps() const { return stamps_.get(); }
  uint16_t site(uint32_t number) const { return sites_[number]; }
  std::optional<uint32_t> find(uint32_t stamp, uint16_t site) const {
    const uint32_t number = recent_[place(stamp, site)];
    return stamps_[number] == stamp && sites_[number] == site ? std::optional(number)
                                                              : std::nullopt;
  }
  // Those before it are of earlier launches; others may be.
  uint32_t first_now() const { return first_now_; }
  void begin_launch() { first_now_ = free_.empty() ? used_ : 0; }
  bool is_full() const { return free_.empty() && used_ == capacity_; }
  bool is_nearly_full() const { return capacity_ - used_ + free_.size() < spare; }
  bool is_small() const { return capacity_ < full_size; }
  bool is_half_full() const { return used_ - free_.size() > capacity_ / 2; }
  void grow(); // unless it is as large as words allow, which is more than a page has words
  uint32_t add(uint32_t stamp, uint16_t site); // which is not full
  uint32_t add_set(uint16_t set) {             // the same
    return add_other(set_stamp, set);
  }
  uint32_t add_other(uint32_t stamp, uint16_t what) { // the same; no access finds it
    const uint32_t number = next();
    stamps_[number] = stamp;
    sites_[number] = what;
    return number;
  }
  void remove_set(uint32_t number) {
    stamps_[number] = 0;
    first_now_ = 0;
    free_.push_back(uint16_t(number));
  }
  uint32_t used() const { return used_; } // all numbers are below it
  // What is no more among the recent ones may be there several times. By number: the one that stands for it. False: each for itself.
  bool merge(const std::vector<bool> &needed, std::vector<uint16_t> &stands) const;
  void keep_only(const std::vector<bool> &needed);
  void clear();
  std::size_t bytes() const { return capacity_ * (sizeof(uint32_t) + sizeof(uint16_t)); }

private:
  static constexpr uint32_t first_size = 32, full_size = 256, most = 1u << RecordWord::context_bits;
  static constexpr std::size_t recents = 32, spare = 16;
  static std::size_t place(uint32_t stamp, uint16_t site) { return (stamp * 3 ^ site) % recents; }
  uint32_t next();

  uint32_t used_ = 0, capacity_ = 0, first_now_ = 0;
  std::unique_ptr<uint32_t[]> stamps_;
  std::unique_ptr<uint16_t[]> sites_;
  std::vector<uint16_t> free_;
  std::array<uint16_t, recents> recent_{};
};

// Words of granules, one after the other.
struct GranuleWords {
  const uint32_t *stamps;             // by context
  uint32_t *writes, *sinces, *others; // null if there are none, but sinces
  std::span<const TwoReadersNow> readers = {};
};

// Of atomics by work-items of one group: the page where they are, and the word that item 0 leaves there.
struct AtomicsOnPage {
  uintptr_t first; // address
  uint32_t *sinces;
  const uint32_t *stamps;     // by context
  uint32_t first_context_now; // those before it are of earlier launches, and others may be
  uint32_t word;
};

class ShadowPage {
public:
  static constexpr std::size_t bytes = 4096;

  // What may throw std::bad_alloc leaves the page as it can be destroyed, and be visited by others.
  explicit ShadowPage(uintptr_t first = 0) : first_(first), sinces_(made_plane()) { count(); }
  ~ShadowPage() { CheckMemory::release(counted_); }
  ShadowPage(const ShadowPage &) = delete;
  ShadowPage &operator=(const ShadowPage &) = delete;
  bool has(uintptr_t address) const { return address - first_ < bytes; }
  uintptr_t first() const { return first_; }

  // `is_alone`: no other thread visits any page in this launch.
  void lock(uint64_t launch, bool is_alone = false) {
    lock_.lock_unless(is_alone);
    if (launch_ != launch) [[unlikely]]
      begin(launch);
  }
  void unlock() { lock_.unlock(); }

  // What the launch does with the page is remembered as rows from here on, or is already. `may_begin`: if it is the first.
  bool use_rows(bool may_begin) {
    return use_ == Use::rows || (use_ == Use::none && may_begin && begin_rows());
  }
  bool uses_rows() const { return use_ == Use::rows; }
  bool uses_words() const { return use_ == Use::words; }
  ShadowRow &row(std::size_t number) { return (*rows_)[number]; }
  // The same for words: before anything but rows is looked at. What the rows have is in words then.
  void use_words() {
    if (use_ != Use::words) [[unlikely]]
      leave_rows();
  }

  std::size_t granule() const { return granule_; }
  void make_bytes(); // granules of one byte from now on
  std::size_t index(uintptr_t address) const { return (address & (bytes - 1)) / granule_; }

  // By granules: the last plain write, or a second reader; the only other access since, or a set of them; a second reader of
  // what this launch has written, perhaps long ago. Stamps of earlier launches may be there.
  uint32_t *writes() { return writes_.get(); }
  uint32_t *sinces() { return sinces_.get(); }
  uint32_t *others() { return others_.get(); }
  GranuleWords words(std::size_t index) {
    return {contexts_.stamps(), writes_ ? writes_.get() + index : nullptr, sinces_.get() + index,
            others_ ? others_.get() + index : nullptr, readers_now_};
  }
  void begin_writes() { // before one that writes plainly, or a second reader
    if (!writes_) [[unlikely]]
      make_writes();
  }
  uint32_t &make_other(std::size_t index);
  // The one record since, and that of a word of this page, are of two that read. False: there is no place for that.
  bool make_two(std::size_t index, uint32_t word);
  std::array<AccessRecord, 2> two(uint32_t word) const; // which is of two
  bool is_set(uint32_t word) const { return stamp(word) == ShadowContexts::set_stamp; }
  ShadowSet &set(uint32_t word) { // which is of one
    return (*sets_)[set_number(word)];
  }
  void add_to_set(std::size_t index, const AccessRecord &record); // with what there is
  void keep_of_set(std::size_t index, const std::vector<AccessRecord> &records); // some of its
  void drop_set(std::size_t index);                     // nothing is there afterwards
  void forget(std::size_t index, std::size_t granules); // all that was there

  // For words of this page, until the next call.
  uint32_t context_of(uint32_t stamp, uint16_t site) {
    if (contexts_.is_nearly_full()) [[unlikely]]
      make_room(); // for sets, too: none is forgotten until the next call
    if (used_two_readers_ >= most_two_readers_) [[unlikely]]
      forget_two_readers();
    const auto known = contexts_.find(stamp, site);
    if (only_site_ != site)
      note_site(site);
    return known ? *known : new_context(stamp, site);
  }
  // Has the launch made no other accesses to this page than those of that place in the source? That, where words are, and which
  // contexts they have, is so as long as the version is the same.
  bool has_only(uint16_t site) const { return only_site_ == site && !have_sets() && !others_; }
  uint32_t version() const { return version_; }
  AtomicsOnPage atomics(uint32_t word) const { // whose context that has
    return {first_, sinces_.get(), contexts_.stamps(), contexts_.first_now(),
            word & ~RecordWord::run_and_item_mask};
  }
  uint32_t stamp(uint32_t word) const { return contexts_.stamps()[RecordWord::context(word)]; }
  uint16_t site(uint32_t word) const {
    return contexts_.site(RecordWord::context(word));
  } // unless it is a set's
  AccessRecord record(uint32_t word) const;
  // Who writes where nothing was since that item has written, with a stamp between these. False: that is not so.
  [[gnu::always_inline]] bool replace_write(uintptr_t address, uint32_t word, uint32_t item,
                                            uint32_t from, uint32_t to) {
    if (granule_ != most_granule || others_ || !writes_)
      return false;
    const std::size_t index = (address & (bytes - 1)) / most_granule;
    uint32_t &write = writes_[index];
    if (sinces_[index] || stamp(write) - from > to - from ||
        (write & RecordWord::run_and_item_mask) != item)
      return false;
    write = word;
    return true;
  }

private:
  static constexpr std::size_t most_granule = 4;

  void begin(uint64_t launch); // unlocks if it throws
  void note_site(uint16_t site);
  std::unique_ptr<uint32_t[]> made_plane() const;
  void make_writes();
  void count();
  void make_room();
  uint32_t new_context(uint32_t stamp, uint16_t site);
  void forget_contexts();
  void forget_two_readers();
  AccessRecord record(uint32_t stamp, uint16_t site, uint32_t item) const;
  bool have_sets() const { return sets_ && sets_->are_used(); }
  uint32_t set_number(uint32_t word) const { return contexts_.site(RecordWord::context(word)); }
  void begin_sets();
  void become_set(std::size_t index, uint32_t set);
  void clear();
  bool begin_rows();
  void leave_rows();
  void leave_run(std::size_t index, const ShadowRun &run, bool is_write);

  enum class Use : uint8_t { none, rows, words };

  const uintptr_t first_; // address
  ShortLock lock_;
  Use use_ = Use::none; // by this launch
  uint64_t launch_ = 0; // that was here last
  static constexpr uint32_t no_site = ~0u, several_sites = ~0u - 1;
  uint32_t only_site_ = no_site; // of all accesses of it
  uint32_t version_ = 0;
  std::size_t granule_ = most_granule, room_ = bytes / most_granule; // for granules
  std::unique_ptr<uint32_t[]> writes_, sinces_, others_;
  std::unique_ptr<ShadowRows> rows_; // null: there were none
  ShadowContexts contexts_;
  std::unique_ptr<ShadowSets> sets_; // null: there were none
  static constexpr std::size_t first_two_readers = 16, all_two_readers = 128;
  std::vector<TwoReaders> two_readers_; // by what their contexts have for a site
  std::size_t used_two_readers_ = 0;
  std::size_t most_two_readers_ =
      first_two_readers; // with so many, those that no word names are looked for
  std::array<TwoReadersNow, 2> readers_now_{};
  std::size_t counted_ = 0;
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

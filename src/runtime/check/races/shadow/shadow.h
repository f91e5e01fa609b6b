// Shadow memory of the race checker: per shadow cell (granule) the last plain write, and the
// accesses since that a later access may have to be ordered after.
//
// A page has cells of four bytes until an access is smaller or unaligned. From then on its cells
// have one byte, so that writes of neighboring bytes are not a race. Pages are created at the first
// access. Later launches reuse them without clearing: old epochs are lower than all of the launch.
//
// A cell has two 32-bit words, and comparing them decides most accesses (quick_check.h). A word
// refers to one of the page's few contexts: epoch and source place. The first word is the last
// write or, if this launch has not written the cell, a second reader. If only barriers order,
// written and read by several is a race, so that both are seldom needed.
//
// If both are needed for two readers of one group, the second word names the first reader and a
// context of the pair. Neighboring cells mostly share that context. Some pages get a third word per
// cell: those where pairs differ too much, and those whose reports must name both readers.
// Otherwise the cell has a set of accesses (shadow_sets.h).
//
// If rows of work-items access rows of cells, ordered by atomics, a page may have runs instead of
// words (shadow_rows.h).
#pragma once

#include "platform/linux/short_lock.h"
#include "runtime/check/options/check_memory.h"
#include "runtime/check/races/shadow/access_record.h"
#include "runtime/check/races/shadow/fetch_to_write.h"
#include "runtime/check/races/shadow/page_directory.h"
#include "runtime/check/races/shadow/shadow_rows.h"
#include "runtime/check/races/shadow/shadow_sets.h"

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

// An access record packed into a word of a page. Its items are a power of two in number,
// consecutive. Bits from the top: context number, atomic bit, run, item. The site determines kind
// and scope. The context may also refer to a set of records.
struct RecordWord {
  static constexpr unsigned item_bits = 13, run_bits = 4, context_bits = 14;
  static constexpr uint32_t item_mask = (1u << item_bits) - 1,
                            run_and_item_mask = (1u << (item_bits + run_bits)) - 1,
                            run_mask = run_and_item_mask ^ item_mask,
                            atomic_bit = run_and_item_mask + 1; // or a guess
  // Instead of a power of two: this work-item and at least one more of its group have accessed
  // since the last barrier. Any later accessor differs from at least one of them.
  static constexpr uint32_t several = run_mask;
  // In the write word: a second reader, here of another group than the first one. The two represent
  // all readers.
  static constexpr uint32_t reader_bit = atomic_bit, of_another_group = 14u << item_bits;
  static uint32_t second_reader(uint32_t word) { return word | reader_bit; }
  static uint32_t reader_of_another_group(uint32_t word) {
    return (word & ~run_mask) | reader_bit | of_another_group;
  }
  static bool is_of_another_group(uint32_t word) {
    return (word & (run_mask | reader_bit)) == (of_another_group | reader_bit);
  }
  // The context is a pair of readers; the item is the first reader.
  static constexpr uint32_t two_readers = 14u << item_bits;
  static bool is_of_two(uint32_t word) { return (word & (run_mask | atomic_bit)) == two_readers; }
  static constexpr unsigned context_shift = item_bits + run_bits + 1;
  static_assert(context_shift + context_bits == 32);
  static constexpr uint32_t no_context = 0; // the cell has not been accessed; no stored word has it

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

// A pair of work-items of one group that have read a cell.
struct TwoReaders {
  uint32_t first_epoch = 0, second_epoch = 0;
  uint16_t first_site = 0, second_site = 0;
  // The item number of the second reader minus that of the first, modulo 1 << item_bits.
  uint16_t distance = 0;
  uint16_t context = 0; // 0: the slot is free
  uint32_t last_epoch() const { return std::max(first_epoch, second_epoch); }
};

// The same by context numbers, for the pairs of the current accesses.
struct TwoReadersNow {
  static constexpr uint32_t none = ~0u;
  uint32_t first = none, second = none, distance = 0, both = none;
  uint32_t first_epoch = 0, second_epoch = 0;
};

// The contexts of a page by number: epoch and source place, or a set of accesses.
class ShadowContexts {
public:
  static constexpr uint32_t set_epoch = ~0u; // no access has this epoch

  ShadowContexts() { clear(); }
  ShadowContexts(const ShadowContexts &) = delete;
  ShadowContexts &operator=(const ShadowContexts &) = delete;
  const uint32_t *epochs() const { return epochs_.get(); }
  uint16_t site(uint32_t number) const { return sites_[number]; }
  std::optional<uint32_t> find(uint32_t epoch, uint16_t site) const {
    const uint32_t number = recent_[place(epoch, site)];
    return epochs_[number] == epoch && sites_[number] == site ? std::optional(number)
                                                              : std::nullopt;
  }
  // Contexts with lower numbers are of earlier launches; later ones may be, too.
  uint32_t first_now() const { return first_now_; }
  void begin_launch() { first_now_ = free_.empty() ? used_ : 0; }
  bool is_full() const { return free_.empty() && used_ == capacity_; }
  bool is_nearly_full() const { return capacity_ - used_ + free_.size() < spare; }
  bool is_small() const { return capacity_ < full_size; }
  bool is_half_full() const { return used_ - free_.size() > capacity_ / 2; }
  void grow(); // unless it has the maximum size, which exceeds the number of words of a page
  uint32_t add(uint32_t epoch, uint16_t site); // requires !is_full()
  uint32_t add_set(uint16_t set) {             // requires !is_full()
    return add_other(set_epoch, set);
  }
  // Requires !is_full(); find() does not return it
  uint32_t add_other(uint32_t epoch, uint16_t what) {
    const uint32_t number = next();
    epochs_[number] = epoch;
    sites_[number] = what;
    return number;
  }
  void remove_set(uint32_t number) {
    epochs_[number] = 0;
    first_now_ = 0;
    free_.push_back(uint16_t(number));
  }
  uint32_t used() const { return used_; } // all numbers are lower
  void fetch() const {                    // prefetches the next ones
    fetch_to_write(epochs_.get() + used_);
    fetch_to_write(sites_.get() + used_);
  }
  // Contexts that have left the recent list may have duplicates. Sets `stands` to the
  // representative of each. Returns false if there are no duplicates.
  bool merge(const std::vector<bool> &needed, std::vector<uint16_t> &stands) const;
  void keep_only(const std::vector<bool> &needed);
  void clear();
  std::size_t bytes() const { return capacity_ * (sizeof(uint32_t) + sizeof(uint16_t)); }

private:
  static constexpr uint32_t first_size = 32, full_size = 256, most = 1u << RecordWord::context_bits;
  static constexpr std::size_t recents = 32, spare = 16;
  static std::size_t place(uint32_t epoch, uint16_t site) { return (epoch * 3 ^ site) % recents; }
  uint32_t next();

  uint32_t used_ = 0, capacity_ = 0, first_now_ = 0;
  std::unique_ptr<uint32_t[]> epochs_;
  std::unique_ptr<uint16_t[]> sites_;
  std::vector<uint16_t> free_;
  std::array<uint16_t, recents> recent_{};
};

// Pointers to the words of consecutive cells.
struct GranuleWords {
  const uint32_t *epochs;             // by context
  uint32_t *writes, *sinces, *others; // may be null, except sinces
  std::span<const TwoReadersNow> readers = {};
};

// For atomics by work-items of one group: the page, and the word that item 0 stores there.
struct AtomicsOnPage {
  uintptr_t first; // address
  uint32_t *sinces;
  const uint32_t *epochs;     // by context
  uint32_t first_context_now; // lower contexts are of earlier launches; others may be, too
  uint32_t word;
};

class alignas(line_bytes) ShadowPage {
public:
  static constexpr std::size_t bytes = 4096;

  // If a function throws std::bad_alloc, the page stays valid.
  explicit ShadowPage(uintptr_t first = 0) : first_(first), sinces_(made_words()) { count(); }
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
  // Prefetches all lines that an access to one cell is about to change at once, not one by one:
  // another thread has often visited the page last. Requires the lock.
  void fetch(uintptr_t address) const {
    const auto *first = reinterpret_cast<const std::byte *>(this),
               *end = reinterpret_cast<const std::byte *>(&contexts_ + 1);
    for (const std::byte *at = first + line_bytes; at < end; at += line_bytes)
      fetch_to_write(at);
    const std::size_t cell = index(address);
    fetch_to_write(sinces_.get() + cell);
    if (writes_)
      fetch_to_write(writes_.get() + cell);
    contexts_.fetch();
  }

  // Whether the page uses rows in this launch. `may_begin`: starts to use rows if this is the first
  // access.
  bool use_rows(bool may_begin) {
    return use_ == Use::rows || (use_ == Use::none && may_begin && begin_rows());
  }
  bool uses_rows() const { return use_ == Use::rows; }
  bool uses_words() const { return use_ == Use::words; }
  ShadowRow &row(std::size_t number) { return (*rows_)[number]; }
  // Switches to words, before any access that is not a row. Converts existing rows.
  void use_words() {
    if (use_ != Use::words) [[unlikely]]
      leave_rows();
  }

  std::size_t granule() const { return granule_; }
  void make_bytes(); // switches to one-byte cells
  std::size_t index(uintptr_t address) const { return (address & (bytes - 1)) / granule_; }

  // Words by cell: the last plain write or a second reader; the only other access since, or a set
  // of them; a second reader of what this launch has written. May have epochs of earlier launches.
  uint32_t *writes() { return writes_.get(); }
  uint32_t *sinces() { return sinces_.get(); }
  uint32_t *others() { return others_.get(); }
  GranuleWords words(std::size_t index) {
    return {contexts_.epochs(), writes_ ? writes_.get() + index : nullptr, sinces_.get() + index,
            others_ ? others_.get() + index : nullptr, readers_now_};
  }
  // Prefetches the words of cells that rows after this one use: most rows continue the last one.
  void fetch_after(std::size_t index) const {
    constexpr std::size_t line = line_bytes / sizeof(uint32_t), ahead = 4 * line;
    const bool is_first = index < line; // nothing has been prefetched for this page
    for (std::size_t at = index + (is_first ? line : ahead); at <= index + ahead; at += line) {
      if (at >= bytes / granule_)
        return;
      fetch_to_write(sinces_.get() + at);
      if (writes_)
        fetch_to_write(writes_.get() + at);
    }
  }
  void begin_writes() { // before a plain write or a second reader is stored
    if (!writes_) [[unlikely]]
      make_writes();
  }
  uint32_t &make_other(std::size_t index);
  // Combines the single record since the write and `word` to a pair of readers. Returns false if
  // there is no room.
  bool make_two(std::size_t index, uint32_t word);
  std::array<AccessRecord, 2> two(uint32_t word) const; // requires that the word has a pair
  bool is_set(uint32_t word) const { return epoch(word) == ShadowContexts::set_epoch; }
  ShadowSet &set(uint32_t word) { // requires that the word has a set
    return (*sets_)[set_number(word)];
  }
  void add_to_set(std::size_t index, const AccessRecord &record); // with the existing records
  // Reduces the set to these
  void keep_of_set(std::size_t index, const std::vector<AccessRecord> &records);
  void drop_set(std::size_t index);                     // the cell is empty afterwards
  void forget(std::size_t index, std::size_t granules); // clears the cells

  // The context number for words of this page. Valid until the next call.
  uint32_t context_of(uint32_t epoch, uint16_t site) {
    if (contexts_.is_nearly_full()) [[unlikely]]
      make_room(); // for sets, too; contexts stay until the next call
    if (used_two_readers_ >= most_two_readers_) [[unlikely]]
      forget_two_readers();
    const auto known = contexts_.find(epoch, site);
    if (only_site_ != site)
      note_site(site);
    return known ? *known : new_context(epoch, site);
  }
  // Whether this source place has made all accesses of the launch to this page. This, the addresses
  // of words, and their contexts stay valid as long as version() is the same.
  bool has_only(uint16_t site) const { return only_site_ == site && !have_sets() && !others_; }
  uint32_t version() const { return version_; }
  AtomicsOnPage atomics(uint32_t word) const { // `word` has the context
    return {first_, sinces_.get(), contexts_.epochs(), contexts_.first_now(),
            word & ~RecordWord::run_and_item_mask};
  }
  uint32_t epoch(uint32_t word) const { return contexts_.epochs()[RecordWord::context(word)]; }
  uint16_t site(uint32_t word) const {
    return contexts_.site(RecordWord::context(word));
  } // requires that the word has no set
  AccessRecord record(uint32_t word) const;
  // Replaces the last write by a new one, if it was by `item` in these epochs and the cell was not
  // accessed since. Returns false otherwise.
  [[gnu::always_inline]] bool replace_write(uintptr_t address, uint32_t word, uint32_t item,
                                            uint32_t from, uint32_t to) {
    if (granule_ != most_granule || others_ || !writes_)
      return false;
    const std::size_t index = (address & (bytes - 1)) / most_granule;
    uint32_t &write = writes_[index];
    if (sinces_[index] || epoch(write) - from > to - from ||
        (write & RecordWord::run_and_item_mask) != item)
      return false;
    write = word;
    return true;
  }

private:
  static constexpr std::size_t most_granule = 4;

  void begin(uint64_t launch); // unlocks if it throws
  void note_site(uint16_t site);
  std::unique_ptr<uint32_t[]> made_words() const;
  void make_writes();
  void count();
  void make_room();
  uint32_t new_context(uint32_t epoch, uint16_t site);
  void forget_contexts();
  void forget_two_readers();
  AccessRecord record(uint32_t epoch, uint16_t site, uint32_t item) const;
  bool have_sets() const { return sets_ && sets_->are_used(); }
  uint32_t set_number(uint32_t word) const { return contexts_.site(RecordWord::context(word)); }
  void begin_sets();
  void become_set(std::size_t index, uint32_t set);
  void clear();
  bool begin_rows();
  void leave_rows();
  void leave_run(std::size_t index, const ShadowRun &run, bool is_write);

  enum class Use : uint8_t { none, rows, words };

  ShortLock lock_;                            // in a line of its own, which waiting threads read
  alignas(line_bytes) const uintptr_t first_; // address
  Use use_ = Use::none;                       // in this launch
  uint64_t launch_ = 0;                       // the last launch that used the page
  static constexpr uint32_t no_site = ~0u, several_sites = ~0u - 1;
  uint32_t only_site_ = no_site; // place of all accesses of this launch
  uint32_t version_ = 0;
  std::size_t granule_ = most_granule, room_ = bytes / most_granule; // capacity in cells
  std::unique_ptr<uint32_t[]> writes_, sinces_, others_;
  std::unique_ptr<ShadowRows> rows_; // null: not used so far
  ShadowContexts contexts_;
  std::unique_ptr<ShadowSets> sets_; // null: not used so far
  static constexpr std::size_t first_two_readers = 16, all_two_readers = 128;
  std::vector<TwoReaders> two_readers_; // indexed by the site of their contexts
  std::size_t used_two_readers_ = 0;
  // At this number, unreferenced pairs are collected.
  std::size_t most_two_readers_ = first_two_readers;
  std::array<TwoReadersNow, 2> readers_now_{};
  std::size_t counted_ = 0;
};

using Shadow = PageDirectory<ShadowPage, 12>;
static_assert(ShadowPage::bytes == 1 << 12);

} // namespace lockstep::runtime

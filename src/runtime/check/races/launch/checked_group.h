// The checker's state of one running work-group: its current epoch, and what its work-items know of
// other groups.
//
// A group's epoch grows at each barrier and each release. An access is identified by its
// epoch and work-item, so that "before the last barrier" and "before the release that I acquired"
// are comparisons.
//
// Global and local memory are ordered separately (OpenCL API 3.3.4). A barrier advances `base` only
// for the memories that its flags name.
#pragma once

#include "abi/check_abi.h"
#include "platform/linux/short_lock.h"
#include "runtime/check/options/thread_slot.h"
#include "runtime/check/races/clocks/clock.h"
#include "runtime/check/races/clocks/synchronization.h"
#include "runtime/check/races/shadow/shadow.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::runtime {

inline constexpr unsigned checked_global = 0, checked_local = 1; // indices of two-element arrays

// State at a release: the clock of the releasing work-item, and the epoch of that work-item or its
// group.
struct Released {
  Clock known{};
  Clock::Entry own{};
  explicit operator bool() const { return own.before || own.up_to.highest(); } // false: no release
  void clear() {
    if (*this) {
      known.clear();
      own = {};
    }
  }
};

struct FenceClocks {
  template <class Each>
  using ByReach = std::array<std::array<Each, 2>, 3>; // device, work-group, sub-group
  // Clocks that relaxed atomics have read from releases of at least that reach. A later acquire
  // fence of at least that scope joins them.
  ByReach<Clock> pending{};
  // State at the last release fence of at least that scope, which a later relaxed atomic releases.
  ByReach<Released> fenced{};
  void clear() {
    for (auto &reach : pending)
      for (Clock &clock : reach)
        clock.clear();
    for (auto &reach : fenced)
      for (Released &each : reach)
        each.clear();
  }
};

struct ItemClocks {
  // Include what the group knows; the group's clock applies unless has_known
  std::array<Clock, 2> known{};
  std::array<bool, 2> has_known{};
  ItemClocks() = default;
  ItemClocks(ItemClocks &&) = default;
  ItemClocks &operator=(const ItemClocks &other) {
    known = other.known;
    has_known = other.has_known;
    if (other.has_fences_)
      with_fences() = *other.fences_;
    else
      clear_fences();
    return *this;
  }
  FenceClocks *fences() const {
    return has_fences_ ? fences_.get() : nullptr;
  } // null: no fences so far
  FenceClocks &with_fences() {
    if (!fences_)
      fences_ = std::make_unique<FenceClocks>();
    has_fences_ = true;
    return *fences_;
  }
  [[gnu::always_inline]] void clear(Clock::SpareLine &spare) {
    for (unsigned memory = 0; memory != known.size(); ++memory)
      if (std::exchange(has_known[memory], false))
        known[memory].clear(spare);
    clear_fences();
  }

private:
  [[gnu::always_inline]] void clear_fences() { // keeps their memory
    if (std::exchange(has_fences_, false))
      fences_->clear();
  }
  std::unique_ptr<FenceClocks> fences_;
  bool has_fences_ = false;
};

// Maps work-items to their clocks, for work-items whose clocks have diverged from the group's.
// Lanes of a sub-group that acquired the same release share an entry. The next group reuses the
// memory.
// A few entries are searched linearly: for example, one item of a group counts it, then all wait.
// Many entries use a table by item: for example, each item takes a lock.
class ItemTable {
public:
  struct Own {
    uint64_t lanes = 0; // work-items that share it, from first_item on
    uint32_t first_item = 0;
    ItemClocks clocks{};
    uint64_t lanes_from(uint32_t first) const { // relative to `first`
      const int64_t distance = int64_t(first_item) - first;
      if (distance <= -64 || distance >= 64)
        return 0;
      return distance >= 0 ? lanes << distance : lanes >> -distance;
    }
  };
  bool empty() const { return used_ == 0; }
  SeparateVector<Own>::iterator begin() { return list_.begin(); }
  SeparateVector<Own>::iterator end() { return list_.begin() + std::ptrdiff_t(used_); }
  // Whether these work-items share one entry, or none of them has one.
  bool are_alike(uint64_t lanes, uint64_t first_item) const {
    if (empty())
      return true;
    const uint32_t place = place_of(uint32_t(first_item) + uint32_t(std::countr_zero(lanes)));
    return with(place, lanes, uint32_t(first_item)) == lanes;
  }
  const ItemClocks *find(uint32_t item) const {
    const uint32_t place = place_of(item);
    return place ? &list_[place - 1].clocks : nullptr;
  }
  // Returns the item's exclusive entry; null: it has none, or a shared one. `begins`: creates an
  // entry if the item has none and there is room.
  [[gnu::always_inline]] ItemClocks *find_one(uint32_t item, bool begins = false) {
    if (item == last_item_) // the item that takes a lock also releases it
      return last_;
    if (const uint32_t place = place_of(item))
      return list_[place - 1].lanes == 1 ? &list_[place - 1].clocks : nullptr;
    if (!begins || used_ == room_ || (has_places_ ? item >= places_.size() : used_ == few))
      return nullptr;
    Own &own = list_[used_++];
    own.lanes = 1;
    own.first_item = item;
    if (has_places_)
      places_[item] = used_;
    last_item_ = item;
    return last_ = &own.clocks;
  }
  // Returns the item's exclusive entry, for a change. Valid until the next entry is created.
  ItemClocks &operator[](uint32_t item) {
    const uint32_t place = place_of(item);
    if (place && std::has_single_bit(list_[place - 1].lanes))
      return list_[place - 1].clocks;
    return part(place, 1, item);
  }
  // Applies `function` to all of these items, once per entry.
  template <class Function> void change(uint64_t lanes, uint32_t first_item, Function function) {
    while (lanes) {
      const uint32_t place = place_of(first_item + uint32_t(std::countr_zero(lanes)));
      const uint64_t some = with(place, lanes, first_item);
      lanes &= ~some;
      const bool are_all = place && list_[place - 1].lanes_from(first_item) == some &&
                           std::popcount(some) == std::popcount(list_[place - 1].lanes);
      function(are_all ? list_[place - 1].clocks : part(place, some, first_item));
    }
  }
  // The subset of these work-items that have an entry.
  uint64_t those_with(uint64_t lanes, uint32_t first_item) const {
    uint64_t some = 0;
    for (uint32_t i = 0; i != used_; ++i)
      some |= lanes & list_[i].lanes_from(first_item);
    return some;
  }
  void fetch() const {
    for (const std::byte *at = reinterpret_cast<const std::byte *>(list_.data()),
                         *end = at + std::min(list_.size(), fetched) * sizeof(Own);
         at < end; at += line_bytes)
      fetch_to_write(at);
  }
  void clear(Clock::SpareLine &spare) {
    for (Own &each : *this) {
      if (has_places_)
        set_places(each, 0);
      each.lanes = 0;
      each.clocks.clear(spare);
    }
    used_ = 0;
    last_item_ = no_item;
  }
  // Called for another launch, whose groups may have few entries.
  void forget_places() { has_places_ = false; }

private:
  static constexpr uint32_t few = 4, no_item = ~0u;
  static constexpr std::size_t fetched = 2;

  // Index + 1 of the item's entry; 0: none.
  [[gnu::always_inline]] uint32_t place_of(uint32_t item) const {
    if (has_places_) [[likely]]
      return item < places_.size() ? places_[item] : 0;
    return used_ ? place_among_few(item) : 0;
  }
  [[gnu::noinline]] uint32_t place_among_few(uint32_t item) const {
    for (uint32_t i = 0; i != used_; ++i)
      if (item - list_[i].first_item < 64 && list_[i].lanes >> (item - list_[i].first_item) & 1)
        return i + 1;
    return 0;
  }
  // The lanes that have the same entry, or lack of one, as the first lane.
  uint64_t with(uint32_t place, uint64_t lanes, uint32_t first_item) const {
    if (!(lanes & (lanes - 1)))
      return lanes;
    if (place)
      return lanes & list_[place - 1].lanes_from(first_item);
    for (uint32_t i = 0; i != used_; ++i)
      lanes &= ~list_[i].lanes_from(first_item);
    return lanes;
  }
  void set_places(const Own &own, uint32_t place) {
    for (uint64_t left = own.lanes; left; left &= left - 1)
      places_[own.first_item + unsigned(std::countr_zero(left))] = place;
  }
  [[gnu::noinline]] void make_places() {
    for (uint32_t i = 0; i != used_; ++i) {
      const std::size_t end = list_[i].first_item + std::size_t(std::bit_width(list_[i].lanes));
      if (end > places_.size())
        places_.resize(end);
      set_places(list_[i], i + 1);
    }
    has_places_ = true;
  }
  ItemClocks &part(uint32_t place, uint64_t lanes, uint32_t first_item);

  SeparateVector<Own> list_;     // unused entries are empty
  uint32_t used_ = 0, room_ = 0; // number of entries in use, and of those allocated
  bool has_places_ = false;
  uint32_t last_item_ = no_item;
  ItemClocks *last_ = nullptr;      // find_one(last_item_), until an entry is created
  SeparateVector<uint32_t> places_; // zeros unless has_places_
};

// Creates an entry for these lanes, which have shared the one at `place` with others.
[[gnu::always_inline]] inline ItemClocks &ItemTable::part(uint32_t place, uint64_t lanes,
                                                          uint32_t first_item) {
  const std::size_t end = first_item + std::size_t(std::bit_width(lanes));
  last_item_ = no_item;
  if (used_ == few && !has_places_) [[unlikely]]
    make_places();
  if (has_places_ && end > places_.size())
    places_.resize(end);
  if (used_ == room_) {
    list_.emplace_back();
    ++room_;
  }
  Own &own = list_[used_++];
  own.lanes = lanes;
  own.first_item = first_item;
  if (has_places_)
    set_places(own, used_);
  if (place) {
    Own &before = list_[place - 1];
    before.lanes &= ~own.lanes_from(before.first_item);
    own.clocks = before.clocks;
  }
  return own.clocks;
}

// The last acquire, for reports.
struct Acquired {
  uint16_t place = 0; // NumberedSites
  uintptr_t address = 0;
  uint64_t releases = 0;   // number that it saw, at least
  uint32_t from_group = 0; // of the last release
  uint32_t item = 0;       // the acquiring work-item
};

// The work-items in a window of 64 that have released in the group's current epoch. Their later
// accesses need a new epoch. Other work-items can stay in the epoch: a lock that they take in turn
// then does not fill a page with contexts.
class ReleasedItems {
public:
  void clear() { bits_ = 0; }
  bool may_add(uint32_t item) const { return !bits_ || item / 64 == window_; }
  void add(uint32_t item) {
    window_ = item / 64;
    bits_ |= uint64_t(1) << item % 64;
  }
  bool has(uint32_t item) const { return item / 64 == window_ && bits_ >> item % 64 & 1; }
  bool has_some(uint64_t lanes, uint64_t first_item) const {
    if (!bits_) [[likely]]
      return false;
    const auto distance = int64_t(first_item) - int64_t(window_) * 64;
    if (distance <= -64 || distance >= 64)
      return false;
    return bits_ & (distance < 0 ? lanes >> -distance : lanes << distance);
  }

private:
  uint64_t bits_ = 0, window_ = 0;
};

// A sub-group's barrier orders its lanes, for both memories.
struct SubGroupBarrier {
  Epoch passed = 0; // lower epochs are ordered; 0: no barrier so far
};

// The work-items that have reported one call of a group operation. A work-item reports the next
// call only after all have reported this one.
class OneCall {
public:
  uint64_t items() const { return items_; }
  // Returns false and changes nothing if this is a different call than the last one.
  bool add(uint64_t intervals, uint64_t lanes, uint64_t first_item);
  void begin(uint64_t intervals, uint64_t lanes, uint64_t first_item);
  uint64_t first_that(bool has_reported) const;

private:
  static constexpr std::size_t most_at_hand = 16; // groups seldom have more than 1,024 work-items
  static std::array<uint64_t, 2> bits_of(uint64_t lanes, uint64_t first_item);
  uint64_t reported(std::size_t word) const {
    return word < most_at_hand                  ? has_reported_[word]
           : word - most_at_hand < more_.size() ? more_[word - most_at_hand]
                                                : 0;
  }
  void set(std::size_t word, uint64_t bits);
  void note(uint64_t lanes, uint64_t first_item);
  uint64_t intervals_ = 0, items_ = 0;
  std::array<uint64_t, most_at_hand> has_reported_{}; // one bit per work-item
  std::vector<uint64_t> more_;
};

// The work-items that have reached a barrier or another group operation.
struct Arrival {
  uint16_t place = 0; // NumberedSites; 0: none has reached one
  OneCall call;
};

struct ItemValue {
  uint64_t item = 0, value = 0;
};

// The value that the work-items of a group pass to one group operation.
struct RecordedArgument {
  uint16_t place = 0;
  ItemValue value; // of the first work-item that reported
  OneCall call;
};

// The events of a wait. `reported_by` is the first item of the sub-group that reported last; `next` is
// the index of its next event.
struct Awaited {
  uint16_t place = 0;
  SeparateVector<ItemValue> events;
  uint64_t reported_by = 0;
  std::size_t next = 0;
  void clear() { // keeps the memory
    place = 0;
    events.clear();
    next = 0;
  }
};

// One side of an async copy that no wait has completed yet.
struct RecordedCopy {
  uint16_t place = 0;
  uint64_t intervals = 0;
  Epoch began = 0;
  uint64_t event = 0; // 0: unknown, so that any wait completes it
  // Places of the wait that did not cover it, and of the copy that this wait was for
  uint16_t passed_over = 0, for_another = 0;
};

// Atomics of one source place that were the only accesses to a page at their last report
// (ShadowPage::has_only). A small table may be on two pages.
struct AloneOnPages {
  uint16_t place = 0; // NumberedSites
  Epoch epoch = 0;
  unsigned many = 0, last = 0;
  std::array<ShadowPage *, 2> pages{}; // by address
  std::array<uint32_t, 2> versions{};
  std::array<AtomicsOnPage, 2> atomics{};
  void note(uint16_t its_place, Epoch its_epoch, ShadowPage &page, uint32_t word);
};

inline void AloneOnPages::note(uint16_t its_place, Epoch its_epoch, ShadowPage &page,
                               uint32_t word) {
  if (place != its_place || epoch != its_epoch)
    many = 0;
  place = its_place;
  epoch = its_epoch;
  unsigned at = unsigned(std::find(pages.begin(), pages.begin() + many, &page) - pages.begin());
  if (at == pages.size())
    at = 1 - last;
  many = std::max(many, at + 1);
  last = at;
  pages[at] = &page;
  versions[at] = page.version();
  atomics[at] = page.atomics(word);
  if (many == 2 && pages[1]->first() < pages[0]->first()) {
    std::swap(pages[0], pages[1]);
    std::swap(versions[0], versions[1]);
    std::swap(atomics[0], atomics[1]);
    last = 1 - last;
  }
}

// The context of one work-item's last write on that page.
struct WrittenPage {
  Epoch epoch = 0;                // 0: no write
  uint16_t place = 0;             // NumberedSites
  uint32_t version = 0, word = 0; // the word for item 0
  ShadowPage *page = nullptr;
};

// Epochs reserved for groups that use one slot in sequence, so that not each group needs the shared
// counter (EpochOwners).
struct EpochBlocks {
  static constexpr Epoch most = 64;
  uint64_t launch = 0; // LaunchCheck's number
  Epoch next = 0, end = 0, many = 0;
};

struct alignas(separate_bytes) CheckedGroup {
  // Fields that almost every access reads come first.
  uint64_t launch = 0; // LaunchCheck's number; 0: not in use
  uint32_t number = 0;
  Epoch now = 0, first = 0, run = 0;  // all epochs from `run` to `now` are its own
  Epoch earlier = 0, earlier_end = 0; // and those in [earlier, earlier_end): the run before
  uint64_t intervals = 0;
  std::array<Epoch, 2> base{}; // lower epochs are ordered before everything that follows
  ReleasedItems released;
  std::array<Clock, 2> known{};
  ItemTable items;
  uintptr_t version_of = 0; // address of the object whose clock the group knows
  // Address of the last atomic, possibly by an earlier group in this slot, and its object; null:
  // unknown.
  uintptr_t last_address = 0;
  Synchronization *object = nullptr;
  // Set while the checker makes an access for the group under a lock (HeldLock)
  ShortLock *held = nullptr;
  WrittenPage written;
  Acquired acquired;
  SeparateVector<SubGroupBarrier> sub_group_barriers; // by item; the last one of each
  // Copies with lower epochs are ordered: by a wait, by a fence
  Epoch copies_awaited = 0, copies_divided = 0;
  uint64_t size = 0;           // work-items
  uint8_t fenced_memories = 0; // one bit per memory
  AtomicReads reads;

  SeparateVector<RecordedCopy> copies; // in progress; a wait for other copies may have passed
  AloneOnPages alone;
  std::array<Released, 2> fenced{}; // by a barrier that is a device-scope fence
  EpochBlocks epochs;
  CheckedGroup *next_free = nullptr; // for CheckedGroups
  std::array<uint64_t, 3> id{};
  uintptr_t local_memory = 0;
  uint64_t next_event = 0; // of the copy that begins
  Awaited awaited;         // by the next wait
  SeparateVector<RecordedArgument> arguments;
  Arrival arrival;
  bool is_divergence_reported = false; // divergence was reported: report no more of it

  // Resets it for another group.
  void clear();
  // Prefetches what the group needs when it resumes after a wait.
  void fetch() const {
    const auto *first = reinterpret_cast<const std::byte *>(this);
    const auto *end = reinterpret_cast<const std::byte *>(&reads) + 2 * sizeof(AtomicRead);
    for (; first < end; first += line_bytes)
      fetch_to_write(first);
  }

  // Returns the clock of a work-item. A copy knows what its group knew at the last barrier, because
  // it waits for no work-item.
  const Clock &known_by(uint32_t item, unsigned memory) const {
    if (is_copy(item) && size == 1)
      item = 0;
    const ItemClocks *found = items.find(item);
    return found && found->has_known[memory] ? found->known[memory] : known[memory];
  }
  // `began`: the epoch of the copy's accesses.
  bool is_awaited(Epoch began) const {
    if (began >= copies_awaited)
      return false;
    for (const RecordedCopy &copy : copies)
      if (copy.began == began)
        return false;
    return true;
  }
  // All copies with lower epochs have been waited for.
  Epoch all_awaited() const {
    Epoch epoch = copies_awaited;
    for (const RecordedCopy &copy : copies)
      epoch = copy.began < epoch ? copy.began : epoch;
    return epoch;
  }
  bool has_met(const SubGroupBarrier &mine, uint32_t item) const {
    return mine.passed && item < sub_group_barriers.size() &&
           sub_group_barriers[item].passed == mine.passed;
  }
  // The item joins the clock of an object. Returns true if the result is a version of that clock.
  bool acquire(uint32_t item, unsigned memory, const Clock &carried) {
    Clock &own = clock_of(items[item], memory);
    own.join(carried, Clock::SpareLine::own());
    return own.is_version_of(carried);
  }
  // The item joins the clock at its next acquire fence.
  void acquire_by_fence(uint32_t item, unsigned memory, const Clock &carried) {
    constexpr unsigned device = 0;
    items[item].with_fences().pending[device][memory].join(carried);
  }
  // Joins a clock to those of all work-items of the group.
  void acquire_as_group(unsigned memory, const Clock &carried) {
    known[memory].join(carried);
    for (auto &each : items)
      if (each.clocks.has_known[memory])
        each.clocks.known[memory].join(carried);
  }
  // Called after the item has released to `object`. If the object carries nothing unknown to the
  // item, the item takes over that version, and the result is true.
  bool has_version(uint32_t item, unsigned memory, const Clock &object) {
    const ItemClocks *found = items.find(item);
    if (!found || !found->has_known[memory] || found->known[memory].is_earlier_version_of(object) ||
        !object.is_all_of(number, item))
      return false;
    items[item].known[memory] = object;
    return true;
  }
  // The item's own clock, which starts as a copy of the group's.
  Clock &clock_of(ItemClocks &item, unsigned memory) {
    if (!item.has_known[memory]) {
      item.known[memory] = known[memory];
      item.has_known[memory] = true;
    }
    return item.known[memory];
  }
};

// Wraps an access that the checker makes for a kernel while it holds a lock. A faulting access
// leaves by a jump that skips destructors: LaunchCheck::faulted() finds the lock in the group and
// releases it.
class HeldLock {
public:
  HeldLock(CheckedGroup &group, ShortLock &lock) : group_(group) {
    group_.held = &lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~HeldLock() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    group_.held = nullptr;
  }
  HeldLock(const HeldLock &) = delete;
  HeldLock &operator=(const HeldLock &) = delete;

private:
  CheckedGroup &group_;
};

inline void CheckedGroup::clear() {
  Clock::SpareLine &spare = Clock::SpareLine::own();
  for (unsigned memory : {checked_global, checked_local}) {
    known[memory].clear(spare);
    if (fenced_memories >> memory & 1)
      fenced[memory] = {};
  }
  fenced_memories = 0;
  items.clear(spare);
  launch = intervals = 0;
  earlier = earlier_end = 0;
  base = {};
  released.clear();
  acquired = {};
  version_of = 0;
  alone.many = 0;
  reads.clear();
  sub_group_barriers.clear();
  copies_awaited = copies_divided = 0;
  copies.clear();
  next_event = 0;
  awaited.clear();
  arguments.clear();
  arrival.place = 0;
  is_divergence_reported = false;
}

} // namespace lockstep::runtime

// What the checker knows of one work-group that runs: how far it is, and what its work-items know of other groups.
//
// A group has a stamp, which grows at each barrier and at each release. An access is known by its stamp and its
// work-item, so "before the last barrier" and "before the release that I have acquired" are comparisons. Global and
// local memory have an order each (OpenCL API 3.3.4): a barrier moves the base of those that its flags name.
#pragma once

#include "compiler/check_abi.h"
#include "runtime/check/clock.h"
#include "runtime/check/shadow.h"
#include "runtime/check/short_lock.h"
#include "runtime/check/synchronisation.h"
#include "runtime/check/thread_slot.h"

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

inline constexpr unsigned checked_global = 0, checked_local = 1; // of what has two elements

// As of a release: what was known then, and how far its own work-item was, or its group.
struct Released {
  Clock known{};
  Clock::Entry own{};
  explicit operator bool() const {
    return own.before || own.up_to.highest();
  } // false: there was none
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
  // Read by relaxed atomics, for a fence of at least that scope to acquire: from releases that reach so far.
  ByReach<Clock> pending{};
  // As of its last release fence of at least that scope, for a relaxed atomic to release.
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
  std::array<Clock, 2> known{}; // with what its group knows; unless has_known, only that
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
  } // null: there were none
  FenceClocks &with_fences() {
    if (!fences_)
      fences_ = std::make_unique<FenceClocks>();
    has_fences_ = true;
    return *fences_;
  }
  [[gnu::always_inline]] void clear() {
    for (unsigned memory = 0; memory != known.size(); ++memory)
      if (std::exchange(has_known[memory], false))
        known[memory].clear();
    clear_fences();
  }

private:
  [[gnu::always_inline]] void clear_fences() { // their memory is kept
    if (std::exchange(has_fences_, false))
      fences_->clear();
  }
  std::unique_ptr<FenceClocks> fences_;
  bool has_fences_ = false;
};

// Of those work-items that have their own, by number. Those of a sub-group that have acquired the same have one together. Its
// memory is kept for the next group.
//
// Where they are few, as where one item of a group counts it and all wait then, who has which is looked for; where they are many, as
// where each one takes a lock, there is a table of places.
class ItemTable {
public:
  struct Own {
    uint64_t lanes = 0; // whose, from this one on
    uint32_t first_item = 0;
    ItemClocks clocks{};
    uint64_t lanes_from(uint32_t first) const { // as lanes of that first item
      const int64_t distance = int64_t(first_item) - first;
      if (distance <= -64 || distance >= 64)
        return 0;
      return distance >= 0 ? lanes << distance : lanes >> -distance;
    }
  };
  bool empty() const { return used_ == 0; }
  SeparateVector<Own>::iterator begin() { return list_.begin(); }
  SeparateVector<Own>::iterator end() { return list_.begin() + std::ptrdiff_t(used_); }
  // Have these work-items one together, or none of them any?
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
  // Of this one alone. Null: it has none, or one with others. `begins`: it begins if there is a place for it, and it has none.
  [[gnu::always_inline]] ItemClocks *find_one(uint32_t item, bool begins = false) {
    if (item == last_item_) // who takes a lock gives it back
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
  // For a change of this one's alone; until the next one is made.
  ItemClocks &operator[](uint32_t item) {
    const uint32_t place = place_of(item);
    if (place && std::has_single_bit(list_[place - 1].lanes))
      return list_[place - 1].clocks;
    return part(place, 1, item);
  }
  // The same change for several: once for those that have had one together.
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
  // Those of these work-items that have one.
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
  void clear() {
    for (Own &each : *this) {
      if (has_places_)
        set_places(each, 0);
      each.lanes = 0;
      each.clocks.clear();
    }
    used_ = 0;
    last_item_ = no_item;
  }
  // Of another launch, whose groups may have few.
  void forget_places() { has_places_ = false; }

private:
  static constexpr uint32_t few = 4, no_item = ~0u;
  static constexpr std::size_t fetched = 2;

  // From 1 on; 0: it has none.
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
  // Those of these lanes that have that place, as the first one of them has.
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

  SeparateVector<Own> list_;     // what is not used is empty
  uint32_t used_ = 0, room_ = 0; // of so many
  bool has_places_ = false;
  uint32_t last_item_ = no_item;
  ItemClocks *last_ = nullptr;      // find_one() of that one, as long as none has got another one
  SeparateVector<uint32_t> places_; // if it has; else zeros
};

// Makes one for these, who have had that at `place` with others.
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

// What an acquire found, for reports.
struct Acquired {
  uint16_t place = 0; // CheckPlaces
  uintptr_t address = 0;
  uint64_t releases = 0;   // that it saw, at least
  uint32_t from_group = 0; // the last one
  uint32_t item = 0;       // of this group
};

// Work-items of a window of 64 that have released at the group's stamp: what they do after that has another one. What others do
// may have the same, so that a lock that they take in turn is not the end of what is known of a page.
class ReleasedItems {
public:
  void clear() { bits_ = 0; }
  bool is_empty() const { return !bits_; }
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

// Those of them that have released to one object only, which still carries that.
class ReleasedThere {
public:
  bool has(const ReleasedItems &released, uint32_t item, const Synchronisation &object) const {
    return object_ == &object && stores_ == object.stores && released.has(item);
  }
  // And they have released from now on.
  [[gnu::always_inline]] void add(ReleasedItems &released, uint32_t item,
                                  const Synchronisation &object) {
    if (released.is_empty()) {
      object_ = &object;
      stores_ = object.stores;
    } else if (stores_ != object.stores) {
      object_ = nullptr;
    }
    object_ = object_ == &object ? object_ : nullptr;
    released.add(item);
  }
  void clear() { object_ = nullptr; }

private:
  const Synchronisation *object_ = nullptr; // null: none that is known
  uint64_t stores_ = 0;
};

// A sub-group's barrier is an edge between its lanes, for both memories.
struct SubGroupBarrier {
  Stamp passed = 0; // stamps below it are ordered; 0: none was passed
};

// Who has told of one call of a group operation. Work-items tell of the next one only when all have told of this one.
class OneCall {
public:
  uint64_t items() const { return items_; }
  // False, and nothing is changed: this is another call than the last one told of.
  bool add(uint64_t intervals, uint64_t lanes, uint64_t first_item);
  void begin(uint64_t intervals, uint64_t lanes, uint64_t first_item);
  uint64_t first_that(bool has_told) const;

private:
  static constexpr std::size_t most_at_hand = 16; // groups have seldom more than 1,024 work-items
  static std::array<uint64_t, 2> bits_of(uint64_t lanes, uint64_t first_item);
  uint64_t told(std::size_t word) const {
    return word < most_at_hand                  ? has_told_[word]
           : word - most_at_hand < more_.size() ? more_[word - most_at_hand]
                                                : 0;
  }
  void set(std::size_t word, uint64_t bits);
  void note(uint64_t lanes, uint64_t first_item);
  uint64_t intervals_ = 0, items_ = 0;
  std::array<uint64_t, most_at_hand> has_told_{}; // bits, by item
  std::vector<uint64_t> more_;
};

// Who got to a barrier or another group operation.
struct Arrival {
  uint16_t place = 0; // CheckPlaces; 0: nobody got anywhere
  OneCall call;
};

struct ItemValue {
  uint64_t item = 0, value = 0;
};

// What the work-items of a group give to one operation.
struct ToldArgument {
  uint16_t place = 0;
  ItemValue value; // of who has told first
  OneCall call;
};

// The events that a wait is for, and how far the last sub-group has told of them, by its first item.
struct Awaited {
  uint16_t place = 0;
  SeparateVector<ItemValue> events;
  uint64_t told_by = 0;
  std::size_t next = 0;
  void clear() { // its memory is kept
    place = 0;
    events.clear();
    next = 0;
  }
};

// One side of a copy that nobody has waited for.
struct ToldCopy {
  uint16_t place = 0;
  uint64_t intervals = 0;
  Stamp began = 0;
  uint64_t event = 0;                        // 0: not known, so that any wait is for it
  uint16_t passed_over = 0, for_another = 0; // places of a wait, and of the copy that it was for
};

// Of other groups, what this one's clock of global memory was found to cover: accesses of all of their work-items with these stamps.
// It only comes to cover more. Few of them are looked for again and again, where neighbours exchange what they have.
class KnownStamps {
public:
  static constexpr Stamp block_size = 16; // of stamps that are one group's (StampOwners)
  bool has(Stamp stamp) const {
    bool is_known = false;
    for (const Known &each : known_)
      is_known |= stamp - each.first < each.many;
    return is_known;
  }
  // Of the group of that stamp, all below `before`; what is kept is of the stamp's block.
  void note(Stamp stamp, Stamp before) {
    const Stamp first = stamp & ~(block_size - 1);
    next_ = (next_ + 1) % known_.size();
    known_[next_] = {first, std::min(before - first, block_size)};
  }
  void clear() { known_ = {}; }

private:
  struct Known {
    Stamp first = 0, many = 0;
  };
  std::array<Known, 4> known_{};
  uint32_t next_ = 0;
};

// Atomics of one place in the source that were alone on a page when they were told of last (ShadowPage::has_only). A small table
// may lie on two.
struct AloneOnPages {
  uint16_t place = 0; // CheckPlaces
  Stamp stamp = 0;
  unsigned many = 0, last = 0;
  std::array<ShadowPage *, 2> pages{}; // by address
  std::array<uint32_t, 2> versions{};
  std::array<AtomicsOnPage, 2> atomics{};
  void note(uint16_t its_place, Stamp its_stamp, ShadowPage &page, uint32_t word);
};

inline void AloneOnPages::note(uint16_t its_place, Stamp its_stamp, ShadowPage &page,
                               uint32_t word) {
  if (place != its_place || stamp != its_stamp)
    many = 0;
  place = its_place;
  stamp = its_stamp;
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

// Of the last write by one work-item: the context that it has on that page.
struct WrittenPage {
  Stamp stamp = 0;                // 0: there was none
  uint16_t place = 0;             // CheckPlaces
  uint32_t version = 0, word = 0; // of item 0
  ShadowPage *page = nullptr;
};

// Where it went last, and perhaps the group before in its place.
class PagesAtHand {
public:
  ShadowPage *find(uintptr_t address) const { // null: it is none of these
    for (ShadowPage *page : pages_)
      if (page && page->has(address))
        return page;
    return nullptr;
  }
  void note(ShadowPage &page) {
    pages_[1] = pages_[0];
    pages_[0] = &page;
  }
  void clear() { pages_ = {}; }

private:
  std::array<ShadowPage *, 2> pages_{};
};

// For groups that are one after the other in one place, so that they need not ask others for each (StampOwners).
struct StampBlocks {
  static constexpr Stamp most = 64;
  uint64_t launch = 0; // LaunchCheck's number
  Stamp next = 0, end = 0, many = 0;
};

struct alignas(separate_bytes) CheckedGroup {
  // What is looked at all the time lies together.
  uint64_t launch = 0; // LaunchCheck's number; 0: it is no group's
  uint32_t number = 0;
  Stamp now = 0, first = 0, run = 0;  // all from `run` to `now` are its own
  Stamp earlier = 0, earlier_end = 0; // and these, without the last one: those of the run before
  uint64_t intervals = 0;
  std::array<Stamp, 2> base{}; // stamps below it are ordered before all that comes
  ReleasedItems released;
  ReleasedThere released_there;
  std::array<Clock, 2> known{};
  KnownStamps known_stamps;
  PagesAtHand pages;
  Clock::Lines lines; // of what `items` know
  ItemTable items;
  uintptr_t version_of = 0; // the object whose clock it knows as it was
  // By its last atomic, or by that of a group before in its place; and what was released there, null: not known.
  uintptr_t touched = 0;
  Synchronisation *object = nullptr;
  ShortLock *held = nullptr; // while the check makes an access of the group with it (HeldLock)
  WrittenPage written;
  Acquired acquired;
  SeparateVector<SubGroupBarrier> sub_group_barriers; // by item; the last ones
  Stamp copies_awaited = 0, copies_parted = 0; // of copies with stamps below: by a wait, by a fence
  uint64_t size = 0;                           // work-items
  uint8_t fenced_memories = 0;                 // bits
  AtomicReads reads;

  SeparateVector<ToldCopy> copies; // under way, though a wait may have been for others
  AloneOnPages alone;
  std::array<Released, 2> fenced{}; // by a barrier that is a fence for the device
  StampBlocks stamps;
  CheckedGroup *next_free = nullptr; // CheckedGroups
  std::array<uint64_t, 3> id{};
  uintptr_t local_memory = 0;
  uint64_t next_event = 0; // of the copy that begins
  Awaited awaited;         // by the wait that comes
  SeparateVector<ToldArgument> arguments;
  Arrival arrival;
  bool has_parted = false; // that was reported: what comes is no news

  // For another one.
  void clear();
  // What is needed again where it goes on after it has waited.
  void fetch() const {
    const auto *first = reinterpret_cast<const std::byte *>(this);
    const auto *end = reinterpret_cast<const std::byte *>(&reads) + 2 * sizeof(AtomicRead);
    for (; first < end; first += line_bytes)
      fetch_to_write(first);
  }

  // A copy knows what the group did at its last barrier, for it waits for no work-item.
  const Clock &known_by(uint32_t item, unsigned memory) const {
    if (is_copy(item) && size == 1)
      item = 0;
    const ItemClocks *found = items.find(item);
    return found && found->has_known[memory] ? found->known[memory] : known[memory];
  }
  // `began`: the stamp of a copy's accesses.
  bool is_awaited(Stamp began) const {
    if (began >= copies_awaited)
      return false;
    for (const ToldCopy &copy : copies)
      if (copy.began == began)
        return false;
    return true;
  }
  // Copies with stamps below have all been waited for.
  Stamp all_awaited() const {
    Stamp stamp = copies_awaited;
    for (const ToldCopy &copy : copies)
      stamp = copy.began < stamp ? copy.began : stamp;
    return stamp;
  }
  bool has_met(const SubGroupBarrier &mine, uint32_t item) const {
    return mine.passed && item < sub_group_barriers.size() &&
           sub_group_barriers[item].passed == mine.passed;
  }
  // It acquires what an object carries. True: it knows that as it was.
  bool acquire(uint32_t item, unsigned memory, const Clock &carried) {
    Clock &own = clock_of(items[item], memory);
    join(own, carried);
    return own.is_version_of(carried);
  }
  // Or a fence that comes does.
  void acquire_by_fence(uint32_t item, unsigned memory, const Clock &carried) {
    constexpr unsigned device = 0;
    join(items[item].with_fences().pending[device][memory], carried);
  }
  // What a work-item has of objects.
  void join(Clock &own, const Clock &carried) {
    if (lines.is_full()) [[unlikely]]
      own_lines();
    if (!own.join_with(carried, lines))
      own.join(carried);
  }
  // The same of all of its work-items.
  void acquire_as_group(unsigned memory, const Clock &carried) {
    if (!items.empty()) // some of them share what it had
      known[memory].lend(lines);
    join(known[memory], carried);
    for (auto &each : items)
      if (each.clocks.has_known[memory])
        join(each.clocks.known[memory], carried);
  }
  // It has released there. True: all that the object carries is known to it, and from now on it has that version.
  bool has_version(uint32_t item, unsigned memory, const Clock &object) {
    const ItemClocks *found = items.find(item);
    if (!found || !found->has_known[memory] || found->known[memory].is_earlier_version_of(object) ||
        !object.is_all_of(number, item))
      return false;
    items[item].known[memory] = object;
    return true;
  }
  void own_lines() {
    for (Clock &clock : known)
      clock.own();
    for (auto &each : items) {
      for (Clock &clock : each.clocks.known)
        clock.own();
      if (FenceClocks *fences = each.clocks.fences()) {
        for (auto &reach : fences->pending)
          for (Clock &clock : reach)
            clock.own();
        for (auto &reach : fences->fenced)
          for (Released &released : reach)
            released.known.own();
      }
    }
    lines.clear();
  }
  // Its own clock, which begins as the group's, and shares that until the group's changes.
  Clock &clock_of(ItemClocks &item, unsigned memory) {
    if (!item.has_known[memory]) {
      if (!known[memory].is_empty())
        item.known[memory].share(known[memory]);
      item.has_known[memory] = true;
    }
    return item.known[memory];
  }
};

// Around an access that the check makes for a kernel while it holds a lock. An access that faults leaves by a jump, which runs
// no destructors: LaunchCheck::faulted() finds the lock in the group and releases it.
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
  for (unsigned memory : {checked_global, checked_local}) {
    known[memory].clear();
    if (fenced_memories >> memory & 1)
      fenced[memory] = {};
  }
  fenced_memories = 0;
  items.clear();
  lines.clear();
  known_stamps.clear();
  launch = intervals = 0;
  earlier = earlier_end = 0;
  base = {};
  released.clear();
  released_there.clear();
  acquired = {};
  version_of = 0;
  alone.many = 0;
  reads.clear();
  sub_group_barriers.clear();
  copies_awaited = copies_parted = 0;
  copies.clear();
  next_event = 0;
  awaited.clear();
  arguments.clear();
  arrival.place = 0;
  has_parted = false;
}

} // namespace lockstep::runtime

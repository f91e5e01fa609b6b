// What a work-item knows to have happened, of all groups of a launch: for each group the interval up to which all of
// its accesses have, and for single work-items, which released since, how far they were then.
//
// A tree that shares what has not changed, since a clock is copied at each release: a change costs its path, a join
// what differs. Who owns a node alone changes it in place.
//
// Who acquires from one object again and again (a lock, a counter of arrivals) holds a version of the object's clock and
// what it has added itself. The object's clock only grows as long as it keeps its lineage, so the newer version holds
// the older one, and neither has to be walked through.
// What it has added itself stays beside the tree as long as it is little: most clocks live no longer than that.
// All changes and copies of the clocks of a launch are made
// under one lock; whoever holds a clock may read it without.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace lockstep::runtime {

using Stamp = uint32_t; // of a launch, ascending within each group (launch_check.h)

// For single work-items, sorted. There is rarely more than one.
class ItemStamps {
public:
  using Pair = std::pair<uint32_t, Stamp>;
  ItemStamps() = default;
  ItemStamps(std::initializer_list<Pair> pairs);
  ItemStamps(const ItemStamps &other);
  ItemStamps(ItemStamps &&) noexcept = default;
  ItemStamps &operator=(ItemStamps other) noexcept;

  std::size_t size() const { return count_; }
  const Pair *begin() const { return more_ ? more_->data() : &one_; }
  const Pair *end() const { return begin() + count_; }
  const Pair *find(uint32_t item) const; // null: none
  bool raise(const Pair &pair);          // true if that has changed it
  void erase_before(Stamp stamp);

private:
  Pair one_{};
  uint32_t count_ = 0;
  std::unique_ptr<std::vector<Pair>> more_; // with the first one
};

class Clock {
public:
  struct Entry {
    Stamp before = 0;   // all work-items, accesses with lower stamps
    ItemStamps up_to{}; // an item, up to and with this one
    bool covers(uint32_t item, Stamp stamp) const;
    bool join(const Entry &other); // true if that has changed it
  };

  Clock() = default;
  Clock(const Clock &other);
  Clock(Clock &&other) noexcept;
  Clock &operator=(Clock other) noexcept;
  ~Clock();

  bool is_empty() const { return !root_ && additions_.empty(); }
  void clear() { *this = Clock(); }
  const Entry *find(uint32_t group) const; // null: knows nothing of it
  void add(uint32_t group, const Entry &entry);
  void join(const Clock &other);

  // Of an object: a read-modify-write adds what its writer carries, a store replaces.
  void absorb(const Clock &carried);
  void replace(Clock carried);

  struct Node;

private:
  using Additions = std::vector<std::pair<uint32_t, Entry>>;
  static constexpr std::size_t most_additions = 8;

  Entry *addition(uint32_t group);
  const Entry *find_in_tree(uint32_t group) const;
  void forget_lineage();
  void add_to_tree(uint32_t group, const Entry &entry);
  void add_to_tree(const Additions &additions);
  void join_tree(Node *other, unsigned height);
  bool is_held_by(const Clock &other) const;

  Node *root_ = nullptr;
  unsigned height_ = 0;                // levels above the lowest one
  uint64_t lineage_ = 0, version_ = 0; // 0: of no object's clock
  Additions additions_; // to that version, or to nothing; with what the tree knows of the group
};

} // namespace lockstep::runtime

// What a work-item knows to have happened, of all groups of a launch: for each group the interval up to which all of
// its accesses have, and for single work-items, which released since, how far they were then.
//
// A tree that shares what has not changed, since a clock is copied at each release: a change costs its path, a join
// what differs. Who owns a node alone changes it in place.
//
// Who acquires from one object again and again (a lock, a counter of arrivals) holds a version of the object's clock and
// what it has added itself. The object's clock only grows as long as it keeps its lineage, so the newer version holds
// the older one, and neither has to be walked through.
// All changes and copies of the clocks of a launch are made
// under one lock; whoever holds a clock may read it without.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace lockstep::runtime {

using Stamp = uint32_t; // of a launch, ascending within each group (launch_check.h)

class Clock {
public:
  struct Entry {
    Stamp before = 0;                                // all work-items, accesses with lower stamps
    std::vector<std::pair<uint32_t, Stamp>> up_to{}; // an item, up to and with this one; sorted
    bool covers(uint32_t item, Stamp stamp) const;
    bool join(const Entry &other); // true if that has changed it
  };

  Clock() = default;
  Clock(const Clock &other);
  Clock(Clock &&other) noexcept;
  Clock &operator=(Clock other) noexcept;
  ~Clock();

  bool is_empty() const { return root_ == nullptr; }
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

  void forget_lineage();
  void add_to_tree(uint32_t group, const Entry &entry);

  Node *root_ = nullptr;
  uint64_t lineage_ = 0, version_ = 0; // 0: of no object's clock
  Additions additions_;                // to that version
};

} // namespace lockstep::runtime

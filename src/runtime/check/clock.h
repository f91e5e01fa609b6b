// What a work-item knows to have happened, of all groups of a launch: for each group the interval up to which all of
// its accesses have, and for single work-items, which released since, how far they were then.
//
// A tree that shares what has not changed, since a clock is copied at each release: a change costs its path, a join
// what differs. Who owns a node alone changes it in place. All changes and copies of the clocks of a launch are made
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
    Stamp before = 0;                                  // all work-items, accesses with lower stamps
    std::vector<std::pair<uint32_t, Stamp>> up_to{}; // an item, up to and with this one; sorted
    bool covers(uint32_t item, Stamp stamp) const;
    bool join(const Entry &other); // true if that has changed it
  };

  Clock() = default;
  Clock(const Clock &other);
  Clock(Clock &&other) noexcept : root_(std::exchange(other.root_, nullptr)) {}
  Clock &operator=(Clock other) noexcept {
    std::swap(root_, other.root_);
    return *this;
  }
  ~Clock();

  bool is_empty() const { return root_ == nullptr; }
  void clear() { *this = Clock(); }
  const Entry *find(uint32_t group) const; // null: knows nothing of it
  void add(uint32_t group, const Entry &entry);
  void join(const Clock &other);

  struct Node;

private:
  Node *root_ = nullptr;
};

} // namespace lockstep::runtime

// A reference count for storage that copies share. The owners may be on different threads.
#pragma once

#include <atomic>

namespace lockstep::runtime {

class Owners { // starts at one, also in a copy
public:
  Owners() = default;
  Owners(const Owners &) {}
  Owners &operator=(const Owners &) = delete;
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  // With a count of one, no other owner exists that could add a reference.
  bool is_one() const { return count_.load(std::memory_order_acquire) == 1; }
  bool drop() { // true: this was the last owner
    return is_one() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

private:
  std::atomic<unsigned> count_ = 1;
};

} // namespace lockstep::runtime

// How many hold what copies share. Each of them may be of another thread.
#pragma once

#include <atomic>

namespace lockstep::runtime {

class Owners { // whoever makes it is one; a copy is of what nobody else holds yet
public:
  Owners() = default;
  Owners(const Owners &) {}
  Owners &operator=(const Owners &) = delete;
  void add() { count_.fetch_add(1, std::memory_order_relaxed); }
  // What only this one holds, nobody else can come to hold.
  bool is_one() const { return count_.load(std::memory_order_acquire) == 1; }
  bool drop() { // true: it was the last one
    return is_one() || count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  // The same where no other thread has any: without a locked instruction, which waits for all that was stored before.
  void add_alone() {
    count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
  bool drop_alone() {
    const unsigned count = count_.load(std::memory_order_relaxed);
    if (count != 1)
      count_.store(count - 1, std::memory_order_relaxed);
    return count == 1;
  }

private:
  std::atomic<unsigned> count_ = 1;
};

} // namespace lockstep::runtime

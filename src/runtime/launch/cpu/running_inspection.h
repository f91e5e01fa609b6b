// How a thread looks at what workers run, while workers pay a load for it.
//
// A worker publishes a pointer to what it runs, and takes it back before that may be gone. A look
// must keep it from going on at that point. Instead of a fence on both sides, as for hazard pointers,
// the kernel puts one into all threads of the process when the looking side asks (membarrier); where
// it does not, no look is possible.
#pragma once

#include <atomic>
#include <mutex>

namespace lockstep::runtime {

class RunningInspection {
public:
  RunningInspection();

  // By a worker, after it has taken its pointer back.
  void let_inspect() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (looks_.load(std::memory_order_acquire) != 0)
      wait();
  }

  // While this lives, what was published stays.
  class Look {
  public:
    explicit Look(RunningInspection &inspection);
    ~Look();
    Look(const Look &) = delete;
    Look &operator=(const Look &) = delete;
    bool is_possible() const { return is_possible_; }

  private:
    RunningInspection &inspection_;
    std::lock_guard<std::mutex> lock_;
    bool is_possible_ = false;
  };

private:
  void wait() const;

  std::atomic<int> looks_{0};
  bool has_barrier_ = false;
  std::mutex mutex_; // one look at a time
};

} // namespace lockstep::runtime

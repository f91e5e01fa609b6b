// Lets a thread inspect what workers run. A worker pays one load for it.
//
// A worker publishes a pointer to its operation, and clears the pointer before the operation may be
// destroyed. An inspection must stop the worker at that point. Hazard pointers would need a fence
// on both sides. Here the inspecting side makes the kernel execute a fence in all threads of the
// process (membarrier). If the kernel does not support that, inspection is not possible.
#pragma once

#include <atomic>
#include <mutex>

namespace lockstep::runtime {

class RunningInspection {
public:
  RunningInspection();

  // Workers call this after they have cleared their pointer.
  void let_inspect() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (looks_.load(std::memory_order_acquire) != 0)
      wait();
  }

  // While this object exists, published operations are not destroyed.
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
  std::mutex mutex_; // one inspection at a time
};

} // namespace lockstep::runtime

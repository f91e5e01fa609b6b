// At most one spinning thread of ours on each CPU.
//
// A thread spins because another thread is about to give it something. If that other thread is
// spinning too, descheduled on this very CPU because we run here, our spinning is what it waits
// for; the same the other way round. On a busy machine the scheduler does put a waiting thread and
// its worker on one CPU, and a round trip then takes two full spin times instead of one
// microsecond. So a spinner registers its CPU, and whoever finds it taken sleeps at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::runtime {

class SpinPlace {
public:
  SpinPlace(); // registers this CPU if nobody has
  ~SpinPlace();
  SpinPlace(const SpinPlace &) = delete;
  SpinPlace &operator=(const SpinPlace &) = delete;

  bool may_spin() const { return slot_ != nullptr; }

private:
  std::atomic<bool> *slot_ = nullptr;
};

} // namespace lockstep::runtime

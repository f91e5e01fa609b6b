// Allows at most one spinning thread of the runtime on each CPU.
//
// A thread spins while it waits for another thread. If that thread was descheduled on the same CPU
// because the spinner runs there, spinning delays what it waits for. Busy machines do schedule a
// waiting thread and its worker on one CPU. If both spin, a round trip takes two full spin times
// instead of one microsecond. So a spinner registers its CPU, and a thread that finds its CPU
// registered sleeps at once.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::runtime {

class SpinPlace {
public:
  SpinPlace(); // registers this CPU if it is not registered
  ~SpinPlace();
  SpinPlace(const SpinPlace &) = delete;
  SpinPlace &operator=(const SpinPlace &) = delete;

  bool may_spin() const { return slot_ != nullptr; }

private:
  std::atomic<bool> *slot_ = nullptr;
};

} // namespace lockstep::runtime

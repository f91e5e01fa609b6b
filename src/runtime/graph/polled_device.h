// Devices that must be asked which of their commands have ended. Each has a thread that asks from
// time to time. A thread that waits for a command asks as well: so it need not wait until that
// thread has been scheduled, has asked, and has woken it.
//
// Settling a command may run code that takes locks. So a thread polls only where it waits on behalf
// of the program, without a lock: Command::wait_and_poll().
#pragma once

#include <atomic>

namespace lockstep::runtime {

class PolledDevice {
public:
  // Settles commands that have ended. Does not block. False: no command is in progress.
  virtual bool poll() = 0;

  // A thread calls it when it has submitted commands, without a lock. Polls if many commands have
  // been submitted since the last poll. So the thread that submits also settles, and what it
  // allocates for commands stays in the caches of its processor.
  virtual void assist() = 0;

  // Whether a command is in progress, or a thread settles some. Does not block.
  virtual bool is_busy() = 0;

  static bool is_any_busy() {
    for (PolledDevice *each = first_.load(std::memory_order_acquire); each; each = each->next_)
      if (each->is_busy())
        return true;
    return false;
  }

  static void assist_all() {
    for (PolledDevice *each = first_.load(std::memory_order_acquire); each; each = each->next_)
      each->assist();
  }

  // Polls all devices once. False: no command is in progress on any of them.
  static bool poll_all() {
    bool is_busy = false;
    for (PolledDevice *each = first_.load(std::memory_order_acquire); each; each = each->next_)
      is_busy |= each->poll();
    return is_busy;
  }

protected:
  ~PolledDevice() = default;
  // From now on threads poll the device. It must live as long as the process.
  void start_polling() {
    next_ = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(next_, this, std::memory_order_release))
      ;
  }

private:
  PolledDevice *next_ = nullptr;
  static inline constinit std::atomic<PolledDevice *> first_{nullptr};
};

} // namespace lockstep::runtime

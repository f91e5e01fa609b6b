#include "platform/linux/process_end.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace lockstep {
namespace {

constinit std::array<std::atomic<void (*)()>, 16> functions{};

} // namespace

void at_end_of_process(void (*function)()) {
  for (auto &place : functions) {
    void (*found)() = nullptr;
    if (place.compare_exchange_strong(found, function)) {
      std::atexit(function);
      std::at_quick_exit(function);
      return;
    }
    if (found == function)
      return;
  }
}

std::unique_lock<std::mutex> lock_at_end(std::mutex &mutex) {
  constexpr int tries = 1000;
  std::unique_lock lock(mutex, std::try_to_lock);
  for (int i = 0; i < tries && !lock; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    (void)lock.try_lock();
  }
  return lock;
}

} // namespace lockstep

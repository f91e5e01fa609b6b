#include "platform/linux/futex.h"

#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lockstep::runtime {

void futex_wait(const void *word, uint32_t expected, std::chrono::nanoseconds time) {
  timespec relative{};
  timespec *limit = nullptr;
  if (time.count() >= 0) {
    relative.tv_sec = time.count() / 1'000'000'000;
    relative.tv_nsec = time.count() % 1'000'000'000;
    limit = &relative;
  }
  syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, limit, nullptr, 0);
}

void futex_wake_one(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

void futex_wake_all(const void *word) {
  syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

} // namespace lockstep::runtime

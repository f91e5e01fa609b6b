#include "platform/linux/fork.h"

#include "platform/linux/leaked.h"

#include <array>
#include <cstdlib>
#include <pthread.h>
#include <unistd.h>

namespace lockstep {
namespace {

constinit std::array<std::atomic<void (*)()>, 32> hooks{};
constinit std::array<std::atomic<int>, 16> files{}; // 1 + the descriptor

void in_child() {
  detail::generation.fetch_add(1, std::memory_order_relaxed);
  LeakedSlot::after_fork();
  for (auto &file : files)
    if (const int taken = file.exchange(0, std::memory_order_relaxed))
      close(taken - 1);
  for (auto &hook : hooks)
    if (void (*call)() = hook.load(std::memory_order_acquire))
      call();
}

__attribute__((constructor)) void watch_forks() {
  pthread_atfork(nullptr, nullptr, in_child);
}

} // namespace

constinit std::atomic<unsigned> detail::generation{0};

void detail::end_child() {
  std::exit(0);
}

void in_forked_child(void (*hook)()) {
  for (auto &place : hooks) {
    void (*found)() = nullptr;
    if (place.compare_exchange_strong(found, hook) || found == hook)
      return;
  }
}

void close_in_forked_child(int file) {
  for (auto &place : files) {
    int found = 0;
    if (place.compare_exchange_strong(found, file + 1) || found == file + 1)
      return;
  }
}

} // namespace lockstep

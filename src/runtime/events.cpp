#include "runtime/events.h"

#include <deque>
#include <mutex>

namespace lockstep::runtime {
namespace {

std::mutex mutex;

// Every list that there was: somebody may still be walking through one.
std::deque<std::vector<Listener *>> &lists() {
  static auto &all = *new std::deque<std::vector<Listener *>>;
  return all;
}

template <class Change> void change_listeners(Change change) {
  std::lock_guard lock(mutex);
  const auto *now = all_listeners.load(std::memory_order_relaxed);
  std::vector<Listener *> &next = lists().emplace_back(now ? *now : std::vector<Listener *>());
  change(next);
  all_listeners.store(next.empty() ? nullptr : &next, std::memory_order_release);
}

} // namespace

void add_listener(Listener &listener) {
  change_listeners([&](auto &listeners) { listeners.push_back(&listener); });
}

void remove_listener(Listener &listener) {
  change_listeners([&](auto &listeners) { std::erase(listeners, &listener); });
}

} // namespace lockstep::runtime

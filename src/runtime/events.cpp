#include "runtime/events.h"

#include <memory>
#include <mutex>

namespace lockstep::runtime {
namespace {

std::mutex mutex;

// Lists are never freed: somebody may be walking through one.
template <class Change> void change_listeners(Change change) {
  std::lock_guard lock(mutex);
  const auto *now = all_listeners.load(std::memory_order_relaxed);
  auto next = std::make_unique<std::vector<Listener *>>();
  if (now)
    *next = *now;
  change(*next);
  all_listeners.store(next->empty() ? nullptr : next.release(), std::memory_order_release);
}

} // namespace

void add_listener(Listener &listener) {
  change_listeners([&](auto &listeners) { listeners.push_back(&listener); });
}

void remove_listener(Listener &listener) {
  change_listeners([&](auto &listeners) { std::erase(listeners, &listener); });
}

} // namespace lockstep::runtime

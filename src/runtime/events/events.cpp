#include "runtime/events/events.h"

#include "platform/linux/fork.h"
#include "platform/linux/leaked.h"
#include "support/message.h"

#include <cstdio>
#include <deque>
#include <mutex>

namespace lockstep::runtime {
namespace {

struct Lists {
  std::mutex mutex;
  std::deque<std::vector<Listener *>>
      all; // all lists ever made, since a thread may still iterate over an old one
};
Lists &lists() {
  return leaked<AfterFork::make_again>([] {
    in_forked_child([] { all_listeners.store(nullptr, std::memory_order_relaxed); });
    return new Lists;
  });
}

template <class Change> void change_listeners(Change change) {
  Lists &lists = runtime::lists();
  std::lock_guard lock(lists.mutex);
  const auto *now = all_listeners.load(std::memory_order_relaxed);
  std::vector<Listener *> &next = lists.all.emplace_back(now ? *now : std::vector<Listener *>());
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

void has_missed_something(Listener &listener) noexcept {
  static constinit std::atomic<bool> has_reported{false};
  if (!has_reported.exchange(true))
    print_message("no memory to observe commands: the trace, and what is checked of the "
                  "order of commands, is "
                  "incomplete from here on");
  listener.missed_something();
}

} // namespace lockstep::runtime

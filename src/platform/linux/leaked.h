// Objects that live as long as the process: created at first use, never destroyed.
//
//   Registry &registry() { return leaked([] { return Registry(); }); }
//
// Requires: `make` returns the object, or a pointer to an object that it has allocated. Each call
// site creates one object. Ensures: concurrent callers wait for the first; if `make` throws, the
// next caller tries again.
//
// Why not a `static` object: exit() destroys it while other threads of Lockstep run; worker threads
// run until the process ends. Why not `static T &x = *new T`: the compiler's guard of such a
// variable stays locked in a child of fork() if another thread of the parent was creating the
// object. scripts/check/statics.py rejects both in src/.
//
// AfterFork says what a child of fork() finds (docs/process_life.md). A child creates an object
// again if other threads change or lock it: it may be inconsistent, and threads that do not exist
// in the child may hold its locks.
#pragma once

#include "platform/linux/fork.h"

#include <atomic>
#include <type_traits>
#include <utility>

namespace lockstep {

enum class AfterFork {
  keep,       // constant once it is created
  make_again, // has locks, threads or state of running commands
};

// The state of leaked() for one call site. Constant-initialized and trivially destructible.
class LeakedSlot {
public:
  constexpr explicit LeakedSlot(AfterFork after_fork) : after_fork_(after_fork) {}
  LeakedSlot(const LeakedSlot &) = delete;
  LeakedSlot &operator=(const LeakedSlot &) = delete;

  void *get() const { return object_.load(std::memory_order_acquire); }
  template <class Make> void *get_or_make(Make &make) {
    const Lock lock(*this);
    void *object = object_.load(std::memory_order_relaxed);
    if (!object) {
      list();
      object = make();
      object_.store(object, std::memory_order_release);
    }
    return object;
  }

  static void after_fork(); // in the child: for all slots

private:
  // A lock that is free in a child, even if another thread of the parent held it.
  class Lock {
  public:
    explicit Lock(LeakedSlot &slot);
    ~Lock() { slot_.locked_by_.store(0, std::memory_order_release); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    LeakedSlot &slot_;
  };

  void list(); // adds the slot to the list of after_fork

  const AfterFork after_fork_;
  std::atomic<void *> object_{nullptr};
  std::atomic<unsigned> locked_by_{0}; // 0: free; else 1 + fork_generation() of the owner
  LeakedSlot *next_ = nullptr;         // in the list of all slots
};
static_assert(std::is_trivially_destructible_v<LeakedSlot>);

template <AfterFork after_fork = AfterFork::keep, class Make> auto &leaked(Make make) {
  static_assert(std::is_class_v<Make>, "a lambda, as each has a type, and so a slot, of its own");
  static constinit LeakedSlot slot(after_fork);
  using Made = decltype(make());
  using Object = std::remove_pointer_t<Made>;
  void *object = slot.get();
  if (!object) [[unlikely]] {
    auto as_pointer = [&make]() -> void * {
      if constexpr (std::is_pointer_v<Made>)
        return const_cast<std::remove_const_t<Object> *>(make());
      else
        return const_cast<std::remove_const_t<Object> *>(new Object(make()));
    };
    object = slot.get_or_make(as_pointer);
  }
  return *static_cast<Object *>(object);
}

} // namespace lockstep

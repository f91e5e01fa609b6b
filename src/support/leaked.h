// Objects that live as long as the process: made at first use, never destroyed.
//
//   Registry &registry() { return leaked([] { return Registry(); }); }
//
// Requires: `make` returns the object, or a pointer to an object that it has allocated. Each call site makes one object.
// Ensures: concurrent callers wait for the first; if `make` throws, the next caller tries again.
//
// Why not a `static` object: exit() destroys it while other threads of ours run, and worker threads run until the
// process is gone. Why not `static T &x = *new T`: the compiler's guard of such a variable stays locked in a child of
// fork() if another thread of the parent was making the object. scripts/check/statics.py refuses both in src/.
//
// AfterFork says what a child of fork() finds (docs/process_life.md). An object that other threads change or lock is
// made again by the child: it may be half changed, and its locks may be held by threads that do not exist there.
#pragma once

#include "support/fork.h"

#include "support/leaked.h"

#include <atomic>
#include <type_traits>
#include <utility>

namespace lockstep {

enum class AfterFork {
  keep,       // constant once it is made
  make_again, // has locks, threads or state of running commands
};

// What leaked() keeps for one call site. Constant-initialised and trivially destructible.
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
  // A lock that a child finds free although another thread of the parent held it.
  class Lock {
  public:
    explicit Lock(LeakedSlot &slot);
    ~Lock() { slot_.locked_by_.store(0, std::memory_order_release); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    LeakedSlot &slot_;
  };

  void list(); // for after_fork

  const AfterFork after_fork_;
  std::atomic<void *> object_{nullptr};
  std::atomic<unsigned> locked_by_{0}; // 0: free; else 1 + fork_generation() of the owner
  LeakedSlot *next_ = nullptr;         // of all that are listed
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

#include "runtime/check/commands/thread_sanitizer.h"

#include "platform/linux/leaked.h"
#include "runtime/check/assumptions/assumptions.h"
#include "runtime/device/kernel.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"
#include "runtime/memory/access.h"
#include "runtime/memory/transfers.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// Functions of the program's sanitizer runtime (<sanitizer/tsan_interface.h>), if it has one.
extern "C" {
[[gnu::weak]] void __tsan_acquire(void *);
[[gnu::weak]] void __tsan_release(void *);
[[gnu::weak]] void __tsan_read_range(void *, unsigned long);
[[gnu::weak]] void __tsan_write_range(void *, unsigned long);
[[gnu::weak]] void *__tsan_get_current_fiber();
[[gnu::weak]] void *__tsan_create_fiber(unsigned);
[[gnu::weak]] void __tsan_destroy_fiber(void *);
[[gnu::weak]] void __tsan_switch_to_fiber(void *, unsigned);
[[gnu::weak]] void __tsan_set_fiber_name(void *, const char *);
}

namespace lockstep::runtime {

namespace {

// The sanitizer supports some thousands of threads, and aborts the program beyond that.
constexpr unsigned most_fibres = 2000;
constinit std::atomic<unsigned> fibres = 0;

// A fiber of the sanitizer; releases and acquires use the address of this object.
class Fibre {
public:
  Fibre() {
    if (fibres.fetch_add(1) < most_fibres)
      fibre_ = __tsan_create_fiber(0);
  }
  ~Fibre() { end(); }
  Fibre(const Fibre &) = delete;
  Fibre &operator=(const Fibre &) = delete;

  // Ends the fiber. Successors only need the address.
  void end() {
    if (!std::exchange(has_ended_, true))
      fibres.fetch_sub(1);
    if (void *fibre = std::exchange(fibre_, nullptr))
      __tsan_destroy_fiber(fibre);
  }
  template <class Function> void run(const std::string &name, Function function) const {
    if (!fibre_)
      return;
    constexpr unsigned without_order = 1;
    void *mine = __tsan_get_current_fiber();
    __tsan_set_fiber_name(fibre_, name.c_str());
    __tsan_switch_to_fiber(fibre_, without_order);
    function();
    __tsan_switch_to_fiber(mine, without_order);
  }

private:
  void *fibre_ = nullptr;
  bool has_ended_ = false;
};

class ThreadSanitizer final : public Listener {
public:
  void command_made(const Command &command) override {
    auto made = std::make_shared<Known>();
    __tsan_release(made.get());
    std::lock_guard lock(mutex_);
    known_[&command] = std::move(made);
  }
  void edge_added(const Command &before, const Command &after, EdgeKind) override {
    std::lock_guard lock(mutex_);
    if (auto one = find(before), other = find(after); one && other)
      other->before.push_back(std::move(one));
  }
  // For program code that a worker runs (host tasks).
  void command_begun(const Command &command) override {
    if (!command.operation() || !command.operation()->is_host_code())
      return;
    if (const auto known = locked_find(command))
      acquire(*known);
  }
  void command_ended(const Command &command, Status) override {
    const auto known = locked_find(command);
    if (!known)
      return;
    Operation *operation = command.operation();
    if (operation && operation->is_host_code()) {
      __tsan_release(known.get());
    } else {
      Launch *launch = operation ? operation->launch() : nullptr;
      known->fibre.run(launch ? "kernel " + launch->kernel().name : "command", [&] {
        acquire(*known);
        if (operation)
          access_memory(*operation);
        __tsan_release(known.get());
      });
    }
    if (command.is_user_event()) // completed by the program
      __tsan_release(known.get());
    known->fibre.end();
    std::lock_guard lock(mutex_);
    known->before.clear();
  }
  void command_gone(const Command &command) override {
    std::lock_guard lock(mutex_);
    known_.erase(&command);
  }
  void command_awaited(const Command &command) override {
    if (const auto known = locked_find(command))
      __tsan_acquire(known.get());
  }

private:
  struct Known {
    Fibre fibre;
    std::vector<std::shared_ptr<Known>> before; // until it ends
  };

  std::shared_ptr<Known> find(const Command &command) const {
    const auto found = known_.find(&command);
    return found == known_.end() ? nullptr : found->second;
  }
  std::shared_ptr<Known> locked_find(const Command &command) const {
    std::lock_guard lock(mutex_);
    return find(command);
  }
  void acquire(Known &known) const {
    __tsan_acquire(&known);
    std::vector<std::shared_ptr<Known>> before;
    {
      std::lock_guard lock(mutex_);
      before = known.before;
    }
    for (const auto &each : before)
      __tsan_acquire(each.get());
  }

  static void report(const std::byte *begin, std::size_t size, bool writes) {
    void *seen = memory_observer().as_host_sees(const_cast<std::byte *>(begin));
    writes ? __tsan_write_range(seen, size) : __tsan_read_range(seen, size);
  }
  static void access_memory(Operation &operation) {
    if (const Launch *launch = operation.launch()) {
      for (const ReachedBytes &bytes : reached_by(*launch))
        if (bytes.is_exact && !bytes.is_atomic)
          report(bytes.access->memory.data() + bytes.begin, bytes.end - bytes.begin, bytes.writes);
      return;
    }
    if (dynamic_cast<const NoWork *>(&operation))
      return;
    for (const Access &access : operation.accesses())
      if (access.row_bytes == 0)
        report(access.memory.data(), access.memory.size(), writes(access.mode));
      else
        for (std::size_t row = 0; row != access.rows * access.slices; ++row)
          report(access.memory.data() + row / access.rows * access.slice_pitch +
                     row % access.rows * access.row_pitch,
                 access.row_bytes, writes(access.mode));
  }

  mutable std::mutex mutex_;
  std::unordered_map<const Command *, std::shared_ptr<Known>> known_;
};

} // namespace

bool thread_sanitizer_is_there() {
#if !defined(__SANITIZE_THREAD__) && !__has_feature(thread_sanitizer) // not instrumented itself
  return __tsan_create_fiber && __tsan_acquire && __tsan_read_range;
#else
  return false;
#endif
}

void start_thread_sanitizer_if_there() {
  if (thread_sanitizer_is_there())
    add_listener(leaked<AfterFork::make_again>([] { return new ThreadSanitizer; }));
}

} // namespace lockstep::runtime

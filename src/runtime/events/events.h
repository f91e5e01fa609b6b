// Reports what happens to commands and work-groups to listeners: profiles, traces, reports.
//
// Without a listener, each report costs a load and a branch that is never taken. The thread to
// which the event happens calls the function; several threads may do so at the same time. Listeners
// must be fast, and may access only the command, its operation and the memory in its accesses.
#pragma once

#include "runtime/events/status.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

class Command;
class CommandQueue;
class Launch;
enum class EdgeKind : uint8_t;

class Listener {
public:
  virtual ~Listener() = default;

  // Calls for one command have this order. Edges to it come before it is ready, edges from it
  // before it is gone. An edge is reported when the program requests it, even if `before` ended
  // long ago.
  virtual void command_made(const Command &) {}
  // Not called for user events, transfers of the runtime, and internal join markers of queues.
  virtual void command_enqueued(const Command &, const CommandQueue &) {}
  virtual void edge_added(const Command & /*before*/, const Command & /*after*/, EdgeKind) {}
  // called again if it then had to wait for a transfer
  virtual void command_ready(const Command &) {}
  virtual void command_begun(const Command &) {} // not called if a dependency has failed
  // The command still has its operation. Its status is published, and dependants become ready,
  // later.
  virtual void command_ended(const Command &, Status) {}
  virtual void command_gone(const Command &) {} // its address may be reused for another command
  // The end of the command is ordered before what a thread of the program does next: the thread has
  // waited, is a callback, or made a query of SYCL.
  virtual void command_awaited(const Command &) {}
  // A thread of the program has seen that the command has ended, and is not ordered after it:
  // clGetEventInfo (OpenCL 3.1 API section 5.11).
  virtual void command_polled(const Command &) {}

  // One call of a kernel's code, for the work-group `id`, or for those up to `id + count` if the
  // code runs several at once. A group that waits for others may end on another thread. Groups that
  // end by a fault or a deadlock are not reported.
  using Size = std::array<uint64_t, 3>;
  virtual void groups_begun(const Launch &, const Size & /*id*/, const Size & /*count*/) {}
  virtual void groups_ended(const Launch &, const Size & /*id*/, const Size & /*count*/) {}

  // A work-group that is a coroutine is suspended at a place in the source, until work-items of
  // other groups let it go on. Each group_waits() is followed by a group_goes_on(), unless the
  // launch fails. Any thread may resume the group.
  struct Place {
    std::string_view file; // empty: not known
    uint32_t line = 0, column = 0;
  };
  virtual void group_waits(const Launch &, const Size & /*id*/, const Place &) {}
  virtual void group_goes_on(const Launch &, const Size & /*id*/) {}

  // The calling thread of the program has made a call of the interface (kind "call"), compiled a
  // kernel ("compile"), or loaded code that was made ahead of time ("load"). Times are in
  // nanoseconds, as those of commands.
  virtual void thread_worked(const char * /*kind*/, std::string_view /*name*/, uint64_t /*begun*/,
                             uint64_t /*ended*/) {}

  // One of these functions threw std::bad_alloc, so the listener lacks some events. The command
  // continues.
  virtual void missed_something() noexcept {}
};

// A listener receives events of commands that are made afterwards, perhaps also of earlier ones.
// Remove it only while nothing runs.
void add_listener(Listener &listener);
void remove_listener(Listener &listener);

// Null: there is no listener.
inline constinit std::atomic<const std::vector<Listener *> *> all_listeners{nullptr};

inline bool anyone_listens() {
  return all_listeners.load(std::memory_order_relaxed) != nullptr;
}

void has_missed_something(Listener &listener) noexcept; // also prints a message on stderr, once

// notify(&Listener::command_made, command)
template <class... Parameters, class... Arguments>
void notify(void (Listener::*what)(Parameters...), const Arguments &...arguments) {
  if (!anyone_listens()) [[likely]]
    return;
  if (const auto *listeners = all_listeners.load(std::memory_order_acquire))
    for (Listener *listener : *listeners)
      try {
        (listener->*what)(arguments...);
      } catch (const std::bad_alloc &) { // a worker has no caller that could handle it
        has_missed_something(*listener);
      }
}

} // namespace lockstep::runtime

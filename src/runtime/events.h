// What happens to commands and work-groups, for whoever wants to know: profiles, traces, reports.
//
// While nobody listens this costs a load and a branch that is never taken at each place. Functions
// are called by the thread to which it happens, several at a time, and must be short; what they
// may look at is the command, its operation and what that accesses.
#pragma once

#include "runtime/graph/status.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <new>
#include <vector>

namespace lockstep::runtime {

class Command;
class CommandQueue;
class Launch;
enum class EdgeKind : uint8_t;

class Listener {
public:
  virtual ~Listener() = default;

  // In this order for one command, edges to it at any time until it is ready, from it until it is
  // gone. An edge is told where the program asks for it, also if `before` had ended long ago.
  virtual void command_made(const Command &) {}
  // Not for user events, transfers that the runtime needs, and the nodes by which queues say "all so far".
  virtual void command_enqueued(const Command &, const CommandQueue &) {}
  virtual void edge_added(const Command & /*before*/, const Command & /*after*/, EdgeKind) {}
  virtual void command_ready(const Command &) {} // again, if it then had to wait for a transfer
  virtual void command_begun(const Command &) {} // not if a dependency has failed
  // It has its operation still; that others see the status, and dependants get ready, comes later.
  virtual void command_ended(const Command &, Status) {}
  virtual void command_gone(const Command &) {} // its address may be another command's
  // A thread of the program has waited until the command had ended, or heard of it in another way.
  virtual void command_awaited(const Command &) {}

  // One call of a kernel's code, for the work-group `id` and, where the code runs several at once,
  // those up to `id + count`. A group that waits for others may end on another thread. Groups that
  // a fault or a deadlock has ended are not told of.
  using Size = std::array<uint64_t, 3>;
  virtual void groups_begun(const Launch &, const Size & /*id*/, const Size & /*count*/) {}
  virtual void groups_ended(const Launch &, const Size & /*id*/, const Size & /*count*/) {}

  // One of these functions has thrown std::bad_alloc: the listener does not know all that has happened. The command goes on.
  virtual void missed_something() noexcept {}
};

// A listener hears of commands that are made from then on, perhaps of others too. It is removed
// when nothing runs.
void add_listener(Listener &listener);
void remove_listener(Listener &listener);

// Null: nobody listens.
inline constinit std::atomic<const std::vector<Listener *> *> all_listeners{nullptr};

inline bool anyone_listens() {
  return all_listeners.load(std::memory_order_relaxed) != nullptr;
}

void has_missed_something(Listener &listener) noexcept; // and says so on stderr, once

// tell(&Listener::command_made, command)
template <class... Parameters, class... Arguments>
void tell(void (Listener::*what)(Parameters...), const Arguments &...arguments) {
  if (!anyone_listens()) [[likely]]
    return;
  if (const auto *listeners = all_listeners.load(std::memory_order_acquire))
    for (Listener *listener : *listeners)
      try {
        (listener->*what)(arguments...);
      } catch (const std::bad_alloc &) { // a worker has no caller that it could get to
        has_missed_something(*listener);
      }
}

} // namespace lockstep::runtime

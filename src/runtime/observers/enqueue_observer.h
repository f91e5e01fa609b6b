// What a checker observes of kernels that enqueue kernels: which of these launches come before
// which others. There is one object per host launch that enqueues; all launches below it share the
// object. This class is the null object; src/runtime/check/commands implements it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::runtime {

class EnqueueObserver {
public:
  virtual ~EnqueueObserver() = default;
  static std::shared_ptr<EnqueueObserver> none();

  // In the order of CLK_ENQUEUE_FLAGS_*
  enum class Wait : uint8_t { for_nothing, for_kernel, for_group };

  // The predecessors of whatever waits for an event, or for the end of a group or kernel. Null:
  // unknown.
  class Known;
  using KnownRef = std::shared_ptr<Known>;
  class Node; // a launch
  using NodeRef = std::shared_ptr<Node>;

  virtual NodeRef add() { return nullptr; } // for the launch by the host
  // For a launch that `parent` enqueues now; `awaited`: what it waits for in addition.
  virtual NodeRef add_child(const NodeRef & /*parent*/, Wait, std::vector<KnownRef> /*awaited*/) {
    return nullptr;
  }
  // The predecessors of waiters for the launch's event, whether it runs or not.
  virtual KnownRef known_of(const NodeRef &) const { return nullptr; }
  virtual KnownRef known_after(std::vector<KnownRef> /*awaited*/) const { return nullptr; }
  // The launch synchronizes by other means than its end.
  virtual void set_synchronizes(const NodeRef &) {}

  // The following functions belong to the end of a launch, where no caller handles std::bad_alloc.

  // Ends a part of the launch; the part precedes those that wait for `known`.
  virtual void reach(const NodeRef &, const KnownRef & /*known*/) noexcept {}
  // All of the launch has run.
  virtual void end(const NodeRef &) noexcept {}
  // Adds an ended launch and its predecessors to `known`.
  virtual void add_ended(const NodeRef &, const KnownRef & /*known*/) const noexcept {}
  virtual void join(const KnownRef & /*to*/, const KnownRef & /*known*/) const noexcept {}
};

} // namespace lockstep::runtime

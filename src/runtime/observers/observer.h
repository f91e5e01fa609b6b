// The way from the runtime and the API to a checker: they call the observers of this folder, and
// src/runtime/check implements them. Without a check, observer() and everything that it returns are
// null objects.
#pragma once

#include <memory>
#include <span>

namespace lockstep::compiler {
struct KernelInfo;
struct LaunchInfo;
} // namespace lockstep::compiler

namespace lockstep::runtime {

class EnqueueObserver;
class LaunchObserver;
class MemoryAccount;
class MemoryObserver;
struct Access;

class Observer {
public:
  virtual ~Observer() = default;

  // Whether a check is on.
  virtual bool is_checker() const { return false; }
  virtual MemoryObserver &memory() const;
  // For a launch of known sizes and arguments. All parameters must outlive the result, which sets
  // the pointers to the checker in `launch`.
  virtual std::shared_ptr<LaunchObserver> of_launch(const compiler::KernelInfo &kernel,
                                                    compiler::LaunchInfo &launch,
                                                    std::span<const Access> accesses) const;
  // For a host launch whose kernels may enqueue kernels.
  virtual std::shared_ptr<EnqueueObserver> of_enqueues() const;
};

// Returns the observer of the process. The first call decides by the environment whether there is a
// check.
Observer &observer();
MemoryObserver &memory_observer(); // observer().memory()

// Two functions that the checker defines (check/check.cpp). A build without the checker has
// no_checker.cpp instead.

// Null: no check is on.
Observer *make_checker();
// Called at the first use of a device, and again in a child of fork().
void start_checker(const std::shared_ptr<MemoryAccount> &device_memory);

} // namespace lockstep::runtime

#include "runtime/observers/observer.h"

#include "platform/linux/leaked.h"
#include "runtime/observers/enqueue_observer.h"
#include "runtime/observers/launch_observer.h"
#include "runtime/observers/memory_observer.h"

namespace lockstep::runtime {

// A pointer to an object that is never destroyed needs no reference count.
template <class Object> static std::shared_ptr<Object> uncounted(Object &object) {
  return {std::shared_ptr<void>(), &object};
}

MemoryObserver &Observer::memory() const {
  return leaked([] { return new MemoryObserver; });
}

std::shared_ptr<LaunchObserver> Observer::of_launch(const compiler::KernelInfo & /*kernel*/,
                                                    compiler::LaunchInfo & /*launch*/,
                                                    std::span<const Access> /*accesses*/) const {
  return LaunchObserver::none();
}

std::shared_ptr<EnqueueObserver> Observer::of_enqueues() const {
  return EnqueueObserver::none();
}

std::shared_ptr<LaunchObserver> LaunchObserver::none() {
  return uncounted(leaked([] { return new LaunchObserver; }));
}

std::shared_ptr<EnqueueObserver> EnqueueObserver::none() {
  return uncounted(leaked([] { return new EnqueueObserver; }));
}

Observer &observer() {
  return leaked([] {
    Observer *checker = make_checker();
    return checker ? checker : new Observer;
  });
}

MemoryObserver &memory_observer() {
  return observer().memory();
}

} // namespace lockstep::runtime

// The door of the checker: the functions of observers/observer.h by which the runtime finds it.
// LOCKSTEP_CHECK enables it for the whole process.
#include "platform/linux/leaked.h"
#include "runtime/check/bounds/memory_check.h"
#include "runtime/check/checked_launch.h"
#include "runtime/check/checked_memory.h"
#include "runtime/check/commands/command_order.h"
#include "runtime/check/commands/enqueue_order.h"
#include "runtime/check/commands/thread_sanitizer.h"
#include "runtime/check/host/host_views.h"
#include "runtime/check/options/check_memory.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/findings.h"
#include "runtime/events/events.h"
#include "runtime/observers/observer.h"

namespace lockstep::runtime {

namespace {

class Checker final : public Observer {
public:
  bool is_checker() const override { return check_options().is_wanted(); }
  MemoryObserver &memory() const override {
    return leaked([] { return new CheckedMemory; });
  }
  std::shared_ptr<LaunchObserver> of_launch(const compiler::KernelInfo &kernel,
                                            compiler::LaunchInfo &launch,
                                            std::span<const Access> accesses) const override {
    return std::make_shared<CheckedLaunch>(kernel, launch, accesses);
  }
  std::shared_ptr<EnqueueObserver> of_enqueues() const override {
    if (!check_options().commands)
      return EnqueueObserver::none();
    return std::make_shared<EnqueueOrder>();
  }
};

} // namespace

Observer *make_checker() {
  return check_options().is_wanted() || thread_sanitizer_is_there() ? new Checker : nullptr;
}

void start_checker(const std::shared_ptr<MemoryAccount> &device_memory) {
  // Code compiled for the check calls these hooks for its atomics, whatever is checked.
  LaunchCheck::set_hooks();
  CheckMemory::share(device_memory);
  start_thread_sanitizer_if_there();
  start_memory_check_if_wanted();
  if (!check_options().commands)
    return;
  HostViews::start();
  add_listener(leaked<AfterFork::make_again>([] { return new CommandOrder; }));
  Findings::instance();
}

} // namespace lockstep::runtime

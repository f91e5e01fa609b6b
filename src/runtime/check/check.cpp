#include "runtime/check/check.h"

#include "driver/compile.h"
#include "platform/linux/leaked.h"
#include "runtime/check/bounds/memory_check.h"
#include "runtime/check/commands/command_order.h"
#include "runtime/check/commands/thread_sanitizer.h"
#include "runtime/check/host/host_views.h"
#include "runtime/check/options/check_options.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/kernel.h"
#include "runtime/events/events.h"
#include "runtime/graph/command.h"

namespace lockstep::runtime {

namespace {

// Frees the check state of launches as soon as they end. Recorded launches begin a new check with
// each run.
class EndOfLaunches final : public Listener {
public:
  void command_begun(const Command &command) override {
    if (Operation *operation = command.operation())
      if (Launch *launch = operation->launch(); launch && !launch->check())
        launch->begin_check();
  }
  void command_ended(const Command &command, Status) override {
    if (Operation *operation = command.operation())
      if (Launch *launch = operation->launch())
        launch->end_check();
  }
};

EndOfLaunches *start() {
  auto *listener = new EndOfLaunches;
  add_listener(*listener);
  Findings::instance(); // reports at the end of the process if nothing was checked
  return listener;
}

} // namespace

void start_check_if_wanted() {
  // Code compiled for the check calls these hooks for its atomics, whatever is checked.
  LaunchCheck::set_hooks();
  start_thread_sanitizer_if_there();
  start_memory_check_if_wanted();
  if (!check_options().commands)
    return;
  HostViews::start();
  add_listener(leaked<AfterFork::make_again>([] { return new CommandOrder; }));
  Findings::instance();
}

std::unique_ptr<LaunchCheck> check_of(const compiler::KernelInfo &kernel,
                                      const compiler::LaunchInfo &launch,
                                      std::span<const Access> accesses) {
  const CheckOptions &options = check_options();
  if (!options.watches_groups() && !options.commands)
    return nullptr;
  leaked<AfterFork::make_again>([] { return start(); });
  if (!matches_name(options.kernels, kernel.name, kernel.title))
    return nullptr;
  return std::make_unique<LaunchCheck>(kernel, launch, accesses);
}

} // namespace lockstep::runtime

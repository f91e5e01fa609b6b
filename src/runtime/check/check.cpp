#include "runtime/check/check.h"

#include "compiler/compile.h"
#include "runtime/check/check_options.h"
#include "runtime/check/command_order.h"
#include "runtime/check/findings.h"
#include "runtime/check/host_views.h"
#include "runtime/check/memory_check.h"
#include "runtime/check/thread_sanitizer.h"
#include "runtime/events.h"
#include "runtime/graph/command.h"
#include "runtime/kernel.h"
#include "support/leaked.h"

namespace lockstep::runtime {

namespace {

// Ends what launches leave behind as soon as they are done. Recorded launches begin again.
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
  Findings::instance(); // which says at the end that nothing was checked
  return listener;
}

} // namespace

void start_check_if_wanted() {
  // Code that was compiled for the check has it make atomics, whatever is looked for.
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

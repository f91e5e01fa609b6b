// The checker, as launches and everybody else see it. It is switched on for the whole process by LOCKSTEP_CHECK, and a
// Listener then (runtime/events.h).
#pragma once

#include "runtime/check/launch_check.h"

#include <memory>
#include <span>

namespace lockstep::runtime {

// For a launch that is about to be enqueued; null where nothing is checked. They must outlive it.
std::unique_ptr<LaunchCheck> check_of(const compiler::KernelInfo &kernel,
                                      const compiler::LaunchInfo &launch,
                                      std::span<const Access> accesses);

// At the first use of a device: checked code can run from then on, and commands are listened to.
void start_check_if_wanted();

} // namespace lockstep::runtime

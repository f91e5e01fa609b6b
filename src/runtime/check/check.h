// Entry points of the checker. LOCKSTEP_CHECK enables it for the whole process; it then uses a
// Listener (runtime/events/events.h).
#pragma once

#include "runtime/check/races/launch/launch_check.h"

#include <memory>
#include <span>

namespace lockstep::runtime {

// For a launch that is about to be enqueued; null if it is not checked. The arguments must outlive
// the result.
std::unique_ptr<LaunchCheck> check_of(const compiler::KernelInfo &kernel,
                                      const compiler::LaunchInfo &launch,
                                      std::span<const Access> accesses);

// Called at the first use of a device: sets the hooks for checked code and starts to listen to
// commands.
void start_check_if_wanted();

} // namespace lockstep::runtime

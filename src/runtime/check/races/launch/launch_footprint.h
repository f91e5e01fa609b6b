// The bytes that a launch reads and writes, for the order of commands (commands/touched_memory.h).
//
// Requires: kernel, launch and accesses outlive it.
//
// Ensures: without --only commands it records nothing.
//
// Part of LaunchCheck, because instrumented code reports an access once, for races and for
// commands.
#pragma once

#include "abi/check_abi.h"
#include "abi/launch_abi.h"
#include "runtime/check/commands/touched_memory.h"
#include "runtime/check/races/launch/launch_state.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::runtime {

class LaunchFootprint {
public:
  explicit LaunchFootprint(const LaunchState &state);

  bool is_recorded() const { return touched_ != nullptr; }
  void touch(compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes) {
    if (touched_)
      touched_->touch(site, address, stride, lanes);
  }
  void touch(compiler::CheckSite &site, const void *address, const compiler::CopyShape &shape) {
    if (touched_)
      touched_->touch(site, address, shape);
  }
  // For code that runs with these arguments; `origin` is what argument `number` points to.
  uint64_t touch_plane(const void *arguments, uint32_t number, compiler::TouchWay way,
                       uint32_t unit, const void *origin);
  // Records the must-access set from the launch assumptions (abi/assumptions.h). Compiled code
  // does not mark these accesses.
  void touch_what_is_certain(const compiler::Assumptions &assumptions);

  // These require is_recorded().
  std::vector<ReachedBytes> touched() const { return touched_->reached(); }
  void name_places() { touched_->name_places(); }
  std::vector<ReachedBytes> take_touched(uint64_t &looked_at) { // TouchedMemory::take
    return touched_->take(looked_at);
  }

private:
  const LaunchState &state_;
  std::unique_ptr<TouchedMemory> touched_; // null: the order of commands is not checked
};

} // namespace lockstep::runtime

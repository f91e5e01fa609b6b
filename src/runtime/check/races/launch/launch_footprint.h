// The bytes that a launch reads and writes, for the order of commands (commands/accessed_memory.h).
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
#include "runtime/check/commands/accessed_memory.h"
#include "runtime/check/races/launch/launch_state.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::runtime {

class LaunchFootprint {
public:
  explicit LaunchFootprint(const LaunchState &state);

  bool is_recorded() const { return accessed_ != nullptr; }
  void record(compiler::CheckSite &site, const void *address, int64_t stride, uint64_t lanes) {
    if (accessed_)
      accessed_->record(site, address, stride, lanes);
  }
  void record(compiler::CheckSite &site, const void *address, const compiler::CopyShape &shape) {
    if (accessed_)
      accessed_->record(site, address, shape);
  }
  // For code that runs with these arguments; `origin` is what argument `number` points to.
  uint64_t map_of_argument(const void *arguments, uint32_t number, compiler::FootprintKind kind,
                           uint32_t unit, const void *origin);
  // Records the must-access set from the launch assumptions (abi/assumptions.h). Compiled code
  // does not mark these accesses.
  void record_must_accesses(const compiler::Assumptions &assumptions);

  // These require is_recorded().
  std::vector<ReachedBytes> reached() const { return accessed_->reached(); }
  void record_sites() { accessed_->record_sites(); }
  std::vector<ReachedBytes> take_footprint(uint64_t &looked_at) { // AccessedMemory::take
    return accessed_->take(looked_at);
  }

private:
  const LaunchState &state_;
  std::unique_ptr<AccessedMemory> accessed_; // null: the order of commands is not checked
};

} // namespace lockstep::runtime

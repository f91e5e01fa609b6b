// The options in LOCKSTEP_CHECK and related variables (docs/environment.md).
#pragma once

#include "runtime/check/options/suppressions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

struct CheckOptions {
  bool races = false, barriers = false, commands = false, memory = false, undefined = false;
  bool strictly = false; // by the letter of the specification (docs/checking.md)
  // Names both work-items of a race even if that is expensive, as in a repeated run.
  bool names_both = false;
  bool is_wanted() const { return races || barriers || commands || memory || undefined; }
  bool watches_groups() const { return races || barriers; } // work-items, not only commands
  std::string kernels = "*";                                // pattern of the checked kernels
  // A file that gets one JSON line for each record that `lockstep check` counts; empty: none. Then
  // the program's own output has no summary.
  std::string file;
  std::string findings; // a file that gets findings only, with the command that repeats them
  std::string again;    // that command; empty: unknown
  std::vector<Suppression> suppressions;
  static constexpr uint64_t any_memory = ~uint64_t(0);
  uint64_t most_memory = any_memory; // bytes, for the checker's shadow state
};

// The environment at the first call.
const CheckOptions &check_options();

} // namespace lockstep::runtime

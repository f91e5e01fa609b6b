// What LOCKSTEP_CHECK and its kin ask for (docs/environment.md).
#pragma once

#include "runtime/check/suppressions.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

struct CheckOptions {
  bool races = false, barriers = false, commands = false, memory = false, undefined = false;
  bool strictly = false; // by the letter of the specification (docs/checking.md)
  // Work-items of a race even where it costs something, as when a run is repeated.
  bool names_both = false;
  bool is_wanted() const { return races || barriers || commands || memory || undefined; }
  bool watches_groups() const { return races || barriers; } // work-items, not only commands
  std::string kernels = "*";                                // those that are checked, a pattern
  // What lockstep check counts by is appended to it, a line of JSON each; empty: none. The program's own text has no summary then.
  std::string file;
  std::string findings; // to this, findings alone, with the command that repeats them
  std::string again;    // that command; empty: not known
  std::vector<Suppression> suppressions;
  static constexpr uint64_t any_memory = ~uint64_t(0);
  uint64_t most_memory = any_memory; // bytes, for what the check remembers
};

// As the environment had it when it was first asked for.
const CheckOptions &check_options();

} // namespace lockstep::runtime

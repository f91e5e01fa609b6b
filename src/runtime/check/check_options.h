// What LOCKSTEP_CHECK and its kin ask for (docs/environment.md).
#pragma once

#include <string>

namespace lockstep::runtime {

struct CheckOptions {
  bool races = false;
  std::string kernels = "*"; // those that are checked, a pattern
  std::string file;          // reports are appended to it as JSON, a line each; empty: none
  std::string repeat;        // how the user asked for this run; empty: by the environment
};

// As the environment had it when it was first asked for.
const CheckOptions &check_options();

} // namespace lockstep::runtime

// What LOCKSTEP_CHECK asks for (docs/environment.md): parsed here, for the compiler and for the runtime.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

struct CheckKinds {
  bool races = false, barriers = false, commands = false, memory = false, undefined = false;
  bool strictly = false;            // by the letter of the specification; implies races
  std::vector<std::string> unknown; // words that name no kind
  bool any() const { return races || barriers || commands || memory || undefined; }
  // The compiled code reports its accesses to the checker.
  bool need_accesses() const { return races || barriers || commands; }
};

// Words separated by commas; "1" is races and barriers, "0" is nothing.
CheckKinds check_kinds_of(std::string_view text);

// The environment now.
CheckKinds check_kinds();

} // namespace lockstep

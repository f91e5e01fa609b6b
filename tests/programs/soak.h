// Returns the requested duration of the concurrent-use test; no value means the default duration.
#pragma once

#include <cstdlib>
#include <optional>

namespace lockstep::test {

inline std::optional<double> soak_seconds() {
  const char *asked = std::getenv("LOCKSTEP_SOAK_SECONDS");
  return asked ? std::optional<double>(std::atof(asked)) : std::nullopt;
}

} // namespace lockstep::test

// How long somebody wants the test of concurrent use to run; none: as long as a test may.
#pragma once

#include <cstdlib>
#include <optional>

namespace lockstep::test {

inline std::optional<double> soak_seconds() {
  const char *asked = std::getenv("LOCKSTEP_SOAK_SECONDS");
  return asked ? std::optional<double>(std::atof(asked)) : std::nullopt;
}

} // namespace lockstep::test

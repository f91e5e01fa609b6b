// Where the workers of this process are, for `lockstep info`.
#pragma once

#include "support/ranks.h"

#include <optional>
#include <string>

namespace lockstep::runtime {

struct PlacementReport {
  unsigned threads = 0;
  std::string cpus;     // "16-23": preferred CPUs of the workers, or, if not bound, all CPUs
  bool is_bound = true; // each worker may only use CPUs that share a cache with its own
  std::optional<LocalRank> local;
};

PlacementReport report_placement();

} // namespace lockstep::runtime

// Statistics of the disk cache, for tools.
#pragma once

#include "support/result.h"

#include <cstdint>
#include <string>

namespace lockstep::compiler {

struct CacheStatistics {
  // LOCKSTEP_CACHE_DIR, else $XDG_CACHE_HOME/lockstep, else ~/.cache/lockstep.
  std::string directory;
  bool enabled = true; // false: LOCKSTEP_CACHE=0, or the directory cannot be written
  std::string problem; // why it is not enabled
  uint64_t entries = 0;
  uint64_t bytes = 0;
};
CacheStatistics cache_statistics();
Result<uint64_t> clear_cache(); // number of entries removed

} // namespace lockstep::compiler

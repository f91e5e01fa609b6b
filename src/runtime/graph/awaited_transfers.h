// The transfers that a ready command must wait for, because the bytes that it reads are valid only
// in another memory than its own.
//
// It is a hook, because the graph does not know where bytes are valid: memory/residency.h does, and
// its transfers are commands of the graph.
#pragma once

#include "runtime/graph/command.h"

#include <atomic>
#include <vector>

namespace lockstep::runtime {

struct Transfers {
  std::vector<CommandRef> all;
  std::vector<CommandRef> fresh; // those of `all` that are not started yet
};

// For an operation whose dependencies are settled: adds the transfers that it must wait for. If
// there are none, it may run, and its writes are recorded. If this throws std::bad_alloc,
// `transfers.fresh` may contain transfers that other commands wait for: the caller must start them.
using AddTransfers = void (*)(const Operation &operation, Transfers &transfers);

// For an operation whose dependencies may be in progress, on the device that will run it. Returns
// whether all bytes that it reads are valid in its memory, or will be when its dependencies have
// run. Then its writes are recorded.
using RunsWithoutTransfers = bool (*)(const Operation &operation);

// Both are null while no buffer of the process has a copy outside host memory.
inline constinit std::atomic<AddTransfers> awaited_transfers{nullptr};
inline constinit std::atomic<RunsWithoutTransfers> runs_without_transfers{nullptr};

} // namespace lockstep::runtime

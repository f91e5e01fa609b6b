// On which CPUs the workers of this process run, beside the other processes of the host.
//
// Several processes of a job (ranks of MPI) run on one host. Without care, each of them would use
// all CPUs, or all of them the first ones. docs/cluster.md has the rules.
#pragma once

#include "platform/linux/topology.h"
#include "support/ranks.h"

#include <optional>
#include <vector>

namespace lockstep::runtime {

struct Placement {
  std::vector<Cpu> cpus; // the preferred CPU of each worker
  // False: the system may move workers between all CPUs of the process.
  bool is_bound = true;
};

// One worker per core first, then the other hardware threads. `requested` is LOCKSTEP_THREADS.
Placement place_workers(const Topology &topology, std::optional<unsigned> requested,
                        std::optional<LocalRank> local);

} // namespace lockstep::runtime

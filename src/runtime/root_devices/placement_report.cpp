#include "runtime/root_devices/placement_report.h"

#include "platform/linux/topology.h"
#include "runtime/launch/cpu/pool/worker_pool.h"

namespace lockstep::runtime {

PlacementReport report_placement() {
  const WorkerPool &pool = WorkerPool::instance();
  const Placement &placement = pool.placement();
  return {.threads = pool.size(),
          .cpus = cpu_list(placement.is_bound ? placement.cpus : topology().cpus),
          .is_bound = placement.is_bound,
          .local = local_rank_of_process()};
}

} // namespace lockstep::runtime

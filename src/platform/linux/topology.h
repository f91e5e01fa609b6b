// The CPUs that this process may use, according to hwloc, reduced to what the thread pool and
// sub-devices need.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

// One hardware thread. Domains are numbers: two CPUs with the same number share that domain.
struct Cpu {
  unsigned os_index = 0;
  unsigned core = 0, numa_node = 0, l1 = 0, l2 = 0, l3 = 0, l4 = 0; // without such a cache: all 0
};

struct Topology {
  // Allowed by affinity mask and cgroup; neighbors in the machine are neighbors here.
  std::vector<Cpu> cpus;
  unsigned machine_cpus = 0;  // CPUs without the affinity mask and LOCKSTEP_CPUS
  bool is_restricted = false; // the affinity mask has fewer CPUs than the machine
  bool is_selected = false;   // LOCKSTEP_CPUS says which CPUs these are
  // Maximum number of useful threads: number of cpus, less under a cgroup quota.
  unsigned cpu_limit = 0;
  uint64_t memory_bytes = 0; // physical memory, less under a cgroup limit
  uint64_t last_level_cache_bytes = 0, l1_data_bytes = 0, l2_bytes = 0;
  unsigned cache_line_bytes = 64;
  unsigned max_clock_mhz = 0;
  bool has_l1 = false, has_l2 = false, has_l3 = false, has_l4 = false,
       has_several_numa_nodes = false;
  std::string cpu_name;   // "AMD EPYC 9755 ..."
  std::string cpu_vendor; // "AuthenticAMD"
};

const Topology &topology(); // read once

// Removes the CPUs that are not in `list` ("0,4-7": their numbers in the system). False, and no
// change, if the text is not such a list or no CPU remains.
bool select_cpus(Topology &topology, std::string_view list);

// The numbers of CPUs as such a list.
std::string cpu_list(const std::vector<Cpu> &cpus);

} // namespace lockstep::runtime

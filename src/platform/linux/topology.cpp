#include "platform/linux/topology.h"

#include "platform/linux/foreign_call.h"
#include "platform/linux/leaked.h"
#include "support/environment.h"
#include "support/message.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <hwloc.h>
#include <set>
#include <sstream>
#include <string>
#include <sys/sysinfo.h>
#include <thread>
#include <unistd.h>

namespace lockstep::runtime {
namespace {

// The index of the object of this type that contains a hardware thread; 0 if there is none.
unsigned domain(hwloc_topology_t machine, hwloc_obj_t pu, hwloc_obj_type_t type) {
  hwloc_obj_t object = hwloc_get_ancestor_obj_by_type(machine, type, pu);
  return object ? object->logical_index : 0;
}

unsigned numa_node(hwloc_topology_t machine, hwloc_obj_t pu) {
  hwloc_obj_t node = nullptr; // NUMA nodes are not ancestors in the tree
  while ((node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node)))
    if (hwloc_bitmap_isincluded(pu->cpuset, node->cpuset))
      return node->logical_index;
  return 0;
}

void read_cpus(hwloc_topology_t machine, Topology &topology) {
  hwloc_bitmap_t usable = hwloc_bitmap_alloc();
  if (hwloc_get_cpubind(machine, usable, HWLOC_CPUBIND_PROCESS) != 0)
    hwloc_bitmap_copy(usable, hwloc_topology_get_allowed_cpuset(machine));
  hwloc_const_bitmap_t all = hwloc_topology_get_allowed_cpuset(machine);
  topology.is_restricted = !hwloc_bitmap_isincluded(all, usable);
  topology.machine_cpus = unsigned(std::max(0, hwloc_bitmap_weight(all)));
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_PU, pu))) {
    if (!hwloc_bitmap_isincluded(pu->cpuset, usable))
      continue;
    Cpu cpu;
    cpu.os_index = pu->os_index;
    cpu.core = domain(machine, pu, HWLOC_OBJ_CORE);
    cpu.numa_node = numa_node(machine, pu);
    cpu.l1 = domain(machine, pu, HWLOC_OBJ_L1CACHE);
    cpu.l2 = domain(machine, pu, HWLOC_OBJ_L2CACHE);
    cpu.l3 = domain(machine, pu, HWLOC_OBJ_L3CACHE);
    cpu.l4 = domain(machine, pu, HWLOC_OBJ_L4CACHE);
    topology.cpus.push_back(cpu);
  }
  hwloc_bitmap_free(usable);
}

uint64_t cache(hwloc_topology_t machine, hwloc_obj_type_t type, Topology &topology) {
  hwloc_obj_t object = hwloc_get_next_obj_by_type(machine, type, nullptr);
  if (!object)
    return 0;
  if (object->attr->cache.linesize)
    topology.cache_line_bytes = object->attr->cache.linesize;
  topology.last_level_cache_bytes = object->attr->cache.size; // called from L1 on
  return object->attr->cache.size;
}

Topology read_machine() {
  Topology topology;
  hwloc_topology_t machine;
  if (hwloc_topology_init(&machine) != 0)
    return topology;
  if (hwloc_topology_load(machine) == 0) {
    read_cpus(machine, topology);
    topology.l1_data_bytes = cache(machine, HWLOC_OBJ_L1CACHE, topology);
    topology.l2_bytes = cache(machine, HWLOC_OBJ_L2CACHE, topology);
    topology.has_l1 = topology.l1_data_bytes != 0;
    topology.has_l2 = topology.l2_bytes != 0;
    topology.has_l3 = cache(machine, HWLOC_OBJ_L3CACHE, topology) != 0;
    topology.has_l4 = cache(machine, HWLOC_OBJ_L4CACHE, topology) != 0;
    topology.has_several_numa_nodes = hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE) > 1;
  }
  hwloc_topology_destroy(machine);
  return topology;
}

// The directory of this process's control group (version 2), or empty.
std::string cgroup_directory() {
  std::ifstream file("/proc/self/cgroup");
  std::string line;
  while (std::getline(file, line))
    if (line.starts_with("0::"))
      return "/sys/fs/cgroup" + line.substr(3);
  return {};
}

// Calls visit with the directory of the control group and of each group around it.
template <class Visit> void for_each_cgroup(Visit visit) {
  const std::string root = "/sys/fs/cgroup";
  for (std::string directory = cgroup_directory(); directory.size() >= root.size();) {
    visit(directory);
    auto slash = directory.find_last_of('/');
    if (directory == root || slash == std::string::npos)
      return;
    directory.resize(slash);
  }
}

// The CPU time that the control groups allow, in CPUs, rounded up; `count` if they set no limit.
unsigned under_quota(unsigned count) {
  for_each_cgroup([&](const std::string &directory) {
    std::ifstream file(directory + "/cpu.max");
    uint64_t quota = 0, period = 0; // "max 100000" fails to read as a number: no limit
    if (file >> quota >> period && quota && period)
      count = unsigned(std::min<uint64_t>(count, (quota + period - 1) / period));
  });
  return std::max(1u, count);
}

uint64_t usable_memory() {
  struct sysinfo info{};
  sysinfo(&info);
  uint64_t bytes = uint64_t(info.totalram) * info.mem_unit;
  for_each_cgroup([&](const std::string &directory) {
    std::ifstream file(directory + "/memory.max");
    uint64_t limit = 0;
    if (file >> limit && limit)
      bytes = std::min(bytes, limit);
  });
  return bytes;
}

std::string value_of(const std::string &line) {
  auto colon = line.find(": ");
  return colon == std::string::npos ? std::string() : line.substr(colon + 2);
}

void read_cpu_name(Topology &topology) {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line) && !line.empty()) { // the first CPU only
    if (line.starts_with("model name"))
      topology.cpu_name = value_of(line);
    else if (line.starts_with("vendor_id"))
      topology.cpu_vendor = value_of(line);
    else if (line.starts_with("cpu MHz"))
      topology.max_clock_mhz = unsigned(std::stod("0" + value_of(line)));
  }
  std::ifstream most("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (uint64_t khz = 0; most >> khz)
    topology.max_clock_mhz = unsigned(khz / 1000);
  if (topology.cpu_name.empty())
    topology.cpu_name = "CPU";
  if (topology.cpu_vendor.empty())
    topology.cpu_vendor = "unknown";
}

struct CpuRange {
  unsigned first = 0, last = 0;
};

// Reads "0,4-7". Empty if the text is something else.
std::vector<CpuRange> read_cpu_list(std::string_view text) {
  std::vector<CpuRange> ranges;
  const char *at = text.data(), *const end = at + text.size();
  const auto number = [&](unsigned &value) {
    const auto [after, error] = std::from_chars(at, end, value);
    at = after;
    return error == std::errc();
  };
  for (;; ++at) {
    CpuRange range;
    if (!number(range.first))
      return {};
    range.last = range.first;
    if (at != end && *at == '-' && (++at, !number(range.last)))
      return {};
    if (range.last < range.first)
      return {};
    ranges.push_back(range);
    if (at == end)
      return ranges;
    if (*at != ',')
      return {};
  }
}

void select_cpus_of_user(Topology &topology) {
  const auto list = environment("CPUS");
  if (!list || select_cpus(topology, *list))
    return;
  print_message("LOCKSTEP_CPUS is '%s', which is not a list of CPUs such as 0,4-7 with a CPU that "
                "this process may use (%s); it is ignored",
                list->c_str(), cpu_list(topology.cpus).c_str());
}

Topology read_topology() {
  Topology topology = as_foreign_call(read_machine, Topology()); // calls hwloc
  if (topology.cpus.empty()) // hwloc could not read the machine: treat all CPUs alike
    for (unsigned i = 0; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
      topology.cpus.push_back({.os_index = i, .core = i});
  topology.machine_cpus = std::max(topology.machine_cpus, unsigned(topology.cpus.size()));
  select_cpus_of_user(topology);
  topology.cpu_limit = under_quota(unsigned(topology.cpus.size()));
  topology.memory_bytes = usable_memory();
  read_cpu_name(topology);
  return topology;
}

} // namespace

bool select_cpus(Topology &topology, std::string_view list) {
  const std::vector<CpuRange> ranges = read_cpu_list(list);
  std::vector<Cpu> selected;
  for (const Cpu &cpu : topology.cpus)
    if (std::ranges::any_of(ranges, [&](const CpuRange &range) {
          return range.first <= cpu.os_index && cpu.os_index <= range.last;
        }))
      selected.push_back(cpu);
  if (selected.empty())
    return false;
  topology.cpus = std::move(selected);
  return topology.is_selected = true;
}

std::string cpu_list(const std::vector<Cpu> &cpus) {
  std::set<unsigned> numbers;
  for (const Cpu &cpu : cpus)
    numbers.insert(cpu.os_index);
  std::string text;
  for (auto at = numbers.begin(); at != numbers.end();) {
    const unsigned first = *at;
    unsigned last = first;
    while (++at != numbers.end() && *at == last + 1)
      ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", first);
    if (last != first)
      text += fmt::format("-{}", last);
  }
  return text;
}

const Topology &topology() {
  return leaked([] { return read_topology(); });
}

} // namespace lockstep::runtime

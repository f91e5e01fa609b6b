#include "runtime/launch/cpu/pool/placement.h"

#include <algorithm>
#include <map>

namespace lockstep::runtime {
namespace {

// CPUs of one core are neighbors in a topology.
std::vector<std::vector<Cpu>> by_core(const std::vector<Cpu> &cpus) {
  std::vector<std::vector<Cpu>> cores;
  for (const Cpu &cpu : cpus) {
    if (cores.empty() || cores.back().front().core != cpu.core)
      cores.emplace_back();
    cores.back().push_back(cpu);
  }
  return cores;
}

// The CPUs of a rank if all ranks of the host divide the CPUs among themselves: whole cores, unless
// there are more ranks than cores.
std::vector<Cpu> part_of(const std::vector<Cpu> &cpus, LocalRank local) {
  std::vector<std::vector<Cpu>> pieces = by_core(cpus);
  if (pieces.size() < local.size) {
    pieces.clear();
    for (const Cpu &cpu : cpus)
      pieces.push_back({cpu});
  }
  const std::size_t count = pieces.size();
  const std::size_t begin = count * local.rank / local.size;
  const std::size_t end = std::max(begin + 1, count * (local.rank + 1) / local.size);
  std::vector<Cpu> part;
  for (std::size_t i = begin; i < end; ++i)
    part.insert(part.end(), pieces[i].begin(), pieces[i].end());
  return part;
}

std::vector<Cpu> one_per_core_first(const std::vector<Cpu> &cpus) {
  // by_rank: the rank is the number of previous hardware threads of the same core.
  std::map<unsigned, std::vector<Cpu>> by_rank;
  std::map<unsigned, unsigned> seen;
  for (const Cpu &cpu : cpus)
    by_rank[seen[cpu.core]++].push_back(cpu);
  std::vector<Cpu> order;
  for (const auto &[rank, of_rank] : by_rank)
    order.insert(order.end(), of_rank.begin(), of_rank.end());
  return order;
}

std::vector<Cpu> place_on(const std::vector<Cpu> &cpus, unsigned count) {
  const std::vector<Cpu> order = count >= cpus.size() ? cpus : one_per_core_first(cpus);
  std::vector<Cpu> placement;
  for (unsigned worker = 0; worker < count; ++worker)
    placement.push_back(order[worker % order.size()]);
  return placement;
}

bool share_one_cache(const std::vector<Cpu> &cpus) {
  return std::ranges::all_of(cpus, [&](const Cpu &cpu) {
    return cpu.numa_node == cpus.front().numa_node && cpu.l3 == cpus.front().l3;
  });
}

// The number of ranks that have the same affinity mask, if the masks of all ranks cover the
// machine evenly.
unsigned ranks_of_mask(const Topology &topology, LocalRank local) {
  const uint64_t all = std::max<uint64_t>(1, topology.machine_cpus);
  const uint64_t cpus_of_ranks = uint64_t{local.size} * topology.cpus.size();
  return std::clamp(unsigned((cpus_of_ranks + all / 2) / all), 1u, local.size);
}

Placement place_requested(const Topology &topology, unsigned count, LocalRank local) {
  const std::vector<Cpu> &all = topology.cpus;
  if (local.size == 1 || topology.is_restricted || count >= all.size()) {
    // Without a known rank, other processes may have as many threads. Bound, all of them would use
    // the first CPUs.
    const bool is_bound = count >= all.size() || topology.is_restricted || topology.is_selected ||
                          share_one_cache(all);
    return {place_on(all, count), is_bound};
  }
  std::vector<Cpu> part = part_of(all, local);
  if (part.size() < count) {
    part = all;
    std::ranges::rotate(part, part.begin() + uint64_t{count} * local.rank % all.size());
    part.resize(count);
  }
  return {place_on(part, count), true};
}

} // namespace

Placement place_workers(const Topology &topology, std::optional<unsigned> requested,
                        std::optional<LocalRank> of_launcher) {
  const LocalRank local = of_launcher.value_or(LocalRank());
  if (requested)
    return place_requested(topology, *requested, local);
  const unsigned limit = std::max(1u, topology.cpu_limit);
  const bool has_quota = limit < topology.cpus.size();
  if (local.size == 1 || topology.is_selected)
    return place_requested(topology, limit, {});
  const unsigned sharing = topology.is_restricted ? ranks_of_mask(topology, local) : local.size;
  const unsigned under_quota = has_quota ? std::max(1u, limit / sharing) : limit;
  if (topology.is_restricted) {
    // The launcher has bound the ranks, and may have given several of them the same CPUs.
    const auto count = unsigned(std::max<std::size_t>(1, topology.cpus.size() / sharing));
    return {place_on(topology.cpus, std::min(count, under_quota)), sharing == 1};
  }
  const std::vector<Cpu> part = part_of(topology.cpus, local);
  return {place_on(part, std::min(unsigned(part.size()), under_quota)), true};
}

} // namespace lockstep::runtime

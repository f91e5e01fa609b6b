#include "runtime/device.h"

#include "runtime/launch/cpu/local_size.h"
#include "runtime/launch/cpu/task_queue.h"
#include "runtime/launch/cpu/worker_pool.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>

namespace lockstep::runtime {
namespace {

DeviceLimits limits_of(const Topology &topology) {
  DeviceLimits limits;
  // Local memory is ordinary memory of the worker; to be what the name promises it must stay in
  // the second-level cache together with the data that streams by.
  limits.local_memory_bytes =
      std::clamp<uint64_t>(topology.l2_bytes / 2, uint64_t{64} << 10, uint64_t{1} << 20);
  limits.kernel_stack_bytes = WorkerPool::stack_bytes - WorkerPool::stack_reserve;
  // A quarter of the memory is left to the program and to the system.
  limits.global_memory_bytes = topology.memory_bytes / 4 * 3;
  limits.max_allocation_bytes = limits.global_memory_bytes / 2;
  return limits;
}

} // namespace

Device::Device(Key, std::shared_ptr<Device> parent, std::vector<unsigned> workers)
    : parent_(std::move(parent)), workers_(std::move(workers)),
      limits_(parent_ ? parent_->limits_ : limits_of(runtime::topology())),
      memory_(parent_ ? parent_->memory_
                      : std::make_shared<MemoryAccount>(limits_.global_memory_bytes)),
      tasks_(std::make_shared<TaskQueue>(workers_)) {
  WorkerPool::instance().add(tasks_);
}

Device::~Device() {
  WorkerPool::instance().remove(tasks_);
}

const std::shared_ptr<Device> &Device::root() {
  static const auto &device = *new std::shared_ptr<Device>([] {
    std::vector<unsigned> all(WorkerPool::instance().size());
    std::iota(all.begin(), all.end(), 0u);
    return std::make_shared<Device>(Key{}, nullptr, std::move(all));
  }());
  return device;
}

Result<void> Device::start() const {
  return WorkerPool::instance().start();
}

void Device::submit(Command &ready) {
  // As soon as the command is listed it may be done, and with it the last thing that keeps a
  // sub-device. The root device stays, so the usual case does without counting.
  std::shared_ptr<TaskQueue> keep = parent_ ? tasks_ : nullptr;
  WorkerPool::instance().submit(*tasks_, ready);
}

LocalSizeLimits Device::local_size_limits(unsigned sub_group_size) const {
  return {.max_group_size = limits_.max_work_group_size,
          .max_item_sizes = limits_.max_work_item_sizes,
          .workers = compute_units(),
          .sub_group_size = std::max(1u, sub_group_size),
          .stack_bytes = limits_.kernel_stack_bytes};
}

// ---- sub-devices

std::vector<std::shared_ptr<Device>>
Device::make_sub_devices(std::vector<std::vector<unsigned>> groups) {
  std::vector<std::shared_ptr<Device>> devices;
  for (auto &group : groups)
    devices.push_back(std::make_shared<Device>(Key{}, shared_from_this(), std::move(group)));
  return devices;
}

Result<std::vector<std::shared_ptr<Device>>> Device::partition_equally(unsigned workers_each) {
  if (workers_each == 0 || workers_each > compute_units())
    return Error{ErrorKind::invalid_argument, "sub-devices of " + std::to_string(workers_each) +
                                                  " compute units cannot be made of " +
                                                  std::to_string(compute_units())};
  std::vector<std::vector<unsigned>> groups;
  auto begin = workers_.begin();
  for (unsigned i = 0; i < compute_units() / workers_each; ++i, begin += workers_each)
    groups.emplace_back(begin, begin + workers_each);
  return make_sub_devices(std::move(groups));
}

Result<std::vector<std::shared_ptr<Device>>>
Device::partition_by_counts(std::span<const unsigned> counts) {
  uint64_t sum = 0;
  for (unsigned count : counts)
    sum += count;
  if (counts.empty() || std::find(counts.begin(), counts.end(), 0u) != counts.end() ||
      sum > compute_units())
    return Error{ErrorKind::invalid_argument,
                 "sub-devices need at least one compute unit each and together no more than the " +
                     std::to_string(compute_units()) + " of the device"};
  std::vector<std::vector<unsigned>> groups;
  auto begin = workers_.begin();
  for (unsigned count : counts) {
    groups.emplace_back(begin, begin + count);
    begin += count;
  }
  return make_sub_devices(std::move(groups));
}

namespace {

struct DomainRow {
  AffinityDomain domain;
  unsigned Cpu::*number;
  bool Topology::*exists;
};
// From the widest to the narrowest, the order in which next_partitionable looks for one.
constexpr DomainRow domain_rows[] = {
    {AffinityDomain::numa, &Cpu::numa_node, &Topology::has_several_numa_nodes},
    {AffinityDomain::l4_cache, &Cpu::l4, &Topology::has_l4},
    {AffinityDomain::l3_cache, &Cpu::l3, &Topology::has_l3},
    {AffinityDomain::l2_cache, &Cpu::l2, &Topology::has_l2},
    {AffinityDomain::l1_cache, &Cpu::l1, &Topology::has_l1},
};

} // namespace

std::vector<std::vector<unsigned>> Device::split_by_domain(AffinityDomain domain) const {
  for (const DomainRow &row : domain_rows) {
    if (domain != row.domain && domain != AffinityDomain::next_partitionable)
      continue;
    std::map<unsigned, std::vector<unsigned>> groups;
    for (unsigned worker : workers_)
      groups[WorkerPool::instance().placement()[worker].*row.number].push_back(worker);
    if (!(topology().*row.exists) || groups.size() < 2)
      continue;
    std::vector<std::vector<unsigned>> result;
    for (auto &[number, group] : groups)
      result.push_back(std::move(group));
    return result;
  }
  return {};
}

std::vector<AffinityDomain> Device::partition_domains() const {
  std::vector<AffinityDomain> domains;
  for (const DomainRow &row : domain_rows)
    if (!split_by_domain(row.domain).empty())
      domains.push_back(row.domain);
  return domains;
}

Result<std::vector<std::shared_ptr<Device>>> Device::partition_by_domain(AffinityDomain domain) {
  auto groups = split_by_domain(domain);
  if (groups.empty())
    return Error{ErrorKind::unsupported, "the device lies in a single domain of this kind"};
  return make_sub_devices(std::move(groups));
}

} // namespace lockstep::runtime

// A CPU device: a set of workers of the process's pool, and the limits that queries report.
//
// The root device has all workers. A sub-device is a subset; commands of its queues run on those
// workers only. Workers are threads that live as long as the process; a device costs no threads.
#pragma once

#include "runtime/graph/command.h"
#include "runtime/launch/cpu/topology.h"
#include "runtime/memory/memory_account.h"
#include "support/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class TaskQueue; // launch/cpu/task_queue.h
struct LocalSizeLimits;

struct DeviceLimits {
  uint64_t max_work_group_size = 4096;
  std::array<uint64_t, 3> max_work_item_sizes{4096, 4096, 4096};
  uint64_t local_memory_bytes = 0;
  uint64_t kernel_stack_bytes = 0; // what one work-group function may use
  uint64_t global_memory_bytes = 0;
  uint64_t max_allocation_bytes = 0; // of one buffer
  uint32_t base_address_align_bytes = 128;
};

// As CL_DEVICE_AFFINITY_DOMAIN_*, without their numbers.
enum class AffinityDomain { numa, l4_cache, l3_cache, l2_cache, l1_cache, next_partitionable };

class Device final : public Executor, public std::enable_shared_from_this<Device> {
public:
  // The one root device. Starts no thread.
  static const std::shared_ptr<Device> &root();
  ~Device() override;

  // Sub-devices. ErrorKind::invalid_argument: more workers asked for than there are, a count of 0;
  // ErrorKind::unsupported: the device is not partitionable that way (a single domain).
  Result<std::vector<std::shared_ptr<Device>>> partition_equally(unsigned workers_each);
  Result<std::vector<std::shared_ptr<Device>>>
  partition_by_counts(std::span<const unsigned> counts);
  Result<std::vector<std::shared_ptr<Device>>> partition_by_domain(AffinityDomain domain);
  // Domains that partition_by_domain would divide this device by, without next_partitionable.
  std::vector<AffinityDomain> partition_domains() const;

  const std::shared_ptr<Device> &parent() const { return parent_; } // null: root
  unsigned compute_units() const { return unsigned(workers_.size()); }
  const std::vector<unsigned> &workers() const { return workers_; } // numbers of the pool's workers
  const DeviceLimits &limits() const { return limits_; }
  const Topology &topology() const { return runtime::topology(); }
  const std::shared_ptr<MemoryAccount> &memory() const { return memory_; }
  LocalSizeLimits local_size_limits(unsigned sub_group_size) const;

  // Starts the worker threads if they do not run yet. ErrorKind::out_of_resources: the system gives
  // no threads. To be called before the first queue is made; later calls cost nothing.
  Result<void> start() const;
  // Commands with a HostOperation only.
  void submit(Command &ready) override;

private:
  struct Key {};

public:
  Device(Key, std::shared_ptr<Device> parent, std::vector<unsigned> workers);

private:
  std::vector<std::shared_ptr<Device>> make_sub_devices(std::vector<std::vector<unsigned>> groups);
  std::vector<std::vector<unsigned>> split_by_domain(AffinityDomain domain) const;

  const std::shared_ptr<Device> parent_;
  const std::vector<unsigned> workers_;
  DeviceLimits limits_;
  std::shared_ptr<MemoryAccount> memory_;
  std::shared_ptr<TaskQueue> tasks_;
};

} // namespace lockstep::runtime

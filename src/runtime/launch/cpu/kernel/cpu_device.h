// A CPU device: a set of workers of the process's worker pool.
//
// The root device has all workers. A sub-device has a subset; commands of its queues run on those
// workers only. Workers are threads that live as long as the process; a device has no threads of
// its own.
#pragma once

#include "runtime/device/device.h"

#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class TaskQueue; // task_queue.h

class CpuDevice final : public Device {
public:
  // The only root device; a forked child has the same one. Starts no thread.
  static const std::shared_ptr<CpuDevice> &root();
  ~CpuDevice() override;

  // indices into the pool's workers
  const std::vector<unsigned> &workers() const { return workers_; }
  unsigned compute_units() const override { return unsigned(workers_.size()); }

  // Starts the worker threads if they do not run yet.
  Result<void> start() const override;
  const compiler::CodeOptions &code_options() const override;
  Result<std::shared_ptr<Program>>
  make_program(std::shared_ptr<const compiler::KernelModule> module) const override;

  Result<Devices> partition_by_counts(std::span<const unsigned> counts) override;
  Result<Devices> partition_by_domain(AffinityDomain domain) override;
  std::vector<AffinityDomain> partition_domains() const override;

  // Runs work for host threads, and launches of a CpuKernel.
  std::unique_ptr<RunState> make_run_state(Operation &) override;
  void submit(Command &ready) override;

private:
  struct Key {};

public:
  CpuDevice(Key, std::shared_ptr<Device> parent, std::vector<unsigned> workers);
  explicit CpuDevice(Key); // makes the root device

private:
  Devices make_sub_devices(std::vector<std::vector<unsigned>> groups);
  void begin_in_this_process();
  std::vector<std::vector<unsigned>> split_by_domain(AffinityDomain domain) const;

  const std::vector<unsigned> workers_;
  std::shared_ptr<TaskQueue> tasks_; // made again in a forked child, which has the same root device
};

} // namespace lockstep::runtime

#include "runtime/launch/cpu/kernel/cpu_device.h"

#include "kernel_ir/limits.h"
#include "platform/linux/leaked.h"
#include "platform/linux/topology.h"
#include "runtime/external_commands/program_threads.h"
#include "runtime/launch/cpu/diagnostics/progress.h"
#include "runtime/launch/cpu/kernel/kernel.h"
#include "runtime/launch/cpu/pool/task_queue.h"
#include "runtime/launch/cpu/pool/worker_pool.h"
#include "support/environment.h"
#include "support/message.h"
#include "support/out_of_memory.h"

#include <algorithm>
#include <map>
#include <new>
#include <numeric>
#include <string>

namespace lockstep::runtime {
namespace {

DeviceLimits limits_of(const Topology &topology) {
  DeviceLimits limits;
  limits.max_work_group_size = compiler::max_work_group_size;
  limits.max_work_item_sizes.fill(limits.max_work_group_size);
  // Local memory is ordinary memory of the worker. To be fast it must stay in the L2 cache together
  // with the data that the kernel streams.
  limits.local_memory_bytes =
      std::clamp(topology.l2_bytes / 2, compiler::least_local_memory, compiler::most_local_memory);
  limits.kernel_stack_bytes = WorkerPool::stack_bytes - WorkerPool::stack_reserve;
  // The program and the system keep a quarter of the memory.
  limits.global_memory_bytes = topology.memory_bytes / 4 * 3;
  limits.max_allocation_bytes = limits.global_memory_bytes / 2;
  limits.base_address_align_bytes = compiler::memory_alignment;
  return limits;
}

// The vendor ID string of the CPU, the vendor's common name, and its PCI vendor number.
struct Vendor {
  std::string_view cpu_name;
  const char *name;
  uint32_t pci_id;
};
constexpr Vendor vendors[] = {
    {"AuthenticAMD", "AMD", 0x1022},
    {"GenuineIntel", "Intel", 0x8086},
    {"HygonGenuine", "Hygon", 0x1d94},
    {"CentaurHauls", "Centaur", 0x1106},
};

// Some programs accept only a GPU.
DeviceType type_from_environment() {
  const auto text = environment("DEVICE_TYPE");
  if (text && *text != "cpu" && *text != "gpu")
    print_message("LOCKSTEP_DEVICE_TYPE is '%s', not 'cpu' or 'gpu'; it is ignored", text->c_str());
  return text == "gpu" ? DeviceType::gpu : DeviceType::cpu;
}

DeviceDescription description_of(const Topology &topology) {
  DeviceDescription description;
  description.type = type_from_environment();
  description.name = topology.cpu_name.empty() ? "CPU" : topology.cpu_name;
  description.vendor = topology.cpu_vendor;
  for (const Vendor &known : vendors)
    if (known.cpu_name == topology.cpu_vendor) {
      description.vendor = known.name;
      description.vendor_id = known.pci_id;
    }
  description.max_clock_mhz = topology.max_clock_mhz;
  description.cache_line_bytes = topology.cache_line_bytes;
  description.cache_bytes = topology.last_level_cache_bytes;
  return description;
}

std::vector<unsigned> all_workers() {
  std::vector<unsigned> all(WorkerPool::instance().size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

} // namespace

CpuDevice::CpuDevice(Key)
    : Device(description_of(topology()), limits_of(topology())), workers_(all_workers()) {}

void CpuDevice::begin_in_this_process() {
  tasks_ = std::make_shared<TaskQueue>(workers_);
  WorkerPool::instance().add(tasks_);
}

CpuDevice::CpuDevice(Key, std::shared_ptr<Device> parent, std::vector<unsigned> workers)
    : Device(std::move(parent)), workers_(std::move(workers)),
      tasks_(std::make_shared<TaskQueue>(workers_)) {
  WorkerPool::instance().add(tasks_);
}

CpuDevice::~CpuDevice() {
  WorkerPool::instance().remove(tasks_);
}

const std::shared_ptr<CpuDevice> &CpuDevice::root() {
  const auto &device = leaked([] { return std::make_shared<CpuDevice>(Key{}); });
  leaked<AfterFork::make_again>([&] {
    device->begin_in_this_process();
    return true;
  });
  return device;
}

Result<void> CpuDevice::start() const {
  return WorkerPool::instance().start();
}

const compiler::CodeOptions &CpuDevice::code_options() const {
  return compiler::code_options_of_process();
}

namespace {

class CpuProgram final : public Program {
public:
  CpuProgram(std::shared_ptr<compiler::ProgramCode> code, const compiler::CodeOptions &options)
      : code_(std::move(code)), options_(options) {}
  std::shared_ptr<Kernel> make_kernel(std::shared_ptr<const compiler::KernelInfo> info) override {
    const uint32_t multiple = compiler::preferred_work_group_size_multiple(*info, options_);
    return std::make_shared<CpuKernel>(code_, std::move(info), multiple);
  }

private:
  const std::shared_ptr<compiler::ProgramCode> code_;
  const compiler::CodeOptions &options_; // of the process
};

} // namespace

Result<std::shared_ptr<Program>>
CpuDevice::make_program(std::shared_ptr<const compiler::KernelModule> module) const {
  auto code = compiler::ProgramCode::create(std::move(module), code_options());
  LOCKSTEP_TRY(code);
  return std::shared_ptr<Program>(std::make_shared<CpuProgram>(std::move(*code), code_options()));
}

std::unique_ptr<RunState> CpuDevice::make_run_state(Operation &) {
  return std::make_unique<Progress>();
}

// Runs a function of the program on a separate thread, so that it may wait for work of workers.
// False: the command is for workers.
static bool run_as_function_of_program(Command &ready) {
  if (!ready.operation()->is_host_code() ||
      !dynamic_cast<const ProgramFunction *>(ready.operation()))
    return false;
  const auto run = [&ready] { // the graph keeps the command alive until it is settled
    ready.set_running();
    Result<void> result;
    try {
      result = ready.operation()->host()->run(0, 1);
    } catch (const std::bad_alloc &) { // the thread has no caller that could handle it
      result = out_of_memory_error();
    }
    ready.settle(std::move(result));
  };
  try {
    return run_on_program_thread(run);
  } catch (const std::bad_alloc &) {
    return false;
  }
}

void CpuDevice::submit(Command &ready) {
  if (run_as_function_of_program(ready))
    return;
  // Once the command is in the queue it may complete, and release the last reference to a
  // sub-device. The root device is never destroyed, so the usual case needs no reference count.
  std::shared_ptr<TaskQueue> keep = parent() ? tasks_ : nullptr;
  WorkerPool::instance().submit(*tasks_, ready);
}

// ---- sub-devices

Device::Devices CpuDevice::make_sub_devices(std::vector<std::vector<unsigned>> groups) {
  Devices devices;
  for (auto &group : groups)
    devices.push_back(std::make_shared<CpuDevice>(Key{}, shared_from_this(), std::move(group)));
  return devices;
}

Result<Device::Devices> CpuDevice::partition_by_counts(std::span<const unsigned> counts) {
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
// From the widest to the narrowest: next_partitionable uses the first one that divides the device.
constexpr DomainRow domain_rows[] = {
    {AffinityDomain::numa, &Cpu::numa_node, &Topology::has_several_numa_nodes},
    {AffinityDomain::l4_cache, &Cpu::l4, &Topology::has_l4},
    {AffinityDomain::l3_cache, &Cpu::l3, &Topology::has_l3},
    {AffinityDomain::l2_cache, &Cpu::l2, &Topology::has_l2},
    {AffinityDomain::l1_cache, &Cpu::l1, &Topology::has_l1},
};

} // namespace

std::vector<std::vector<unsigned>> CpuDevice::split_by_domain(AffinityDomain domain) const {
  if (!WorkerPool::instance().placement().is_bound)
    return {}; // the workers may move between domains
  for (const DomainRow &row : domain_rows) {
    if (domain != row.domain && domain != AffinityDomain::next_partitionable)
      continue;
    std::map<unsigned, std::vector<unsigned>> groups;
    for (unsigned worker : workers_)
      groups[WorkerPool::instance().placement().cpus[worker].*row.number].push_back(worker);
    if (!(topology().*row.exists) || groups.size() < 2)
      continue;
    std::vector<std::vector<unsigned>> result;
    for (auto &[number, group] : groups)
      result.push_back(std::move(group));
    return result;
  }
  return {};
}

std::vector<AffinityDomain> CpuDevice::partition_domains() const {
  std::vector<AffinityDomain> domains;
  for (const DomainRow &row : domain_rows)
    if (!split_by_domain(row.domain).empty())
      domains.push_back(row.domain);
  return domains;
}

Result<Device::Devices> CpuDevice::partition_by_domain(AffinityDomain domain) {
  auto groups = split_by_domain(domain);
  if (groups.empty())
    return Device::partition_by_domain(domain); // returns the error
  return make_sub_devices(std::move(groups));
}

} // namespace lockstep::runtime

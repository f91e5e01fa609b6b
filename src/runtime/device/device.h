// The interface of a device: an executor for commands, the limits and names that queries report,
// and a factory of programs. root_devices.cpp lists the devices; launch/cpu/ implements
// the CPU.
#pragma once

#include "runtime/device/program.h"
#include "runtime/graph/command.h"
#include "runtime/memory/memory_account.h"
#include "runtime/memory/memory_space.h"
#include "support/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lockstep::runtime {

class MemoryView; // memory/access.h
struct RectSide;  // memory/transfers.h
struct RectShape; // memory/transfers.h

struct DeviceLimits {
  uint64_t max_work_group_size = 0;
  std::array<uint64_t, 3> max_work_item_sizes{};
  uint64_t local_memory_bytes = 0;
  uint64_t kernel_stack_bytes = 0; // limit for one work-group function
  uint64_t global_memory_bytes = 0;
  uint64_t max_allocation_bytes = 0; // limit for one buffer
  uint32_t base_address_align_bytes = 128;
};

enum class DeviceType { cpu, gpu, accelerator, custom };

struct PciAddress {
  uint32_t domain = 0, bus = 0, device = 0, function = 0;
};

struct DeviceDescription {
  DeviceType type = DeviceType::custom;
  std::string name;
  std::string vendor;
  uint32_t vendor_id = 0; // the PCI number, if it has one
  unsigned max_clock_mhz = 0;
  unsigned cache_line_bytes = 64;
  uint64_t cache_bytes = 0;                          // of global memory
  std::optional<std::array<unsigned char, 16>> uuid; // absent: the name identifies the device
  std::optional<PciAddress> pci;
};

// The domains of CL_DEVICE_AFFINITY_DOMAIN_*, with other values.
enum class AffinityDomain { numa, l4_cache, l3_cache, l2_cache, l1_cache, next_partitionable };

class Device : public Executor, public std::enable_shared_from_this<Device> {
public:
  using Devices = std::vector<std::shared_ptr<Device>>;

  const std::shared_ptr<Device> &parent() const { return parent_; } // null: a root device
  const DeviceDescription &description() const { return description_; }
  const DeviceLimits &limits() const { return limits_; }
  const std::shared_ptr<MemoryAccount> &memory() const { return memory_; }
  // The memory that its kernels use. Null: host memory.
  const std::shared_ptr<MemorySpace> &memory_space() const { return space_; }
  virtual unsigned compute_units() const = 0;

  // False: the device was listed before fork(), and its driver does not work in the child.
  virtual bool is_available() const { return true; }

  // Must be called before the first queue is made; later calls return at once.
  // ErrorKind::out_of_resources: the system lacks threads or another resource for the device.
  virtual Result<void> start() const { return {}; }

  // How kernels are compiled for this device.
  virtual const compiler::CodeOptions &code_options() const = 0;
  // A program on this device. The device may compile its kernels later.
  virtual Result<std::shared_ptr<Program>>
  make_program(std::shared_ptr<const compiler::KernelModule> module) const = 0;

  // Copies and fills, as in memory/transfers.h, for a queue of this device. By default host threads
  // run them. A device with its own memory may run those of memory that it has a copy of.
  virtual std::unique_ptr<Operation> make_copy(MemoryView to, MemoryView from) const;
  virtual std::unique_ptr<Operation> make_rect_copy(const MemoryView &to, const RectSide &to_side,
                                                    const MemoryView &from,
                                                    const RectSide &from_side,
                                                    const RectShape &shape) const;
  virtual std::unique_ptr<Operation> make_fill(MemoryView to, const void *pattern,
                                               std::size_t pattern_size) const;
  virtual std::unique_ptr<Operation> make_rect_fill(const MemoryView &to, const RectSide &side,
                                                    const RectShape &shape,
                                                    std::span<const std::byte> element) const;

  // Makes sub-devices. ErrorKind::invalid_argument: more compute units requested than there are, or
  // a count of 0; ErrorKind::unsupported: the device cannot be partitioned that way.
  virtual Result<Devices> partition_by_counts(std::span<const unsigned> counts);
  virtual Result<Devices> partition_by_domain(AffinityDomain domain);
  Result<Devices> partition_equally(unsigned units_each);
  // The domains that partition_by_domain can divide this device by, without next_partitionable.
  virtual std::vector<AffinityDomain> partition_domains() const { return {}; }

protected:
  Device(DeviceDescription description, DeviceLimits limits,
         std::shared_ptr<MemorySpace> space = nullptr);
  // takes the parent's description, limits and memory
  explicit Device(std::shared_ptr<Device> parent);

private:
  const std::shared_ptr<Device> parent_;
  const DeviceDescription description_;
  const DeviceLimits limits_;
  const std::shared_ptr<MemoryAccount> memory_;
  const std::shared_ptr<MemorySpace> space_;
};

// The root device that is listed first: the CPU, unless LOCKSTEP_NVIDIA is `first`. No driver of a
// card is loaded for the CPU. Starts the trace and the checker of this process.
const std::shared_ptr<Device> &first_root_device();

// All root devices of this process, beginning with first_root_device(). Does not start them. Loads
// the drivers of cards, so a child of fork() cannot use cards afterwards.
const Device::Devices &root_devices();

// False: root_devices() has no card, as the environment hides them, or as there is no driver. Both
// may be wrong if they are true. The second one opens the driver's library, but does not start it.
bool may_list_cards();
bool has_driver_of_cards();

} // namespace lockstep::runtime

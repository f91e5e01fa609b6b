// The interface of a kernel on a device, and of a launch of it.
#pragma once

#include "driver/compile.h"
#include "runtime/graph/operation.h"
#include "runtime/memory/access.h"
#include "runtime/memory/allocations.h"
#include "runtime/observers/launch_observer.h"
#include "support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace lockstep::runtime {

class Command;
class Device;
class LaunchEnqueues; // device_enqueue/launch_enqueues.h

// Unused dimensions: size 1, offset 0 (filled in from work_dim).
struct LaunchGeometry {
  uint32_t work_dim = 1;
  std::array<uint64_t, 3> global_offset{};
  std::array<uint64_t, 3> global_size{1, 1, 1}; // 0 in a used dimension: nothing to run
  std::array<uint64_t, 3> local_size{};         // all 0: the device chooses
};

// The address of an image's descriptor in the argument block that no access names by its argument:
// in a function object, or the argument of a kernel of another language.
struct ImagePlace {
  uint32_t offset = 0;            // in the block
  std::shared_ptr<Buffer> memory; // of the image
};

// Arguments as the program has set them. The device fills in the addresses of memory objects.
struct LaunchArguments {
  // KernelInfo::argument_block_size bytes, laid out by KernelArg::offset: values, addresses that
  // the program set, and null for memory objects.
  std::span<const std::byte> block;
  // By argument index: size in bytes of a local pointer argument, else 0. May be empty.
  std::span<const uint64_t> local_sizes;
  // One access for each argument that is a memory object, and for other memory known to be used.
  Accesses memories{};
  AllocationKinds reach = 0; // allocations that may be used besides these
  std::vector<compiler::LocalArgument> local_arguments{};
  // As compiler::Specialization::images: the block contains addresses of descriptors, and samplers.
  std::vector<uint32_t> images{};
  std::vector<ImagePlace> image_places{};
  // Set for a kernel that enqueues kernels, or that a kernel has enqueued.
  std::shared_ptr<LaunchEnqueues> enqueues{};
};

bool is_declared_const(const compiler::KernelArg &argument); // a pointer to const
// How a kernel can access the memory object that is this argument.
AccessMode access_mode_of(const compiler::KernelArg &argument);

// The operation of a launch. Like any operation, running does not change it.
class Launch : public Operation {
public:
  explicit Launch(Accesses memories, AllocationKinds reach = 0)
      : memories_(std::move(memories)), reach_(reach) {}
  Launch *launch() final { return this; }
  std::span<const Access> accesses() const final { return memories_; }
  AllocationKinds reach() const final { return reach_.kinds(); }

  virtual const compiler::KernelInfo &kernel() const = 0;
  virtual std::array<uint64_t, 3> local_size() const = 0; // chosen by the device, if none was given
  virtual std::array<uint64_t, 3> global_size() const { return {}; } // zeros: not known
  virtual LaunchObserver &observer() const { return *LaunchObserver::none(); }
  // Begins of the memories that it may write by address only, which are not in accesses().
  // Nothing: it may write anything that reach() allows.
  virtual std::optional<std::vector<const std::byte *>> written_by_address() const {
    return std::nullopt;
  }
  // The values of the arguments, laid out by KernelArg::offset, with the addresses of memory
  // objects. Null: not known.
  virtual const std::byte *argument_block() const { return nullptr; }
  virtual void begin_on_defined() {} // the definedness of memory can be checked from here on
  // Called when all groups have ended. True: the launch settles the command, now or later, and the
  // launch may be destroyed.
  virtual bool settles(Command &, Result<void> & /*result*/) { return false; }

private:
  Accesses memories_;
  const CountsReach reach_;
};

// Made by Device::make_kernel. Valid for that device and its sub-devices.
class Kernel {
public:
  // The program owns `info` (use an alias of the KernelModule's shared_ptr).
  explicit Kernel(std::shared_ptr<const compiler::KernelInfo> info) : info_(std::move(info)) {}
  virtual ~Kernel() = default;
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const compiler::KernelInfo &info() const { return *info_; }
  const std::shared_ptr<const compiler::KernelInfo> &shared_info() const { return info_; }

  // In these functions, `device` is the one that the kernel was made for, or a sub-device of it.

  // Does everything that can fail before the launch runs, including code generation.
  // ErrorKind::out_of_resources: a work-group larger than the device's limit, or more local memory
  // or stack than available. The API checks first for errors like CL_INVALID_WORK_GROUP_SIZE; here
  // they return invalid_argument.
  virtual Result<std::unique_ptr<Launch>>
  prepare(const Device &device, const LaunchGeometry &geometry, LaunchArguments arguments) = 0;
  // The size that prepare() would choose; clGetKernelSuggestedLocalWorkSizeKHR returns it. May compile
  // the kernel, because only the compiler knows which groups suit it.
  virtual std::array<uint64_t, 3> choose_local_size(const Device &device,
                                                    const LaunchGeometry &geometry) = 0;
  // The maximum number of work-items of a group: CL_KERNEL_WORK_GROUP_SIZE of a kernel without
  // reqd_work_group_size.
  virtual uint64_t largest_group(const Device &device) const = 0;
  virtual uint32_t preferred_multiple() const = 0; // of the local size in x
  // For a launch with this local size. May compile the kernel, because only the compiler knows it.
  virtual Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &local_size) = 0;

private:
  const std::shared_ptr<const compiler::KernelInfo> info_;
};

} // namespace lockstep::runtime

// A kernel on a device, and a launch of it, as everybody but that device sees them.
#pragma once

#include "compiler/compile.h"
#include "runtime/graph/operation.h"
#include "runtime/memory/access.h"
#include "runtime/memory/allocations.h"
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
class LaunchCheck;
class LaunchEnqueues; // device_enqueue/launch_enqueues.h
struct ReachedBytes;

// Unused dimensions: size 1, offset 0 (filled in from work_dim).
struct LaunchGeometry {
  uint32_t work_dim = 1;
  std::array<uint64_t, 3> global_offset{};
  std::array<uint64_t, 3> global_size{1, 1, 1}; // 0 in a used dimension: nothing to run
  std::array<uint64_t, 3> local_size{};         // all 0: choose one
};

// Arguments as the program has set them. Addresses of memory objects are the device's to fill in.
struct LaunchArguments {
  // KernelInfo::argument_block_size bytes, laid out by KernelArg::offset: values, addresses that the
  // program gave, and null for memory objects.
  std::span<const std::byte> block;
  // By argument index: bytes of a local pointer argument, else 0; or empty.
  std::span<const uint64_t> local_sizes;
  // One for each argument that is a memory object, and what else is known to be used.
  Accesses memories{};
  AllocationKinds reach = 0; // which allocations may be used beside these
  std::vector<compiler::LocalArgument> local_arguments{};
  // As compiler::Specialisation::images: the block holds addresses of descriptors, and samplers.
  std::vector<uint32_t> images{};
  // Of a kernel that enqueues, or that was enqueued by one.
  std::shared_ptr<LaunchEnqueues> enqueues{};
};

// What a kernel can do with the memory object that is this argument.
AccessMode access_mode_of(const compiler::KernelArg &argument);

// The operation that a launch is. Not changed by running, like any other.
class Launch : public Operation {
public:
  explicit Launch(Accesses memories, AllocationKinds reach = 0)
      : memories_(std::move(memories)), reach_(reach) {}
  Launch *launch() final { return this; }
  std::span<const Access> accesses() const final { return memories_; }
  AllocationKinds reach() const final { return reach_.kinds(); }

  virtual const compiler::KernelInfo &kernel() const = 0;
  virtual std::array<uint64_t, 3> local_size() const = 0; // chosen, if none was given
  // Of its memories; without a checker's code not known better than accesses() says.
  virtual std::vector<ReachedBytes> reached() const;
  virtual LaunchCheck *check() const { return nullptr; } // null: what it does is not checked
  virtual void begin_check() {}                          // it begins another time
  virtual void end_check() {}                            // it has run
  // Where memory begins that it may write by its address alone, which is not in accesses(); nothing: anywhere that reach()
  // allows.
  virtual std::optional<std::vector<const std::byte *>> written_by_address() const {
    return std::nullopt;
  }
  virtual void begin_on_defined() {} // now it can be seen of which memory all bytes are defined
  // Its groups have ended. True: the launch settles the command, now or later, and may be gone.
  virtual bool settles(Command &, Result<void> & /*result*/) { return false; }

private:
  Accesses memories_;
  const CountsReach reach_;
};

// Made by Device::make_kernel, for the device and its sub-devices.
class Kernel {
public:
  // `info` belongs to the program (alias the KernelModule's shared_ptr).
  explicit Kernel(std::shared_ptr<const compiler::KernelInfo> info) : info_(std::move(info)) {}
  virtual ~Kernel() = default;
  Kernel(const Kernel &) = delete;
  Kernel &operator=(const Kernel &) = delete;

  const compiler::KernelInfo &info() const { return *info_; }
  const std::shared_ptr<const compiler::KernelInfo> &shared_info() const { return info_; }

  // `device` is the one the kernel was made for, or a sub-device of it.

  // Everything that can fail before the launch runs, code generation included.
  // ErrorKind::out_of_resources: a work-group larger than the device's limit, more local memory or
  // stack than there is. What the specification calls CL_INVALID_WORK_GROUP_SIZE and the like is
  // the API's to check first; here it comes back as invalid_argument.
  virtual Result<std::unique_ptr<Launch>>
  prepare(const Device &device, const LaunchGeometry &geometry, LaunchArguments arguments) = 0;
  // What prepare() would choose; that is also what clGetKernelSuggestedLocalWorkSizeKHR answers.
  virtual std::array<uint64_t, 3> choose_local_size(const Device &device,
                                                    const LaunchGeometry &geometry) const = 0;
  // The most work-items of a group: CL_KERNEL_WORK_GROUP_SIZE of a kernel without
  // reqd_work_group_size.
  virtual uint64_t largest_group(const Device &device) const = 0;
  virtual uint32_t preferred_multiple() const = 0; // of the local size in x
  // Of a launch with this local size. May compile the kernel, as only that tells.
  virtual Result<uint32_t> sub_group_size(const std::array<uint32_t, 3> &local_size) = 0;

private:
  const std::shared_ptr<const compiler::KernelInfo> info_;
};

} // namespace lockstep::runtime

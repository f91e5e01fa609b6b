// One launch of a kernel on CPU workers.
//
// `prepare` does everything that can fail (code generation, limits of the device) and takes a copy
// of the arguments; the KernelLaunch that is made of it is the command's operation, one part per
// work-group. Work-groups are numbered with dimension 0 fastest and handed out ascending.
//
// Where the compiler found that neighbouring groups load the same, one call of the code runs
// several (KernelCode::groups_at_once), and a part is a call. It is offered that if the calls come
// out even, all groups are whole and there is work for all workers still.
//
// Sizes that are no multiple of the local size: groups inside run the function specialised for the
// local size; those at the upper edges are smaller and run the function for any local size. One
// such function serves the up to seven shapes of edge group, and edges are few; specialising for
// each shape would cost up to seven compilations at enqueue.
#pragma once

#include "compiler/launch_abi.h"
#include "runtime/graph/operation.h"
#include "runtime/launch/cpu/group_order.h"
#include "runtime/launch/cpu/kernel.h"
#include "runtime/launch/cpu/resumable_launch.h"
#include "support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace lockstep::runtime {

class Device;

// Unused dimensions: size 1, offset 0 (filled in by prepare from work_dim).
struct LaunchGeometry {
  uint32_t work_dim = 1;
  std::array<uint64_t, 3> global_offset{};
  std::array<uint64_t, 3> global_size{1, 1, 1}; // 0 in a used dimension: nothing to run
  std::array<uint64_t, 3> local_size{};         // all 0: choose one
};

// Arguments as clSetKernelArg left them.
struct LaunchArguments {
  std::span<const std::byte>
      block; // KernelInfo::argument_block_size bytes, laid out by KernelArg::offset
  std::span<const uint64_t>
      local_sizes; // by argument index: bytes of a local pointer argument, else 0; or empty
};

// 128-aligned bytes, inline up to a size that fits nearly all kernels.
class ArgumentBlock {
public:
  static constexpr std::size_t inline_size = 256;
  explicit ArgumentBlock(std::span<const std::byte> bytes); // throws std::bad_alloc
  ArgumentBlock(ArgumentBlock &&other) noexcept;
  ArgumentBlock &operator=(ArgumentBlock &&) = delete;
  ~ArgumentBlock();
  std::byte *data() { return large_ ? large_ : inline_; }
  const std::byte *data() const { return large_ ? large_ : inline_; }

private:
  alignas(128) std::byte inline_[inline_size];
  std::byte *large_ = nullptr;
  std::size_t size_ = 0;
};

class PreparedLaunch {
public:
  // Validates against the device, chooses a local size if none is given, compiles if needed.
  // ErrorKind::out_of_resources: work-group larger than the device's limit (or than
  // reqd_work_group_size allows is invalid_argument), more local memory or stack than there is.
  // What the specification calls CL_INVALID_WORK_GROUP_SIZE and the like is the API's to check
  // first; here it comes back as invalid_argument.
  static Result<PreparedLaunch> make(const Device &device, std::shared_ptr<CpuKernel> kernel,
                                     const LaunchGeometry &geometry,
                                     const LaunchArguments &arguments);

  const std::array<uint64_t, 3> &local_size() const { return local_size_; }
  PreparedLaunch(PreparedLaunch &&) = default;

private:
  friend class KernelLaunch;
  Result<void> set_geometry(const LaunchGeometry &geometry);
  bool has_edges() const;
  std::array<uint32_t, 3> neighbours(unsigned workers) const;
  Result<void> choose_code(const Device &device);
  PreparedLaunch(std::shared_ptr<CpuKernel> kernel, std::span<const std::byte> arguments)
      : kernel_(std::move(kernel)), arguments_(arguments) {}

  std::shared_ptr<CpuKernel> kernel_;
  CpuKernel::Variant *inner_ = nullptr;
  CpuKernel::Variant *edge_ = nullptr; // null: all groups are whole
  std::array<uint64_t, 3> local_size_{};
  uint64_t local_memory_size_ = 0;
  uint64_t group_count_ = 0;
  std::array<uint64_t, 3> step_{1, 1, 1};  // groups of one call
  std::array<uint64_t, 3> calls_{0, 0, 0}; // in each dimension
  uint64_t call_count_ = 0;
  GroupOrder order_;              // of the calls
  compiler::LaunchInfo launch_{}; // args is set when it has its final place
  ArgumentBlock arguments_;
};

class KernelLaunch : public HostOperation, public ResumableLaunch {
public:
  explicit KernelLaunch(PreparedLaunch prepared);

  uint64_t parts() const override { return prepared_.call_count_; }
  uint64_t expected_nanoseconds_per_part() const override;
  void measured(uint64_t parts, uint64_t nanoseconds) override;
  // A fault in the kernel gives ErrorKind::kernel_fault with a sentence that names kernel, address
  // and work-group. The worker prints it to stderr once, whatever failed() does.
  Result<void> run(uint64_t first, uint64_t last, Worker *worker) override;

  const ResumableLaunch *resumable() const override; // null if no group can wait
  View view() const override;
  const compiler::KernelCode &set_group(uint64_t number, compiler::GroupInfo &group) const override;

private:
  void run_groups(uint64_t first, uint64_t last, compiler::GroupInfo &group) const;
  void set_id(uint64_t number, compiler::GroupInfo &group) const;
  bool set_local_size(compiler::GroupInfo &group) const;
  uint64_t items_of_part() const;

  PreparedLaunch prepared_;
};

} // namespace lockstep::runtime

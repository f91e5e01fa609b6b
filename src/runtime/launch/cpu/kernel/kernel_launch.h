// One launch of a kernel on CPU workers.
//
// make() does everything that can fail (code generation, limits of the device), copies the
// arguments and fills in the addresses of memory objects. Work-groups are numbered with dimension 0
// fastest, unless the code requests another dimension (KernelCode::first_dimension). Each worker
// runs consecutive groups (worker.cpp).
//
// If the code divides the ids of one dimension, and would run groups of several rows at once,
// make() numbers the groups in rows (KernelFacts::row_of_groups). The kernel does not observe that.
//
// A part is a call of the code. If the compiler found that neighboring groups load the same data,
// one call runs several groups (KernelCode::groups_at_once). make() offers neighbors if few groups
// are left in each dimension, and all workers still have work. Groups that fill no call run other
// code: for as few groups as divide their number.
//
// If a global size is not a multiple of the local size, inner groups run the function specialized
// for the local size. Groups at the upper edges are smaller and run the function for any local
// size. One such function serves the up to seven shapes of edge groups. Specializing for each shape
// would cost up to seven compilations at enqueue, for few groups. It then serves the groups that
// fill no call, too.
#pragma once

#include "abi/launch_abi.h"
#include "runtime/device/kernel.h"
#include "runtime/graph/command.h"
#include "runtime/launch/cpu/kernel/kernel.h"
#include "runtime/launch/cpu/kernel/privatized_reductions.h"
#include "runtime/launch/cpu/resumable/group_order.h"
#include "runtime/launch/cpu/resumable/resumable_launch.h"
#include "runtime/observers/launch_observer.h"
#include "support/result.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lockstep::runtime {

class CpuDevice;
struct DeviceLimits;

// 128-aligned bytes; inline up to a size that fits nearly all kernels.
class AlignedArguments {
public:
  static constexpr std::size_t inline_size = 240; // all members together: two times 128
  explicit AlignedArguments(std::span<const std::byte> bytes); // throws std::bad_alloc
  ~AlignedArguments();
  AlignedArguments(const AlignedArguments &) = delete;
  AlignedArguments &operator=(const AlignedArguments &) = delete;
  std::byte *data() { return large_ ? large_ : inline_; }
  const std::byte *data() const { return large_ ? large_ : inline_; }

private:
  alignas(128) std::byte inline_[inline_size];
  std::byte *large_ = nullptr;
  std::size_t size_ = 0;
};

class KernelLaunch final : public Launch, public HostWork, public ResumableLaunch {
public:
  static Result<std::unique_ptr<KernelLaunch>> make(const CpuDevice &device, CpuKernel &kernel,
                                                    const LaunchGeometry &geometry,
                                                    LaunchArguments &&arguments);

  const compiler::KernelInfo &kernel() const override { return *info_; }
  LaunchObserver &observer() const override { return *observer_; }
  const std::byte *argument_block() const override { return arguments_.data(); }
  void begin_on_defined() override;
  std::optional<std::vector<const std::byte *>> written_by_address() const override;
  std::array<uint64_t, 3> local_size() const override { return local_size_; }
  std::array<uint64_t, 3> global_size() const override {
    return {launch_.global_size[0], launch_.global_size[1], launch_.global_size[2]};
  }

  HostWork *host() override { return this; }
  uint64_t parts() const override { return call_count_; }
  uint64_t expected_nanoseconds_per_part() const override;
  void measured(uint64_t parts, uint64_t nanoseconds) override;
  // Runs on a worker. A fault in the kernel returns ErrorKind::kernel_fault with a message that
  // names kernel, address and work-group. The worker also prints the message to stderr once.
  Result<void> run(uint64_t first, uint64_t last) override;
  void leave(bool has_failed) override;
  void failed(const Error &error) override;
  bool settles(Command &command, Result<void> &result) override;

  const ResumableLaunch *resumable() const; // null if groups never wait
  View view() const override;
  const compiler::KernelCode &set_group(uint64_t number, compiler::GroupInfo &group) const override;
  std::optional<KernelMemory> memory_at(const void *address) const override;
  std::string place_of(const Fault &fault) const override;

private:
  // A group, or the first one of a call.
  struct RunGroup : compiler::GroupInfo {
    bool is_of_rest = false; // it runs rest_
  };

  KernelLaunch(const compiler::KernelInfo &info, LaunchArguments &&arguments);
  void place_memories();
  void place_local_arguments(uint64_t first, uint64_t copies);
  Result<void> check_local_arguments(const DeviceLimits &limits) const;
  Result<void> set_geometry(const LaunchGeometry &geometry);
  void set_rows_of_groups(uint64_t columns);
  uint64_t groups_of_row(const compiler::KernelCode &code) const;
  Result<void> choose_rows_of_groups(const CpuDevice &device, CpuKernel &kernel,
                                     compiler::Specialization &wanted);
  void choose_batched_updates(const CpuDevice &device, CpuKernel &kernel,
                              compiler::Specialization &wanted);
  std::array<uint32_t, 3> neighbors(unsigned workers) const;
  std::array<uint32_t, 3> neighbors_of_rest() const;
  Result<std::shared_ptr<CpuKernel::Variant>>
  fitting_variant(const CpuDevice &device, CpuKernel &kernel,
                  const compiler::Specialization &wanted) const;
  compiler::Specialization wanted_code(const CpuDevice &device,
                                       std::vector<compiler::LocalArgument> local_arguments,
                                       uint64_t unprivatized_arguments) const;
  Result<void> reconsider_local_size(const CpuDevice &device, CpuKernel &kernel,
                                     const LaunchGeometry &geometry,
                                     const std::vector<compiler::LocalArgument> &local_arguments);
  void set_calls();
  void place_copies_of_local_memory();
  Result<void> choose_code(const CpuDevice &device, CpuKernel &kernel,
                           std::vector<compiler::LocalArgument> local_arguments,
                           uint64_t unprivatized_arguments = 0);
  Result<void> choose_code_on_defined(const CpuDevice &device, CpuKernel &kernel,
                                      const compiler::Specialization &inner,
                                      const compiler::Specialization *rest); // null: none
  const std::byte *member(unsigned number) const;
  std::vector<const std::byte *> members(uint64_t wanted) const; // `wanted`: a bit set of members
  bool members_are_defined(uint64_t wanted) const;
  uint64_t unprivatized_arguments(const CpuDevice &device,
                                  std::span<const compiler::PrivatizedReduction> wanted) const;

  void add_local_shadow();
  void run_call(compiler::WorkGroupFunction function, const compiler::LaunchInfo &launch,
                RunGroup &group, const std::array<uint64_t, 3> &step) const;
  void run_rest(const compiler::LaunchInfo &launch, RunGroup &group) const;
  void run_groups(const compiler::LaunchInfo &launch, uint64_t first, uint64_t last,
                  RunGroup &group) const;
  bool is_whole_call(const compiler::GroupInfo &group) const;
  void set_id(uint64_t number, compiler::GroupInfo &group) const;
  std::array<uint64_t, 3> group_of(const RunGroup &group) const;
  bool set_local_size(compiler::GroupInfo &group) const;
  uint64_t items_of_part() const;

  // inner_ keeps it alive, or info_of_empty_ if there is no group
  const compiler::KernelInfo *const info_;
  std::shared_ptr<const compiler::KernelInfo> info_of_empty_;
  std::shared_ptr<CpuKernel::Variant> inner_;
  // For edge groups, and others that fill no call; null: there are none.
  std::shared_ptr<CpuKernel::Variant> rest_;
  // For the check for undefined values: see code_on_defined.cpp.
  struct CodesOnDefined {
    struct Codes {
      std::shared_ptr<CpuKernel::Variant> inner, rest;
    };
    Codes on_any;     // the codes without assumptions
    Codes on_defined; // for the case that all of `reads` and `members` points to is defined
    std::vector<const Access *> reads;
    uint64_t members = 0; // Specialization::defined_members
  };
  std::unique_ptr<CodesOnDefined> on_defined_; // null: the launch has no such codes
  std::array<uint64_t, 3> local_size_{};
  uint64_t local_memory_size_ = 0;
  uint64_t local_shadow_bytes_ = 0; // offset of the shadow memory in it; 0: none
  uint64_t group_count_ = 0;
  bool has_edges_ = false;       // groups that are smaller than the others
  bool leaves_groups_ = false;   // whole groups that fill no call
  bool may_leave_groups_ = true; // false: the code for them did not fit
  uint64_t groups_of_row_ = 0;   // the groups of dimension 0 are in rows; 0: they are not
  unsigned workers_ = 1;         // number of workers of the device
  std::array<uint64_t, 3> whole_groups_{0, 0, 0};
  std::array<uint64_t, 3> step_{1, 1, 1};      // groups per call
  std::array<uint64_t, 3> rows_{1, 1, 1};      // calls per group; step_ or rows_ is 1
  std::array<uint64_t, 3> calls_{0, 0, 0};     // number of calls in each dimension
  std::array<uint64_t, 3> end_{0, 0, 0};       // exclusive upper bounds of GroupInfo::group_id
  std::array<uint64_t, 3> whole_end_{0, 0, 0}; // the same of calls of inner_
  std::array<uint8_t, 3> dimensions_{0, 1, 2}; // in counting order, the fastest first
  uint64_t call_count_ = 0;
  GroupOrder order_; // traversal order of the calls
  compiler::LaunchInfo launch_{};
  std::span<const uint64_t> local_sizes_; // LaunchArguments::local_sizes; valid only inside make()
  AlignedArguments arguments_;
  PrivatizedReductions copies_;
  std::shared_ptr<LaunchObserver> observer_;
  std::vector<uint32_t> image_arguments_; // Specialization::images
  // null: it neither enqueues nor was enqueued by a kernel
  std::shared_ptr<LaunchEnqueues> enqueues_;
};

// The command's launch, if its groups may wait; else null.
const ResumableLaunch *resumable_of(const Command &command);

} // namespace lockstep::runtime

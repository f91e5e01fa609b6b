// One launch of a kernel on CPU workers.
//
// make() does everything that can fail (code generation, limits of the device), takes a copy of the
// arguments and puts the addresses of memory objects into it. One part per work-group. Work-groups
// are numbered with dimension 0 fastest, unless the code asks for another one (KernelCode::first_dimension), and each worker
// gets them in a row (worker.cpp).
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
#include "runtime/check/check.h"
#include "runtime/check/memory_check.h"
#include "runtime/graph/command.h"
#include "runtime/kernel.h"
#include "runtime/launch/cpu/group_order.h"
#include "runtime/launch/cpu/kernel.h"
#include "runtime/launch/cpu/resumable_launch.h"
#include "runtime/launch/cpu/worker_copies.h"
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

// 128-aligned bytes, inline up to a size that fits nearly all kernels.
class ArgumentBlock {
public:
  static constexpr std::size_t inline_size = 256;
  explicit ArgumentBlock(std::span<const std::byte> bytes); // throws std::bad_alloc
  ~ArgumentBlock();
  ArgumentBlock(const ArgumentBlock &) = delete;
  ArgumentBlock &operator=(const ArgumentBlock &) = delete;
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
                                                    LaunchArguments arguments);

  const compiler::KernelInfo &kernel() const override { return *info_; }
  std::vector<ReachedBytes> reached() const override;
  LaunchCheck *check() const override { return check_.get(); }
  void begin_check() override;
  void end_check() override;
  void begin_on_defined() override;
  std::optional<std::vector<const std::byte *>> written_by_address() const override;
  std::array<uint64_t, 3> local_size() const override { return local_size_; }

  HostWork *host() override { return this; }
  uint64_t parts() const override { return call_count_; }
  uint64_t expected_nanoseconds_per_part() const override;
  void measured(uint64_t parts, uint64_t nanoseconds) override;
  // On a worker. A fault in the kernel gives ErrorKind::kernel_fault with a sentence that names
  // kernel, address and work-group. The worker prints it to stderr once, whoever is told.
  Result<void> run(uint64_t first, uint64_t last) override;
  void leave(bool has_failed) override;
  void failed(const Error &error) override;
  bool settles(Command &command, Result<void> &result) override;

  const ResumableLaunch *resumable() const; // null if no group can wait
  View view() const override;
  const compiler::KernelCode &set_group(uint64_t number, compiler::GroupInfo &group) const override;
  std::optional<KernelMemory> memory_at(const void *address) const override;
  std::string place_of(const Fault &fault) const override;

private:
  KernelLaunch(const compiler::KernelInfo &info, LaunchArguments arguments);
  void place_memories();
  Result<void> place_local_arguments(std::span<const uint64_t> sizes, const DeviceLimits &limits);
  Result<void> set_geometry(const LaunchGeometry &geometry);
  bool has_edges() const;
  std::array<uint32_t, 3> neighbours(unsigned workers) const;
  Result<std::shared_ptr<CpuKernel::Variant>>
  fitting_variant(const CpuDevice &device, CpuKernel &kernel,
                  compiler::Specialisation wanted) const;
  Result<void> choose_code(const CpuDevice &device, CpuKernel &kernel,
                           std::vector<compiler::LocalArgument> local_arguments,
                           uint64_t refused_copies = 0);
  Result<void> choose_code_on_defined(const CpuDevice &device, CpuKernel &kernel,
                                      const compiler::Specialisation &inner,
                                      const compiler::Specialisation &edge);
  const std::byte *member(unsigned number) const;
  std::vector<const std::byte *> members(uint64_t wanted) const; // a bit for each
  bool members_are_defined() const;
  uint64_t refused_copies(const CpuDevice &device,
                          std::span<const compiler::WorkerCopy> wanted) const;

  void add_local_planes();
  void watch_enqueues();
  void run_groups(const compiler::LaunchInfo &launch, uint64_t first, uint64_t last,
                  compiler::GroupInfo &group) const;
  void set_id(uint64_t number, compiler::GroupInfo &group) const;
  std::array<uint64_t, 3> group_of(const compiler::GroupInfo &group) const;
  bool set_local_size(compiler::GroupInfo &group) const;
  uint64_t items_of_part() const;

  const compiler::KernelInfo *const info_; // kept by inner_, or if there is no group, by this:
  std::shared_ptr<const compiler::KernelInfo> info_of_empty_;
  std::shared_ptr<CpuKernel::Variant> inner_;
  std::shared_ptr<CpuKernel::Variant> edge_; // null: all groups are whole
  // The same, and both where `reads_`, and what members of the function object point to, are defined; null: that would be no
  // other code, or not run in the same way.
  struct Codes {
    std::shared_ptr<CpuKernel::Variant> inner, edge;
  };
  Codes on_any_, on_defined_;
  std::vector<const Access *> reads_;
  uint64_t read_members_ = 0; // Specialisation::defined_members
  std::array<uint64_t, 3> local_size_{};
  uint64_t local_memory_size_ = 0;
  uint64_t local_planes_ = 0; // where they begin in it; 0: it has none
  uint64_t group_count_ = 0;
  unsigned workers_ = 1;                       // of the device
  std::array<uint64_t, 3> step_{1, 1, 1};      // groups of one call
  std::array<uint64_t, 3> rows_{1, 1, 1};      // calls of one group; one of the two is 1
  std::array<uint64_t, 3> calls_{0, 0, 0};     // in each dimension
  std::array<uint64_t, 3> end_{0, 0, 0};       // of what GroupInfo::group_id counts
  std::array<uint8_t, 3> dimensions_{0, 1, 2}; // as they are counted, the fastest first
  uint64_t call_count_ = 0;
  GroupOrder order_; // of the calls
  compiler::LaunchInfo launch_{};
  std::span<const uint64_t> local_sizes_; // LaunchArguments::local_sizes, while it is made
  ArgumentBlock arguments_;
  WorkerCopies copies_;
  std::unique_ptr<LaunchCheck> check_; // null: it is not checked
  std::unique_ptr<MemoryCheck> memory_check_;
  std::vector<uint32_t> image_arguments_;    // Specialisation::images
  std::shared_ptr<LaunchEnqueues> enqueues_; // null: it neither enqueues nor was enqueued
};

// The command's launch, if its groups may wait.
const ResumableLaunch *resumable_of(const Command &command);

} // namespace lockstep::runtime

// A launch of a kernel on a card: its parameters, and the CUDA launches that it consists of.
//
// CUDA's blocks all have the same size, and a grid is limited. A launch whose work-groups have
// different sizes, or which has an offset, becomes several CUDA launches of code that gets its part
// of the launch by parameters.
//
// If work-groups may wait for each other, the code is persistent: as many blocks as the card runs at
// once run all groups, and suspend those that wait (persistent_run.h).
#pragma once

#include "runtime/device/device.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_program.h"
#include "runtime/launch/nvidia/persistent_run.h"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::runtime {

class NvidiaLaunch final : public Launch, public StreamWork {
public:
  static Result<std::unique_ptr<NvidiaLaunch>> make(const Device &device, NvidiaKernel &kernel,
                                                    const LaunchGeometry &geometry,
                                                    LaunchArguments arguments);

  const compiler::KernelInfo &kernel() const override { return *info_; }
  std::array<uint64_t, 3> local_size() const override { return local_size_; }
  const MemorySpace *memory_space() const override { return space_.get(); }

  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override;
  std::string name() const override { return "kernel '" + info_->name + "'"; }
  bool may_wait() const override { return is_persistent_; }

private:
  class OneRun;
  using Size = std::array<uint64_t, 3>;
  // One CUDA launch.
  struct Part {
    std::array<uint32_t, 3> grid{}, block{}; // grid: the groups
    Size group_base{};
    uint32_t blocks = 0; // of persistent code
  };

  NvidiaLaunch(std::shared_ptr<const compiler::KernelInfo> info, std::shared_ptr<MemorySpace> space,
               Accesses memories, AllocationKinds reach)
      : Launch(std::move(memories), reach), info_(std::move(info)), space_(std::move(space)) {}

  Result<void> set_geometry(const LaunchGeometry &geometry, const DeviceLimits &limits);
  void make_parts();
  compiler::PtxVariant variant() const;
  Result<void> place_arguments(const LaunchArguments &arguments);
  Result<void> place_images(NvidiaProgram &program, std::span<const ImagePlace> places);
  Result<std::vector<compiler::ImageDescriptor>> levels_on_card(const ImagePlace &place) const;
  Result<void> place_local_memory(std::span<const uint64_t> sizes, uint64_t limit);
  // Appends the value of a parameter, and returns its address.
  void *store(const void *value, std::size_t size);
  Result<void> let_groups_wait(NvidiaKernel &kernel, const Device &device,
                               const compiler::Specialization &specialization);
  Result<std::unique_ptr<PersistentRun>> make_persistent_run() const;
  std::string name_memory(uint64_t address) const;
  Result<void> enqueue_parts(cuda::Stream *stream, uint64_t printf_buffer,
                             PersistentRun *persistent, bool again) const;
  Result<void> enqueue_part(cuda::Stream *stream, const Part &part, void **parameters) const;
  void *value_of(const compiler::PtxParameter &parameter, const Part &part);
  void store_parameters();

  const std::shared_ptr<const compiler::KernelInfo> info_; // keeps the module alive
  const std::shared_ptr<MemorySpace> space_;
  std::shared_ptr<const LoadedKernel> code_; // null: there are no groups
  Size global_offset_{}, global_size_{1, 1, 1}, local_size_{1, 1, 1}, num_groups_{1, 1, 1};
  uint32_t work_dim_ = 1;
  std::vector<std::byte> block_;        // arguments with the addresses on the card
  std::vector<uint32_t> local_offsets_; // by argument; empty: no argument is a local pointer
  uint32_t shared_bytes_ = 0;           // dynamic
  // By argument: the levels of an image, with addresses on the card. Empty: no argument is an image.
  std::vector<std::vector<compiler::ImageDescriptor>> images_;
  std::vector<std::shared_ptr<const DeviceBlock>> descriptors_; // copies on the card
  bool is_persistent_ = false;
  uint64_t waiting_memory_ = 0; // bytes that suspended groups may have
  std::vector<Part> parts_;
  // The parameters of all parts: their values, and the address of each of them.
  std::vector<std::byte> values_;
  std::vector<void *> parameters_;
};

} // namespace lockstep::runtime

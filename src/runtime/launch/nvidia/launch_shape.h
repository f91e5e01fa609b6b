// What all launches of a kernel with one geometry have in common: the code, the CUDA launches that
// each of them consists of, and where the parameters of these are. A kernel keeps its latest shapes
// (NvidiaKernel::shape), so a program that launches it again pays only for its arguments.
//
// CUDA's blocks all have the same size, and a grid is limited. A launch whose work-groups have
// different sizes, or which has an offset, becomes several CUDA launches of code that gets its part
// of the launch by parameters.
//
// If work-groups may wait for each other, the code is persistent: as many blocks as the card runs at
// once run all groups, and suspend those that wait (persistent_run.h).
#pragma once

#include "runtime/device/device.h"
#include "runtime/device/kernel.h"
#include "runtime/launch/nvidia/kernel_graphs.h"
#include "runtime/launch/nvidia/nvidia_program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace lockstep::runtime {

// "kernel 'sum' enqueues other kernels, which this version does not support ..."
Error unsupported_on_nvidia(const compiler::KernelInfo &info, std::string_view what);

class LaunchShape {
public:
  static constexpr uint32_t shared_without_request = 48 << 10; // bytes
  // Does everything that can fail because of the geometry, including code generation.
  static Result<std::shared_ptr<const LaunchShape>> make(const Device &device, NvidiaKernel &kernel,
                                                         const LaunchGeometry &geometry,
                                                         const LaunchArguments &arguments);
  // Whether launches with these parameters have this shape.
  bool serves(const LaunchGeometry &geometry, const LaunchArguments &arguments) const;

  using Size = std::array<uint64_t, 3>;
  // One CUDA launch.
  struct Part {
    std::array<uint32_t, 3> grid{}, block{}; // grid: the groups
    Size group_base{};
    uint32_t blocks = 0; // of persistent code
  };
  // A pointer among the arguments.
  struct Pointer {
    uint32_t argument, offset; // offset: in the argument block
  };

  const compiler::KernelInfo &info() const { return *info_; }
  const std::shared_ptr<MemorySpace> &space() const { return space_; }      // of the device
  const std::shared_ptr<const LoadedKernel> &code() const { return code_; } // null: no groups
  const Size &local_size() const { return local_size_; }
  uint64_t work_items() const { return global_size_[0] * global_size_[1] * global_size_[2]; }
  std::span<const Part> parts() const { return parts_; }
  uint32_t shared_bytes() const { return shared_bytes_; } // dynamic
  bool is_persistent() const { return is_persistent_; }
  uint64_t waiting_memory() const { return waiting_memory_; } // that suspended groups may have
  std::span<const Pointer> pointers() const { return pointers_; }
  // If the argument block determines all parameters of the only part, else null.
  KernelGraphs *graphs() const { return graphs_.get(); }
  bool has_images() const { return has_images_; }
  // The value of parameter `index` of a part, unless the arguments or the run have it.
  const void *word(std::size_t part, std::size_t index) const {
    return &words_[part * code_->code.parameters.size() + index];
  }

private:
  LaunchShape(std::shared_ptr<const compiler::KernelInfo> info, std::shared_ptr<MemorySpace> space)
      : info_(std::move(info)), space_(std::move(space)) {}

  Result<void> check_kinds();
  Result<void> set_geometry(const LaunchGeometry &geometry, const DeviceLimits &limits);
  void make_parts();
  void make_graphs();
  compiler::PtxVariant variant() const;
  Result<void> place_local_memory(std::span<const uint64_t> sizes, uint64_t limit);
  Result<void> let_groups_wait(NvidiaKernel &kernel, const Device &device,
                               const compiler::Specialization &specialization);
  uint64_t word_of(const compiler::PtxParameter &parameter, const Part &part) const;

  const std::shared_ptr<const compiler::KernelInfo> info_; // keeps the module alive
  const std::shared_ptr<MemorySpace> space_;
  // What serves() compares.
  LaunchGeometry geometry_;
  std::vector<uint64_t> local_sizes_;
  std::vector<compiler::LocalArgument> local_arguments_;
  std::vector<uint32_t> image_formats_;

  std::shared_ptr<const LoadedKernel> code_;
  Size global_offset_{}, global_size_{1, 1, 1}, local_size_{1, 1, 1}, num_groups_{1, 1, 1};
  uint32_t work_dim_ = 1;
  std::vector<uint32_t> local_offsets_; // by argument; empty: no argument is a local pointer
  uint32_t shared_bytes_ = 0;
  bool is_persistent_ = false, has_images_ = false;
  uint64_t waiting_memory_ = 0;
  std::vector<Part> parts_;
  std::vector<Pointer> pointers_;
  std::vector<uint64_t> words_; // by part and parameter
  std::unique_ptr<KernelGraphs> graphs_;
};

} // namespace lockstep::runtime

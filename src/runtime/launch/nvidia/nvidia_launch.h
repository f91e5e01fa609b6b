// A launch of a kernel on a card: its arguments, with addresses on the card. launch_shape.h has what
// launches of a kernel have in common, such as the CUDA launches that one consists of.
#pragma once

#include "runtime/device/argument_block.h"
#include "runtime/device/device.h"
#include "runtime/launch/nvidia/launch_shape.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/persistent_run.h"

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::runtime {

class NvidiaLaunch final : public Launch, public StreamWork {
public:
  static Result<std::unique_ptr<NvidiaLaunch>> make(const Device &device, NvidiaKernel &kernel,
                                                    const LaunchGeometry &geometry,
                                                    LaunchArguments &&arguments);

  const compiler::KernelInfo &kernel() const override { return shape_->info(); }
  std::array<uint64_t, 3> local_size() const override { return shape_->local_size(); }
  const MemorySpace *memory_space() const override { return shape_->space().get(); }

  Result<std::unique_ptr<Run>> enqueue(cuda::Stream *stream) override;
  std::string name() const override { return "kernel '" + kernel().name + "'"; }
  bool may_wait() const override { return shape_->is_persistent(); }

private:
  class OneRun;
  using Part = LaunchShape::Part;
  // The values of parameters that each run has of its own.
  struct RunWords {
    uint64_t printf_buffer = 0, group_pool = 0;
  };

  NvidiaLaunch(std::shared_ptr<const LaunchShape> shape, LaunchArguments &&arguments)
      : Launch(std::move(arguments.memories), arguments.reach), shape_(std::move(shape)),
        block_(arguments.block) {}

  const LoadedKernel &code() const { return *shape_->code(); }
  Result<void> place_arguments();
  Result<void> place_images(NvidiaProgram &program, std::span<const ImagePlace> places);
  Result<std::vector<compiler::ImageDescriptor>> levels_on_card(const ImagePlace &place) const;
  Result<std::unique_ptr<PersistentRun>> make_persistent_run() const;
  std::string name_memory(uint64_t address) const;
  Result<void> enqueue_parts(cuda::Stream *stream, uint64_t printf_buffer,
                             PersistentRun *persistent, bool again) const;
  Result<void> enqueue_part(cuda::Stream *stream, std::size_t part, const RunWords &run) const;
  const void *address_of(std::size_t part, std::size_t parameter, const RunWords &run) const;

  const std::shared_ptr<const LaunchShape> shape_;
  ArgumentBlock block_; // with the addresses on the card
  // By argument: the levels of an image, with addresses on the card. Empty: no argument is an image.
  std::vector<std::vector<compiler::ImageDescriptor>> images_;
  std::vector<std::shared_ptr<const DeviceBlock>> descriptors_; // copies on the card
};

} // namespace lockstep::runtime

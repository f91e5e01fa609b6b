// The output of printf of one run of a launch: the kernel writes records to a buffer on the card, and
// the settler formats them when the run has ended.
#pragma once

#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_program.h"

#include <cstddef>
#include <memory>

namespace lockstep::runtime {

class PrintfRun final : public StreamWork::Run {
public:
  static Result<std::unique_ptr<PrintfRun>> make(std::shared_ptr<const LoadedKernel> code,
                                                 std::shared_ptr<MemorySpace> space);
  ~PrintfRun() override;

  uint64_t address() const { return on_card_->address(); }
  Result<void> begin(cuda::Stream *stream); // before the kernel
  Result<void> end(cuda::Stream *stream);   // behind it
  Result<void> finish(Command &command) override;

  static constexpr std::size_t record_bytes = std::size_t{1} << 20;

private:
  explicit PrintfRun(std::shared_ptr<const LoadedKernel> code) : code_(std::move(code)) {}

  const std::shared_ptr<const LoadedKernel> code_;
  std::shared_ptr<const DeviceBlock> on_card_;
  std::byte *pinned_ = nullptr; // the same bytes on the host
};

} // namespace lockstep::runtime

// The output of printf of one run of a launch: the kernel writes records to a buffer on the card, and
// the settler formats them when the run has ended. The buffer grows with the number of work-items.
#pragma once

#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_program.h"

#include <cstddef>
#include <memory>

namespace lockstep::runtime {

class PrintfRun final : public StreamWork::Run {
public:
  static Result<std::unique_ptr<PrintfRun>> make(std::shared_ptr<const LoadedKernel> code,
                                                 std::shared_ptr<MemorySpace> space,
                                                 uint64_t work_items);
  ~PrintfRun() override;

  uint64_t address() const { return on_card_->address(); }
  Result<void> begin(cuda::Stream *stream); // before the kernel
  Result<void> end(cuda::Stream *stream);   // behind it
  Result<void> finish(Command &command) override;

  // For records. A record of one number has 24 bytes.
  static constexpr std::size_t least_bytes = std::size_t{1} << 20,
                               most_bytes = std::size_t{64} << 20, bytes_for_work_item = 256;

private:
  PrintfRun(std::shared_ptr<const LoadedKernel> code, std::shared_ptr<MemorySpace> space,
            std::size_t capacity)
      : code_(std::move(code)), space_(std::move(space)), capacity_(capacity) {}

  const std::shared_ptr<const LoadedKernel> code_;
  const std::shared_ptr<MemorySpace> space_;
  const std::size_t capacity_;
  std::shared_ptr<const DeviceBlock> on_card_;
  std::byte *pinned_ = nullptr; // on the host: the first bytes, with `least_bytes` of records
};

} // namespace lockstep::runtime

// An NVIDIA card as a device. Kernels, copies and fills run on the card; the CPU device runs all
// other commands, such as large transfers between the host's memory and that of the card.
#pragma once

#include "runtime/device/device.h"
#include "runtime/launch/nvidia/card_transfers.h"
#include "runtime/launch/nvidia/launch_streams.h"
#include "runtime/launch/nvidia/nvidia_program.h"

#include <atomic>
#include <memory>

namespace lockstep::runtime {

class NvidiaDevice final : public Device {
  struct Key {};

public:
  // `host` runs what is not a kernel. Does not make a context on the card.
  static Result<std::shared_ptr<NvidiaDevice>>
  make(std::shared_ptr<const CudaDriver> driver, const CudaCard &card, std::shared_ptr<Device> host,
       const compiler::CodeOptions &options, PtxCompiler compiler);

  unsigned compute_units() const override { return compute_units_; }
  Result<void> start() const override;
  bool is_available() const override { return bool(context_->cuda().check_process()); }
  const compiler::CodeOptions &code_options() const override { return options_; }
  Result<std::shared_ptr<Program>>
  make_program(std::shared_ptr<const compiler::KernelModule> module) const override;
  std::unique_ptr<Operation> make_copy(MemoryView to, MemoryView from) const override;
  std::unique_ptr<Operation> make_rect_copy(const MemoryView &to, const RectSide &to_side,
                                            const MemoryView &from, const RectSide &from_side,
                                            const RectShape &shape) const override;
  std::unique_ptr<Operation> make_fill(MemoryView to, const void *pattern,
                                       std::size_t pattern_size) const override;
  std::unique_ptr<Operation> make_rect_fill(const MemoryView &to, const RectSide &side,
                                            const RectShape &shape,
                                            std::span<const std::byte> element) const override;
  std::unique_ptr<RunState> make_run_state(Operation &operation) override {
    return operation.launch() ? nullptr : host_->make_run_state(operation); // copies may run there
  }
  void submit(Command &ready) override;
  bool takes_early() const override { return true; }
  bool can_follow(const Command &command, std::span<const DevicePlace> places) const override;
  DevicePlace end_of(std::span<const DevicePlace> places) const override {
    return streams_->end_of(places);
  }
  void submit_behind(Command &command, std::span<const DevicePlace> places,
                     Followers &followers) override;

  NvidiaDevice(Key, DeviceDescription description, DeviceLimits limits,
               std::shared_ptr<NvidiaMemory> memory, std::shared_ptr<CudaContext> context,
               std::shared_ptr<Device> host, compiler::CodeOptions options, PtxCompiler compiler);

private:
  unsigned compute_units_ = 1;
  const std::shared_ptr<CudaContext> context_;
  const std::shared_ptr<Device> host_;
  const compiler::CodeOptions options_;
  const PtxCompiler compiler_;
  const CardTransfers transfers_;
  const std::unique_ptr<LaunchStreams> streams_;
  mutable std::atomic<bool> has_pinned_ = false; // allocations that were made before start()
};

} // namespace lockstep::runtime

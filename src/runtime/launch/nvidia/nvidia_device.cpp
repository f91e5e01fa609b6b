#include "runtime/launch/nvidia/nvidia_device.h"

#include "runtime/launch/nvidia/nvidia_launch.h"
#include "runtime/launch/nvidia/nvidia_memory.h"

#include <utility>

namespace lockstep::runtime {
namespace {

constexpr uint32_t pci_number = 0x10de;

// An attribute that the driver does not know is 0.
uint64_t attribute(const CudaDriver &cuda, const CudaCard &card, int attribute) {
  int value = 0;
  return cuda.device_attribute(&value, attribute, card.device) == cuda::success && value > 0
             ? uint64_t(value)
             : 0;
}

DeviceDescription description_of(const CudaDriver &cuda, const CudaCard &card) {
  DeviceDescription description;
  description.type = DeviceType::gpu;
  description.name = card.name;
  description.vendor = "NVIDIA Corporation";
  description.vendor_id = pci_number;
  description.max_clock_mhz = unsigned(attribute(cuda, card, cuda::clock_rate_khz) / 1000);
  description.cache_line_bytes = 128;
  description.cache_bytes = attribute(cuda, card, cuda::l2_cache_bytes);
  return description;
}

DeviceLimits limits_of(const CudaDriver &cuda, const CudaCard &card) {
  DeviceLimits limits;
  limits.max_work_group_size = attribute(cuda, card, cuda::max_threads_per_block);
  limits.max_work_item_sizes = {attribute(cuda, card, cuda::max_block_dim_x),
                                attribute(cuda, card, cuda::max_block_dim_y),
                                attribute(cuda, card, cuda::max_block_dim_z)};
  // More needs a request for each function, which static local memory cannot make.
  limits.local_memory_bytes = attribute(cuda, card, cuda::max_shared_memory_per_block);
  limits.kernel_stack_bytes = uint64_t{1} << 20;
  limits.global_memory_bytes = card.memory_bytes;
  limits.max_allocation_bytes = card.memory_bytes / 2;
  return limits;
}

} // namespace

Result<std::shared_ptr<NvidiaDevice>> NvidiaDevice::make(std::shared_ptr<const CudaDriver> driver,
                                                         const CudaCard &card,
                                                         std::shared_ptr<Device> host,
                                                         const compiler::CodeOptions &options,
                                                         PtxCompiler compiler) {
  if (!card.obstacle.empty())
    return Error{ErrorKind::unsupported, card.name + " is not used: " + card.obstacle};
  const CudaDriver &cuda = *driver;
  auto context = std::make_shared<CudaContext>(std::move(driver), card);
  return std::make_shared<NvidiaDevice>(Key{}, description_of(cuda, card), limits_of(cuda, card),
                                        std::move(context), std::move(host), options,
                                        std::move(compiler));
}

NvidiaDevice::NvidiaDevice(Key, DeviceDescription description, DeviceLimits limits,
                           std::shared_ptr<CudaContext> context, std::shared_ptr<Device> host,
                           compiler::CodeOptions options, PtxCompiler compiler)
    : Device(std::move(description), limits, std::make_shared<NvidiaMemory>(context)),
      context_(std::move(context)), host_(std::move(host)), options_(std::move(options)),
      compiler_(std::move(compiler)), streams_(std::make_unique<LaunchStreams>(context_)) {
  compute_units_ = std::max(
      1u, unsigned(attribute(context_->cuda(), context_->card(), cuda::multiprocessor_count)));
}

Result<void> NvidiaDevice::start() const {
  LOCKSTEP_TRY(host_->start());
  return streams_->start();
}

Result<std::shared_ptr<Program>>
NvidiaDevice::make_program(std::shared_ptr<const compiler::KernelModule> module) const {
  return std::shared_ptr<Program>(
      std::make_shared<NvidiaProgram>(context_, memory_space(), compiler_, std::move(module)));
}

void NvidiaDevice::submit(Command &ready) {
  if (Launch *launch = ready.operation()->launch())
    streams_->add(ready, static_cast<NvidiaLaunch &>(*launch));
  else
    host_->submit(ready);
}

bool NvidiaDevice::can_follow(const Command &command, std::span<const DevicePlace> places) const {
  return command.operation()->launch() && streams_->has_all(places);
}

void NvidiaDevice::submit_behind(Command &command, std::vector<DevicePlace> places,
                                 Followers &followers) {
  streams_->add_behind(command, static_cast<NvidiaLaunch &>(*command.operation()->launch()),
                       std::move(places), followers);
}

} // namespace lockstep::runtime

#include "runtime/launch/nvidia/nvidia_device.h"

#include "runtime/launch/nvidia/nvidia_launch.h"
#include "runtime/launch/nvidia/nvidia_memory.h"
#include "runtime/memory/allocations.h"

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
  std::array<unsigned char, 16> uuid{};
  if (cuda.device_uuid(uuid.data(), card.device) == cuda::success)
    description.uuid = uuid;
  description.pci = PciAddress{.domain = uint32_t(attribute(cuda, card, cuda::pci_domain_id)),
                               .bus = uint32_t(attribute(cuda, card, cuda::pci_bus_id)),
                               .device = uint32_t(attribute(cuda, card, cuda::pci_device_id))};
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

StreamWork &work_of(const Command &command) {
  if (Launch *launch = command.operation()->launch())
    return static_cast<NvidiaLaunch &>(*launch);
  return *command.operation()->card_transfer();
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
  auto memory = std::make_shared<NvidiaMemory>(context);
  return std::make_shared<NvidiaDevice>(Key{}, description_of(cuda, card), limits_of(cuda, card),
                                        std::move(memory), std::move(context), std::move(host),
                                        options, std::move(compiler));
}

NvidiaDevice::NvidiaDevice(Key, DeviceDescription description, DeviceLimits limits,
                           std::shared_ptr<NvidiaMemory> memory,
                           std::shared_ptr<CudaContext> context, std::shared_ptr<Device> host,
                           compiler::CodeOptions options, PtxCompiler compiler)
    : Device(std::move(description), limits, memory), context_(std::move(context)),
      host_(std::move(host)), options_(std::move(options)), compiler_(std::move(compiler)),
      transfers_(std::move(memory), context_), streams_(std::make_unique<LaunchStreams>(context_)) {
  compute_units_ = std::max(
      1u, unsigned(attribute(context_->cuda(), context_->card(), cuda::multiprocessor_count)));
}

Result<void> NvidiaDevice::start() const {
  if (has_pinned_.load(std::memory_order_acquire)) // the rest has started; each launch asks
    return context_->cuda().check_process();
  LOCKSTEP_TRY(host_->start());
  LOCKSTEP_TRY(streams_->start());
  LOCKSTEP_TRY(Allocations::instance().pin_for(memory_space()));
  has_pinned_.store(true, std::memory_order_release);
  return {};
}

Result<std::shared_ptr<Program>>
NvidiaDevice::make_program(std::shared_ptr<const compiler::KernelModule> module) const {
  return std::shared_ptr<Program>(
      std::make_shared<NvidiaProgram>(context_, memory_space(), compiler_, std::move(module)));
}

std::unique_ptr<Operation> NvidiaDevice::make_copy(MemoryView to, MemoryView from) const {
  auto on_card = transfers_.copy(to, from);
  return on_card ? std::move(on_card) : host_->make_copy(std::move(to), std::move(from));
}

std::unique_ptr<Operation>
NvidiaDevice::make_rect_copy(const MemoryView &to, const RectSide &to_side, const MemoryView &from,
                             const RectSide &from_side, const RectShape &shape) const {
  auto on_card = transfers_.rect_copy(to, to_side, from, from_side, shape);
  return on_card ? std::move(on_card) : host_->make_rect_copy(to, to_side, from, from_side, shape);
}

std::unique_ptr<Operation> NvidiaDevice::make_fill(MemoryView to, const void *pattern,
                                                   std::size_t pattern_size) const {
  auto on_card = transfers_.fill(to, pattern, pattern_size);
  return on_card ? std::move(on_card) : host_->make_fill(std::move(to), pattern, pattern_size);
}

std::unique_ptr<Operation> NvidiaDevice::make_rect_fill(const MemoryView &to, const RectSide &side,
                                                        const RectShape &shape,
                                                        std::span<const std::byte> element) const {
  auto on_card = transfers_.rect_fill(to, side, shape, element);
  return on_card ? std::move(on_card) : host_->make_rect_fill(to, side, shape, element);
}

void NvidiaDevice::submit(Command &ready) {
  const CardTransfer *transfer = ready.operation()->card_transfer();
  if (ready.operation()->launch() || (transfer && transfer->runs_on_stream()))
    streams_->add(ready, work_of(ready));
  else
    host_->submit(ready);
}

bool NvidiaDevice::can_follow(const Command &command, std::span<const DevicePlace> places) const {
  const CardTransfer *transfer = command.operation()->card_transfer();
  return (command.operation()->launch() ||
          (transfer && transfer->may_follow() && transfer->runs_on_stream())) &&
         streams_->has_all(places);
}

void NvidiaDevice::submit_behind(Command &command, std::span<const DevicePlace> places,
                                 Followers &followers) {
  streams_->add_behind(command, work_of(command), places, followers);
}

} // namespace lockstep::runtime

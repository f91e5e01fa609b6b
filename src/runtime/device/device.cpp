#include "runtime/device/device.h"

#include "runtime/memory/copy_between.h"
#include "runtime/memory/rect_fill.h"
#include "runtime/memory/transfers.h"

namespace lockstep::runtime {

Device::Device(DeviceDescription description, DeviceLimits limits,
               std::shared_ptr<MemorySpace> space)
    : description_(std::move(description)), limits_(limits),
      memory_(std::make_shared<MemoryAccount>(limits_.global_memory_bytes)),
      space_(std::move(space)) {}

Device::Device(std::shared_ptr<Device> parent)
    : parent_(std::move(parent)), description_(parent_->description_), limits_(parent_->limits_),
      memory_(parent_->memory_), space_(parent_->space_) {}

std::unique_ptr<Operation> Device::make_copy(MemoryView to, MemoryView from) const {
  if (to.only_place() || from.only_place())
    return std::make_unique<CopyBetween>(to, from);
  return std::make_unique<Copy>(std::move(to), std::move(from));
}

std::unique_ptr<Operation> Device::make_rect_copy(const MemoryView &to, const RectSide &to_side,
                                                  const MemoryView &from, const RectSide &from_side,
                                                  const RectShape &shape) const {
  return std::make_unique<RectCopy>(to, to_side, from, from_side, shape);
}

std::unique_ptr<Operation> Device::make_fill(MemoryView to, const void *pattern,
                                             std::size_t pattern_size) const {
  return std::make_unique<Fill>(std::move(to), pattern, pattern_size);
}

std::unique_ptr<Operation> Device::make_rect_fill(const MemoryView &to, const RectSide &side,
                                                  const RectShape &shape,
                                                  std::span<const std::byte> element) const {
  return std::make_unique<RectFill>(to, side, shape, element);
}

Result<Device::Devices> Device::partition_by_counts(std::span<const unsigned>) {
  return Error{ErrorKind::unsupported, "the device cannot be divided"};
}

Result<Device::Devices> Device::partition_by_domain(AffinityDomain) {
  return Error{ErrorKind::unsupported, "the device lies in a single domain of this kind"};
}

Result<Device::Devices> Device::partition_equally(unsigned units_each) {
  if (units_each == 0 || units_each > compute_units())
    return Error{ErrorKind::invalid_argument, "sub-devices of " + std::to_string(units_each) +
                                                  " compute units cannot be made of " +
                                                  std::to_string(compute_units())};
  return partition_by_counts(std::vector<unsigned>(compute_units() / units_each, units_each));
}

} // namespace lockstep::runtime

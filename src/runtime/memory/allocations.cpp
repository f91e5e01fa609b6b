#include "runtime/memory/allocations.h"

#include "platform/linux/leaked.h"
#include "runtime/memory/memory_space.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <bit>
#include <mutex>
#include <utility>
#include <vector>

namespace lockstep::runtime {

Allocations &Allocations::instance() {
  return leaked<AfterFork::make_again>([] { return new Allocations; });
}

// Drivers align device memory to 256 bytes at least, and pinned memory to pages.
constexpr std::size_t pinned_alignment = 4096;

static Result<std::shared_ptr<Buffer>> memory_in_space(const AllocationRequest &request,
                                                       const std::shared_ptr<MemorySpace> &space) {
  const bool is_on_device = request.kind == AllocationKind::device;
  if (const std::size_t most = is_on_device ? 256 : pinned_alignment; request.alignment > most)
    return Error{ErrorKind::unsupported, "the alignment " + std::to_string(request.alignment) +
                                             " is more than the " + std::to_string(most) +
                                             " bytes of memory for the device"};
  if (is_on_device)
    return Buffer::allocate_on(space, request.account, request.size);
  auto pinned = space->allocate_on_host(request.size);
  LOCKSTEP_TRY(pinned);
  auto made = Buffer::adopt(request.account, std::move(*pinned), request.size);
  if (made)
    (*made)->set_pinned();
  return made;
}

static Result<std::shared_ptr<Buffer>> memory_for(const AllocationRequest &request,
                                                  const std::shared_ptr<MemorySpace> &space) {
  if (space)
    return memory_in_space(request, space);
  if (auto memory = memory_observer().memory_for_allocation(request))
    return Buffer::adopt(request.account, std::move(memory), request.size);
  return Buffer::allocate(request.account, request.size, request.alignment);
}

Result<Allocations::Known> Allocations::allocate(const AllocationRequest &request) {
  if (request.size == 0)
    return Error{ErrorKind::invalid_argument, "the size is 0"};
  if (request.alignment != 0 && !std::has_single_bit(request.alignment))
    return Error{ErrorKind::invalid_argument,
                 "the alignment " + std::to_string(request.alignment) + " is not a power of two"};
  auto memory =
      memory_for(request, request.is_for_later_devices && request.alignment <= pinned_alignment
                              ? pinning_space()
                              : request.space);
  LOCKSTEP_TRY(memory);
  if (is_hosts_at_any_time(request.kind)) {
    (*memory)->set_shared_with_host();
    memory_observer().contents_are_hosts(**memory);
  } else {
    memory_observer().contents_are_undefined(**memory, 0);
  }
  auto known = std::make_shared<const Allocation>(
      Allocation{.kind = request.kind,
                 .alignment = request.alignment,
                 .memory = std::move(*memory),
                 .device = request.device,
                 .is_for_later_devices = request.is_for_later_devices,
                 .owner = request.owner,
                 .flags = request.flags,
                 .note = request.note});
  add(known);
  if (request.is_for_later_devices) // a device may have started meanwhile
    if (const auto space = pinning_space())
      if (auto pinned = pin(*known, *space); !pinned) {
        remove(known->begin());
        return pinned.take_error();
      }
  return known;
}

std::shared_ptr<MemorySpace> Allocations::pinning_space() const {
  const std::shared_lock lock(mutex_);
  return pinning_space_;
}

Result<void> Allocations::pin(const Allocation &allocation, MemorySpace &space) {
  const std::lock_guard lock(pin_mutex_);
  return allocation.memory->is_pinned() ? Result<void>() : allocation.memory->pin_in(space);
}

Result<void> Allocations::pin_for(const std::shared_ptr<MemorySpace> &space) {
  std::vector<Known> later;
  {
    const std::lock_guard lock(mutex_);
    pinning_space_ = space;
    for (const auto &[begin, known] : by_address_)
      if (known->is_for_later_devices)
        later.push_back(known);
  }
  for (const Known &known : later)
    LOCKSTEP_TRY(pin(*known, *space));
  return {};
}

bool Allocations::add(std::shared_ptr<Buffer> buffer) {
  return add(std::make_shared<const Allocation>(Allocation{.kind = AllocationKind::buffer,
                                                           .alignment = 0,
                                                           .memory = std::move(buffer),
                                                           .device = nullptr,
                                                           .is_for_later_devices = false,
                                                           .owner = nullptr,
                                                           .flags = 0,
                                                           .note = nullptr}));
}

bool Allocations::add(Known known) {
  std::lock_guard lock(mutex_);
  const auto begin = reinterpret_cast<uintptr_t>(known->begin());
  const auto [place, is_new] = by_address_.emplace(begin, std::move(known));
  if (is_new)
    place->second->memory->count_handles(1); // the list counts as one handle
  count_.store(by_address_.size(), std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
  return is_new;
}

Allocations::Known Allocations::find(const void *address) const {
  if (!any())
    return nullptr;
  std::shared_lock lock(mutex_);
  auto after = by_address_.upper_bound(reinterpret_cast<uintptr_t>(address));
  if (after == by_address_.begin())
    return nullptr;
  const Known &candidate = std::prev(after)->second;
  return candidate->holds(address, 1) ? candidate : nullptr;
}

Allocations::Known Allocations::remove(const void *begin) {
  std::unique_lock lock(mutex_);
  const auto found = by_address_.find(reinterpret_cast<uintptr_t>(begin));
  if (found == by_address_.end())
    return nullptr;
  Known known = std::move(found->second);
  by_address_.erase(found);
  count_.store(by_address_.size(), std::memory_order_release);
  version_.fetch_add(1, std::memory_order_release);
  known->memory->count_handles(-1);
  lock.unlock();
  if (const Removal removed = on_removal_.load())
    removed(known);
  return known;
}

Result<void> check_range(const void *address, std::size_t size) {
  const auto known = Allocations::instance().find(address);
  if (!known || !known->memory->only_place() || known->holds(address, size))
    return {};
  return Error{ErrorKind::invalid_argument,
               "the " + std::to_string(size) + " bytes from byte " +
                   std::to_string(static_cast<const std::byte *>(address) - known->begin()) +
                   " go beyond an allocation of " + std::to_string(known->size()) +
                   " bytes in the memory of a device"};
}

MemoryView view_at(const void *address, std::size_t size) {
  if (const auto known = Allocations::instance().find(address);
      known && known->holds(address, size))
    return {known->memory, std::size_t(static_cast<const std::byte *>(address) - known->begin()),
            size};
  return {memory_observer().as_commands_see(address), size};
}

// ---- CountsReach

constinit std::array<std::atomic<unsigned>, allocation_kinds> CountsReach::counts_{};

CountsReach::CountsReach(AllocationKinds kinds) : kinds_(kinds) {
  if (!kinds_) // the usual case
    return;
  for (unsigned kind = 0; kind < allocation_kinds; ++kind)
    if (kinds_ >> kind & 1)
      counts_[kind].fetch_add(1);
}

CountsReach::~CountsReach() {
  if (!kinds_)
    return;
  for (unsigned kind = 0; kind < allocation_kinds; ++kind)
    if (kinds_ >> kind & 1)
      counts_[kind].fetch_sub(1);
}

} // namespace lockstep::runtime

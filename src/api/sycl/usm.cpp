#include "api/sycl/usm.h"

#include "api/sycl/context.h"
#include "api/sycl/device.h"
#include "api/sycl/error.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/memory_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace sycl::usm {
enum class alloc : int { host, device, shared, unknown }; // as in sycl/usm.hpp
}

namespace lockstep::sycl_api {
namespace {

using runtime::AllocationKind;
using runtime::Allocations;
using sycl::usm::alloc;

// The context and device of an allocation.
struct Owner {
  sycl::detail::context_pointer context;
  sycl::detail::device_pointer device; // null: a host allocation
};

AllocationKind kind_of(alloc kind) {
  return kind == alloc::device ? AllocationKind::device
         : kind == alloc::host ? AllocationKind::host
                               : AllocationKind::shared;
}

bool is_usm(const runtime::Allocation &allocation) {
  return allocation.kind == AllocationKind::device || allocation.kind == AllocationKind::host ||
         allocation.kind == AllocationKind::shared;
}

// Null: `memory` is not an allocation of the context.
Allocations::Known find(const void *memory, const sycl::detail::context_pointer &context) {
  Allocations::Known found = Allocations::instance().find(memory);
  const bool is_own = found && is_usm(*found) &&
                      std::static_pointer_cast<const Owner>(found->owner)->context == context;
  return is_own ? found : nullptr;
}

// SYCL 2020 section 4.8.3.2 to 4.8.3.4
void check_aspect(const Device &device, alloc kind) {
  const auto [needed, name] =
      kind == alloc::device
          ? std::pair(sycl::aspect::usm_device_allocations, "usm_device_allocations")
      : kind == alloc::host
          ? std::pair(sycl::aspect::usm_host_allocations, "usm_host_allocations")
          : std::pair(sycl::aspect::usm_shared_allocations, "usm_shared_allocations");
  if (!device.has(needed))
    raise(sycl::errc::feature_not_supported,
          fmt::format("memory is allocated for {}, which does not have aspect::{} (SYCL 2020 "
                      "section 4.8.3)",
                      device.runtime().description().name, name));
}

} // namespace

void *allocate_usm(std::size_t bytes, std::size_t alignment,
                   const sycl::detail::context_pointer &context,
                   const sycl::detail::device_pointer &device, alloc kind) {
  if (kind == alloc::unknown)
    return nullptr;
  const Context &own = static_cast<const Context &>(*context);
  if (device && !own.has(device))
    raise(sycl::errc::invalid, "memory is allocated for a device that is not in the context (SYCL "
                               "2020 section 4.8.3)");
  const sycl::detail::device_pointer first = device ? device : own.first();
  const Device &on = device_behind(first);
  check_aspect(on, kind);
  auto made = Allocations::instance().allocate(
      {.kind = kind_of(kind),
       .size = std::max<std::size_t>(bytes, 1),
       .alignment = alignment,
       .account = on.runtime().memory(),
       .device = device ? on.shared_runtime() : nullptr,
       .space = kind == alloc::device ? on.runtime().memory_space() : nullptr,
       .is_for_later_devices = kind != alloc::device && own.may_have_cards(),
       .owner = std::make_shared<const Owner>(Owner{context, device})});
  return made ? (*made)->begin() : nullptr;
}

void free_usm(void *memory, const sycl::detail::context_pointer &context) {
  if (!memory)
    return;
  const Allocations::Known found = find(memory, context);
  if (!found && fork_generation() != 0)
    return; // allocated before fork(): the parent frees it
  if (!found || found->begin() != memory)
    raise(sycl::errc::invalid, "sycl::free is given memory that was not allocated from its "
                               "context (SYCL 2020 section 4.8.3.6)");
  (void)Allocations::instance().remove(memory);
}

alloc kind_of_usm(const void *memory, const sycl::detail::context_pointer &context) {
  const Allocations::Known found = find(memory, context);
  if (!found)
    return alloc::unknown;
  return found->kind == AllocationKind::device ? alloc::device
         : found->kind == AllocationKind::host ? alloc::host
                                               : alloc::shared;
}

sycl::detail::device_pointer device_of_usm(const void *memory,
                                           const sycl::detail::context_pointer &context) {
  const Allocations::Known found = find(memory, context);
  if (!found)
    raise(sycl::errc::invalid, "get_pointer_device is given memory that was not allocated from the "
                               "context (SYCL 2020 section 4.8.4)");
  const auto &device = std::static_pointer_cast<const Owner>(found->owner)->device;
  return device ? device : static_cast<const Context &>(*context).first();
}

} // namespace lockstep::sycl_api

// Allocations of cl_intel_unified_shared_memory and their queries. A CPU device supports everything
// that the extension queries; the three types differ only in their guarantees. A card has memory of
// its own for device allocations, and accesses pinned memory of the host for the others.
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"
#include "api/opencl/shared_memory.h"

#include <bit>
#include <chrono>
#include <thread>

namespace lockstep::opencl {
namespace {

using runtime::AllocationKind;
using runtime::Allocations;

constexpr const char *section = "section 5.X of cl_intel_unified_shared_memory";
// The extension limits alignments to the largest type, 128 bytes. Other drivers do not, and chipStar
// allocates HIP's host memory by pages.
constexpr size_t largest_alignment = 4096;

struct Wanted {
  AllocationKind kind;
  cl_context context;
  cl_device_id device; // null if any
  const cl_mem_properties_intel *properties;
  size_t size;
  cl_uint alignment;
};

Check read_properties(const Wanted &wanted, cl_mem_alloc_flags_intel &flags) {
  constexpr cl_mem_alloc_flags_intel placement =
      CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;
  constexpr cl_mem_alloc_flags_intel known = CL_MEM_ALLOC_WRITE_COMBINED_INTEL | placement;
  bool has_flags = false;
  for (const auto *property = wanted.properties; property && *property; property += 2) {
    if (*property != CL_MEM_ALLOC_FLAGS_INTEL)
      return failure(CL_INVALID_PROPERTY, "properties has {:#x}, which is not supported ({})",
                     *property, section);
    if (std::exchange(has_flags, true))
      return failure(CL_INVALID_PROPERTY, "properties has CL_MEM_ALLOC_FLAGS_INTEL twice ({})",
                     section);
    flags = property[1];
    if (flags & ~known)
      return failure(CL_INVALID_PROPERTY,
                     "CL_MEM_ALLOC_FLAGS_INTEL has bits {:#x}, which are not flags ({})",
                     flags & ~known, section);
    if ((flags & placement) && wanted.kind != AllocationKind::shared)
      return failure(CL_INVALID_PROPERTY,
                     "CL_MEM_ALLOC_FLAGS_INTEL says where to place the allocation first, which is "
                     "for shared ones only ({})",
                     section);
    if ((flags & placement) == placement)
      return failure(CL_INVALID_PROPERTY,
                     "CL_MEM_ALLOC_FLAGS_INTEL has two places for the allocation ({})", section);
  }
  return {};
}

Check check_size(const Wanted &wanted) {
  if (wanted.alignment != 0 &&
      (!std::has_single_bit(wanted.alignment) || wanted.alignment > largest_alignment))
    return failure(CL_INVALID_VALUE, "alignment is {}, not a power of two up to {} ({})",
                   wanted.alignment, largest_alignment, section);
  if (wanted.size == 0)
    return failure(CL_INVALID_BUFFER_SIZE, "size is 0 ({})", section);
  for (const Ref<_cl_device_id> &device : wanted.context->devices) {
    const uint64_t most = device->device->limits().max_allocation_bytes;
    if (wanted.size > most && (!wanted.device || device.get() == wanted.device))
      return failure(CL_INVALID_BUFFER_SIZE,
                     "size is {}, more than CL_DEVICE_MAX_MEM_ALLOC_SIZE, {} ({})", wanted.size,
                     most, section);
  }
  return {};
}

Check check_device(const Wanted &wanted, bool needs_device) {
  if ((needs_device || wanted.device) &&
      (!is_valid(wanted.device) || !wanted.context->has_device(wanted.device)))
    return failure(CL_INVALID_DEVICE, "device is not a valid device of context ({})", section);
  if (wanted.device ? !shares_allocations(*wanted.device) : !shares_allocations(*wanted.context))
    return failure(CL_INVALID_OPERATION, "{} no unified shared memory ({})",
                   wanted.device ? "device has" : "the devices of context have", section);
  return {};
}

void *allocate(const char *function, const Wanted &wanted, cl_int *errcode_ret) {
  EntryPoint api(function, errcode_ret);
  if (!is_valid(wanted.context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(wanted.context);
  if (Check broken = check_device(wanted, wanted.kind == AllocationKind::device))
    return api.fail(broken);
  cl_mem_alloc_flags_intel flags = 0;
  if (Check broken = read_properties(wanted, flags))
    return api.fail(broken);
  if (Check broken = check_size(wanted))
    return api.fail(broken);
  cl_device_id device = wanted.device ? wanted.device : wanted.context->devices.front().get();
  auto made = Allocations::instance().allocate(
      {.kind = wanted.kind,
       .size = wanted.size,
       .alignment = wanted.alignment,
       .account = device->device->memory(),
       .device = wanted.device ? wanted.device->device : nullptr,
       .space = space_for(*wanted.context, wanted.device, wanted.kind),
       .owner = owner_of(wanted.context),
       .flags = flags});
  if (!made)
    return api.fail(CL_OUT_OF_RESOURCES, "{} ({})", made.error().message, section);
  return api.success(static_cast<void *>((*made)->begin()));
}

// Returns the allocation of this context that contains the address, or null.
Allocations::Known find(cl_context context, const void *address) {
  auto known = Allocations::instance().find(address);
  return known && is_usm(*known) && known->owner.get() == context ? known : nullptr;
}

// Waits for all commands that name the allocation, and for all launches that may access such memory
// without naming it.
void wait_until_unused(const runtime::Allocation &allocation) {
  using namespace std::chrono_literals;
  const auto &memory = allocation.memory;
  for (auto pause = 10us;
       memory.use_count() > memory->handles() || runtime::CountsReach::count(allocation.kind) > 0;
       pause = std::min<std::chrono::microseconds>(2 * pause, 1ms))
    std::this_thread::sleep_for(pause);
}

cl_int free_memory(const char *function, cl_context context, const void *pointer, bool waits) {
  EntryPoint api(function);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  if (!pointer)
    return api.success();
  const auto known = find(context, pointer);
  if (!known || known->begin() != pointer)
    return api.fail(CL_INVALID_VALUE,
                    "ptr {} is not the beginning of an allocation of context ({})", pointer,
                    section);
  if (waits)
    wait_until_unused(*known);
  Allocations::instance().remove(pointer);
  return api.success();
}

struct Queried {
  cl_context context;
  Allocations::Known known;
};

cl_unified_shared_memory_type_intel type_of(const Queried &queried) {
  if (!queried.known)
    return CL_MEM_TYPE_UNKNOWN_INTEL;
  switch (queried.known->kind) {
  case AllocationKind::host:
    return CL_MEM_TYPE_HOST_INTEL;
  case AllocationKind::device:
    return CL_MEM_TYPE_DEVICE_INTEL;
  case AllocationKind::shared:
    return CL_MEM_TYPE_SHARED_INTEL;
  default:
    return CL_MEM_TYPE_UNKNOWN_INTEL;
  }
}

cl_device_id device_of(const Queried &queried) {
  if (queried.known && queried.known->device)
    for (const Ref<_cl_device_id> &device : queried.context->devices)
      if (device->device == queried.known->device)
        return device.get();
  return nullptr;
}

constexpr InfoRow<Queried> allocation_info[] = {
    row<Queried>(CL_MEM_ALLOC_TYPE_INTEL, [](auto &queried) { return type_of(queried); }),
    row<Queried>(
        CL_MEM_ALLOC_BASE_PTR_INTEL,
        [](auto &queried) -> void * { return queried.known ? queried.known->begin() : nullptr; }),
    row<Queried>(CL_MEM_ALLOC_SIZE_INTEL,
                 [](auto &queried) -> size_t { return queried.known ? queried.known->size() : 0; }),
    row<Queried>(CL_MEM_ALLOC_DEVICE_INTEL, [](auto &queried) { return device_of(queried); }),
    row<Queried>(CL_MEM_ALLOC_FLAGS_INTEL,
                 [](auto &queried) -> cl_mem_alloc_flags_intel {
                   return queried.known ? queried.known->flags : 0;
                 }),
};

} // namespace

void *clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                          size_t size, cl_uint alignment, cl_int *errcode_ret) {
  return allocate("clHostMemAllocINTEL",
                  {AllocationKind::host, context, nullptr, properties, size, alignment},
                  errcode_ret);
}

void *clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                            const cl_mem_properties_intel *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) {
  return allocate("clDeviceMemAllocINTEL",
                  {AllocationKind::device, context, device, properties, size, alignment},
                  errcode_ret);
}

void *clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                            const cl_mem_properties_intel *properties, size_t size,
                            cl_uint alignment, cl_int *errcode_ret) {
  return allocate("clSharedMemAllocINTEL",
                  {AllocationKind::shared, context, device, properties, size, alignment},
                  errcode_ret);
}

cl_int clMemFreeINTEL(cl_context context, void *ptr) {
  return free_memory("clMemFreeINTEL", context, ptr, false);
}

cl_int clMemBlockingFreeINTEL(cl_context context, void *ptr) {
  return free_memory("clMemBlockingFreeINTEL", context, ptr, true);
}

cl_int clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_mem_info_intel param_name,
                              size_t param_value_size, void *param_value,
                              size_t *param_value_size_ret) {
  EntryPoint api("clGetMemAllocInfoINTEL");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  return read_info(api, allocation_info, Queried{context, find(context, ptr)},
                   {param_name, param_value_size, param_value, param_value_size_ret}, section);
}

} // namespace lockstep::opencl

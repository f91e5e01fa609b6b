// cl_khr_unified_svm, revision 0.9.0 of the registry; functions as in its working draft.
#include "api/opencl/unified_svm.h"

#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/info.h"
#include "api/opencl/shared_memory.h"
#include "platform/linux/leaked.h"

#include <algorithm>
#include <bit>

namespace lockstep::opencl {
namespace {

using runtime::AllocationKind;
using runtime::Allocations;
using Capabilities = cl_svm_capabilities_khr;

constexpr const char *section = "section 5.6 with cl_khr_unified_svm";

constexpr Capabilities device_access =
    CL_SVM_CAPABILITY_SINGLE_ADDRESS_SPACE_KHR | CL_SVM_CAPABILITY_DEVICE_READ_KHR |
    CL_SVM_CAPABILITY_DEVICE_WRITE_KHR | CL_SVM_CAPABILITY_DEVICE_ATOMIC_ACCESS_KHR |
    CL_SVM_CAPABILITY_INDIRECT_ACCESS_KHR;
constexpr Capabilities of_context =
    CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR | CL_SVM_CAPABILITY_CONTEXT_ACCESS_KHR;
constexpr Capabilities at_any_time =
    CL_SVM_CAPABILITY_HOST_READ_KHR | CL_SVM_CAPABILITY_HOST_WRITE_KHR |
    CL_SVM_CAPABILITY_HOST_MAP_KHR | CL_SVM_CAPABILITY_CONCURRENT_ACCESS_KHR |
    CL_SVM_CAPABILITY_CONCURRENT_ATOMIC_ACCESS_KHR;

struct Properties {
  std::vector<cl_svm_alloc_properties_khr> list;
  cl_device_id device = nullptr;
  cl_svm_alloc_access_flags_khr access = 0;
  size_t alignment = 0;
};

Check read_property(cl_context context, cl_svm_alloc_properties_khr name,
                    cl_svm_alloc_properties_khr value, Properties &to) {
  constexpr cl_svm_alloc_access_flags_khr known =
      CL_SVM_ALLOC_ACCESS_HOST_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_HOST_NOWRITE_KHR |
      CL_SVM_ALLOC_ACCESS_DEVICE_NOREAD_KHR | CL_SVM_ALLOC_ACCESS_DEVICE_NOWRITE_KHR;
  switch (name) {
  case CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR:
    to.device = reinterpret_cast<cl_device_id>(value);
    if (value != 0 && (!is_valid(to.device) || !context->has_device(to.device)))
      return failure(CL_INVALID_PROPERTY,
                     "CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR is {:#x}, which is not a device of "
                     "context ({})",
                     value, section);
    return {};
  case CL_SVM_ALLOC_ACCESS_FLAGS_KHR:
    to.access = value;
    if (value & ~known)
      return failure(CL_INVALID_PROPERTY,
                     "CL_SVM_ALLOC_ACCESS_FLAGS_KHR has bits {:#x}, which are not flags ({})",
                     value & ~known, section);
    return {};
  case CL_SVM_ALLOC_ALIGNMENT_KHR:
    to.alignment = value;
    if (value != 0 && (!std::has_single_bit(value) || value > largest_type))
      return failure(CL_INVALID_PROPERTY,
                     "CL_SVM_ALLOC_ALIGNMENT_KHR is {}, not a power of two up to {} ({})", value,
                     largest_type, section);
    return {};
  }
  return failure(CL_INVALID_PROPERTY, "properties has {:#x}, which is not supported ({})", name,
                 section);
}

Check read_properties(cl_context context, const cl_svm_alloc_properties_khr *given,
                      Properties &to) {
  for (; given && *given; given += 2) {
    for (size_t i = 0; i < to.list.size(); i += 2)
      if (to.list[i] == *given)
        return failure(CL_INVALID_PROPERTY, "properties has {:#x} twice ({})", *given, section);
    if (Check broken = read_property(context, given[0], given[1], to))
      return broken;
    to.list.insert(to.list.end(), {given[0], given[1]});
  }
  if (given)
    to.list.push_back(0);
  return {};
}

Check check_type(cl_context context, cl_uint type, const Properties &properties) {
  if (type >= svm_types().size())
    return failure(CL_INVALID_VALUE, "svm_type_index is {}, and there are {} types ({})", type,
                   svm_types().size(), section);
  if (properties.device ? !shares_memory(*properties.device) : !shares_memory(*context))
    return failure(CL_INVALID_OPERATION, "{} no shared virtual memory ({})",
                   properties.device ? "the associated device has" : "the devices of context have",
                   section);
  if (!properties.device &&
      !(svm_types()[type].capabilities & CL_SVM_CAPABILITY_DEVICE_UNASSOCIATED_KHR))
    return failure(CL_INVALID_PROPERTY,
                   "memory of type {} belongs to a device, and properties has no "
                   "CL_SVM_ALLOC_ASSOCIATED_DEVICE_HANDLE_KHR ({})",
                   type, section);
  return {};
}

// The subject of a query. `known` is set only for allocations of the context.
struct Queried {
  cl_device_id device; // the device of the query; null: any
  Allocations::Known known;

  const SvmNote *note() const { return known ? note_of(*known) : nullptr; }
};

cl_uint type_of(const Queried &queried) {
  if (const SvmNote *note = queried.note())
    return note->type;
  for (cl_uint i = 0; queried.known && i < svm_types().size(); ++i)
    if (svm_types()[i].kind == queried.known->kind)
      return i;
  return CL_UINT_MAX;
}

Capabilities capabilities_of(const Queried &queried) {
  const cl_uint type = type_of(queried);
  if (type == CL_UINT_MAX || (queried.device && !shares_memory(*queried.device)))
    return 0;
  return svm_types()[type].capabilities;
}

constexpr InfoRow<Queried> pointer_info[] = {
    row<Queried>(CL_SVM_INFO_TYPE_INDEX_KHR, [](auto &queried) { return type_of(queried); }),
    row<Queried>(CL_SVM_INFO_CAPABILITIES_KHR,
                 [](auto &queried) { return capabilities_of(queried); }),
    row<Queried>(CL_SVM_INFO_PROPERTIES_KHR,
                 [](auto &queried) {
                   return queried.note() ? queried.note()->properties
                                         : std::vector<cl_svm_alloc_properties_khr>();
                 }),
    row<Queried>(CL_SVM_INFO_ACCESS_FLAGS_KHR,
                 [](auto &queried) -> cl_svm_alloc_access_flags_khr {
                   return queried.note() ? queried.note()->access : 0;
                 }),
    row<Queried>(
        CL_SVM_INFO_BASE_PTR_KHR,
        [](auto &queried) -> void * { return queried.known ? queried.known->begin() : nullptr; }),
    row<Queried>(CL_SVM_INFO_SIZE_KHR,
                 [](auto &queried) -> size_t { return queried.known ? queried.known->size() : 0; }),
    row<Queried>(CL_SVM_INFO_ASSOCIATED_DEVICE_HANDLE_KHR,
                 [](auto &queried) -> cl_device_id {
                   return queried.note() ? queried.note()->device : nullptr;
                 }),
};

} // namespace

// The kinds of clSVMAlloc precede other types with the same AllocationKind, because type_of()
// returns the first match.
const std::vector<SvmType> &svm_types() {
  return leaked([] {
    return std::vector<SvmType>{
        {device_access | of_context | CL_SVM_CAPABILITY_HOST_MAP_KHR, AllocationKind::coarse_svm},
        {device_access | of_context | at_any_time, AllocationKind::fine_svm},
        {device_access | CL_SVM_CAPABILITY_DEVICE_OWNED_KHR, AllocationKind::device},
        {device_access | of_context | at_any_time | CL_SVM_CAPABILITY_HOST_OWNED_KHR,
         AllocationKind::host},
        {device_access | at_any_time, AllocationKind::shared},
        {device_access | of_context | at_any_time | CL_SVM_CAPABILITY_SYSTEM_ALLOCATED_KHR,
         AllocationKind::fine_svm},
    };
  });
}

std::vector<Capabilities> svm_capabilities_of(const std::vector<SvmType> &types) {
  std::vector<Capabilities> all;
  for (const SvmType &type : types)
    all.push_back(type.capabilities);
  return all;
}

std::vector<Capabilities> svm_capabilities_of(const _cl_device_id &device) {
  return shares_memory(device) ? svm_capabilities_of(svm_types())
                               : std::vector<Capabilities>(svm_types().size(), 0);
}

bool can_be_mapped(const runtime::Allocation &allocation) {
  const SvmNote *note = note_of(allocation);
  return !note || (svm_types()[note->type].capabilities & CL_SVM_CAPABILITY_HOST_MAP_KHR);
}

void *clSVMAllocWithPropertiesKHR(cl_context context, const cl_svm_alloc_properties_khr *properties,
                                  cl_uint svm_type_index, size_t size, cl_int *errcode_ret) {
  EntryPoint api("clSVMAllocWithPropertiesKHR", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  Properties read;
  if (Check broken = read_properties(context, properties, read))
    return api.fail(broken);
  if (Check broken = check_type(context, svm_type_index, read))
    return api.fail(broken);
  if (size == 0) // null is the result for size 0, not an error
    return api.success(static_cast<void *>(nullptr));
  cl_device_id device = read.device ? read.device : context->devices.front().get();
  auto note = std::make_shared<const SvmNote>(
      SvmNote{svm_type_index, std::move(read.list), read.access, read.device});
  auto made = Allocations::instance().allocate(
      {.kind = svm_types()[svm_type_index].kind,
       .size = size,
       .alignment = read.alignment,
       .account = device->device->memory(),
       .device = read.device ? read.device->device : nullptr,
       .space = space_for(*context, read.device, svm_types()[svm_type_index].kind),
       .owner = owner_of(context),
       .flags = 0,
       .note = std::move(note)});
  if (!made)
    return api.fail(CL_OUT_OF_RESOURCES, "{} ({})", made.error().message, section);
  return api.success(static_cast<void *>((*made)->begin()));
}

cl_int clSVMFreeWithPropertiesKHR(cl_context context, const cl_svm_free_properties_khr *properties,
                                  cl_svm_free_flags_khr flags, void *ptr) {
  EntryPoint api("clSVMFreeWithPropertiesKHR");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  if (properties && *properties)
    return api.fail(CL_INVALID_PROPERTY, "properties has {:#x}; the extension defines none ({})",
                    *properties, section);
  if (flags != 0)
    return api.fail(CL_INVALID_VALUE, "flags is {:#x}; the extension defines none ({})", flags,
                    section);
  if (!ptr)
    return api.success();
  auto &allocations = Allocations::instance();
  const auto known = allocations.find(ptr);
  if (!known || !is_svm(*known) || known->begin() != ptr || known->owner.get() != context)
    return api.fail(CL_INVALID_VALUE, "ptr {} is not the beginning of SVM memory of context ({})",
                    ptr, section);
  allocations.remove(ptr);
  return api.success();
}

cl_int clGetSVMPointerInfoKHR(cl_context context, cl_device_id device, const void *ptr,
                              cl_svm_pointer_info_khr param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret) {
  EntryPoint api("clGetSVMPointerInfoKHR");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  if (device && (!is_valid(device) || !context->has_device(device)))
    return api.fail(CL_INVALID_DEVICE, "device is not a valid device of context ({})", section);
  auto known = Allocations::instance().find(ptr);
  if (known && (!is_svm(*known) || known->owner.get() != context))
    known = nullptr;
  return read_info(api, pointer_info, Queried{device, known},
                   {param_name, param_value_size, param_value, param_value_size_ret}, section);
}

// Considers the types that have all required capabilities. Of these it returns the one with the
// most desired capabilities, and among equals the one with the fewest capabilities in total. So a
// request that device-owned memory satisfies selects device-owned memory.
cl_int clGetSVMSuggestedTypeIndexKHR(cl_context context, Capabilities required_capabilities,
                                     Capabilities desired_capabilities,
                                     const cl_svm_alloc_properties_khr *properties, size_t,
                                     cl_uint *suggested_svm_type_index) {
  EntryPoint api("clGetSVMSuggestedTypeIndexKHR");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  Properties read;
  if (Check broken = read_properties(context, properties, read))
    return api.fail(broken);
  if (!suggested_svm_type_index)
    return api.fail(CL_INVALID_VALUE, "suggested_svm_type_index is null ({})", section);
  const bool shares = read.device ? shares_memory(*read.device) : shares_memory(*context);
  cl_uint best = CL_UINT_MAX;
  int most = 0, least = 0;
  for (cl_uint i = 0; shares && i < svm_types().size(); ++i) {
    const Capabilities has = svm_types()[i].capabilities;
    if ((has & required_capabilities) != required_capabilities)
      continue;
    const int desired = std::popcount(has & desired_capabilities), all = std::popcount(has);
    if (best == CL_UINT_MAX || desired > most || (desired == most && all < least))
      best = i, most = desired, least = all;
  }
  *suggested_svm_type_index = best;
  return api.success();
}

} // namespace lockstep::opencl

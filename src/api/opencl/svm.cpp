// clSVMAlloc and clSVMFree (OpenCL 3.0 API section 5.6.1).
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/shared_memory.h"

#include <bit>

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section 5.6.1";
constexpr cl_svm_mem_flags sharing_flags = CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS;

Check check_allocation(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  if (!shares_allocations(*context))
    return failure(CL_INVALID_OPERATION, "no device of context has shared virtual memory ({})",
                   section);
  if (flags & ~(kernel_access_flags | sharing_flags))
    return failure(CL_INVALID_VALUE, "flags has bits {:#x}, which are not flags of SVM memory ({})",
                   flags & ~(kernel_access_flags | sharing_flags), section);
  if (Check broken = check_memory_flags(flags & kernel_access_flags))
    return broken;
  if ((flags & CL_MEM_SVM_ATOMICS) && !(flags & CL_MEM_SVM_FINE_GRAIN_BUFFER))
    return failure(CL_INVALID_VALUE,
                   "flags has CL_MEM_SVM_ATOMICS without CL_MEM_SVM_FINE_GRAIN_BUFFER ({})",
                   section);
  if ((flags & CL_MEM_SVM_FINE_GRAIN_BUFFER) && !shares_memory(*context))
    return failure(CL_INVALID_VALUE,
                   "flags has CL_MEM_SVM_FINE_GRAIN_BUFFER, and no device of context has such "
                   "memory ({})",
                   section);
  if (size == 0)
    return failure(CL_INVALID_BUFFER_SIZE, "size is 0 ({})", section);
  for (const Ref<_cl_device_id> &device : context->devices)
    if (const uint64_t most = device->device->limits().max_allocation_bytes; size > most)
      return failure(CL_INVALID_BUFFER_SIZE,
                     "size is {}, more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of a device, {} ({})",
                     size, most, section);
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment > largest_type))
    return failure(CL_INVALID_VALUE, "alignment is {}, not a power of two up to {} ({})", alignment,
                   largest_type, section);
  return {};
}

} // namespace

void *clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  EntryPoint api("clSVMAlloc");
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
  api.report_to(context);
  if (Check broken = check_allocation(context, flags, size, alignment))
    return api.fail(broken);
  const auto kind = flags & CL_MEM_SVM_FINE_GRAIN_BUFFER ? runtime::AllocationKind::fine_svm
                                                         : runtime::AllocationKind::coarse_svm;
  auto made = runtime::Allocations::instance().allocate(
      {.kind = kind,
       .size = size,
       .alignment = alignment,
       .account = context->devices.front()->device->memory(),
       .space = space_for(*context, nullptr, kind),
       .owner = owner_of(context),
       .flags = flags});
  if (!made)
    return api.fail(CL_OUT_OF_RESOURCES, "{} ({})", made.error().message, section);
  return (*made)->begin();
}

// The function returns nothing, but reports errors to pfn_notify.
void clSVMFree(cl_context context, void *svm_pointer) {
  EntryPoint api("clSVMFree");
  if (!is_valid(context)) {
    api.fail(CL_INVALID_CONTEXT, "context is not a valid context ({})", section);
    return;
  }
  api.report_to(context);
  auto &allocations = runtime::Allocations::instance();
  const auto known = allocations.find(svm_pointer);
  if (known && is_svm(*known) && known->begin() == svm_pointer && known->owner.get() == context)
    allocations.remove(svm_pointer);
  else if (svm_pointer)
    api.fail(CL_INVALID_VALUE, "svm_pointer {} is not from clSVMAlloc with this context ({})",
             svm_pointer, section);
}

} // namespace lockstep::opencl

// clCreateBuffer*, clCreateSubBuffer, clRetainMemObject, clReleaseMemObject and
// clSetMemObjectDestructorCallback.
#include "api/opencl/memory.h"

#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/memory_properties.h"
#include "api/opencl/shared_memory.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"
#include "runtime/threads/callback_thread.h"

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>

using lockstep::opencl::Ref;

_cl_mem::_cl_mem(cl_context memory_context, cl_mem parent_buffer, cl_mem_flags memory_flags,
                 void *user_memory, std::vector<cl_mem_properties> property_list,
                 std::shared_ptr<lockstep::runtime::Buffer> storage,
                 std::unique_ptr<const lockstep::opencl::Image> what_it_shows)
    : context(memory_context), parent(parent_buffer), flags(memory_flags),
      host_pointer(user_memory), properties(std::move(property_list)), buffer(std::move(storage)),
      image(std::move(what_it_shows)) {
  buffer->count_handles(1);
}

// The destructor callbacks receive the handle, so its memory must not be reused before they ran.
void _cl_mem::end() {
  buffer->count_handles(-1);
  if (is_listed_)
    lockstep::runtime::Allocations::instance().remove(buffer->data());
  const auto last = std::move(buffer);
  last->set_end([this] { lockstep::opencl::destroy_object(this); });
}

// The address may not be listed, because another buffer or allocation at the program's memory may
// be listed there already.
void _cl_mem::give_address() {
  has_address_ = true;
  is_listed_ = lockstep::runtime::Allocations::instance().add(buffer);
}

void _cl_mem::use(std::shared_ptr<const lockstep::runtime::Allocation> allocation) {
  allocation_ = std::move(allocation);
  if (allocation_)
    allocation_->memory->count_aliases(1);
}

_cl_mem::~_cl_mem() {
  if (allocation_)
    allocation_->memory->count_aliases(-1);
}

namespace lockstep::opencl {
namespace {

// Finds the allocation that contains `host_ptr`. It must contain the whole buffer.
Check find_allocation(size_t size, const void *host_ptr, runtime::Allocations::Known &known) {
  known = host_ptr ? runtime::Allocations::instance().find(host_ptr) : nullptr;
  if (!known || known->kind == runtime::AllocationKind::buffer) {
    known = nullptr;
    return {};
  }
  if (is_devices_only(*known))
    return failure(CL_INVALID_HOST_PTR,
                   "host_ptr is an address of a device, which the host cannot access (section "
                   "5.2.1)");
  if (!known->holds(host_ptr, size))
    return failure(CL_INVALID_BUFFER_SIZE,
                   "size is {}, but host_ptr is in an allocation of {} bytes, at byte {} "
                   "(section 5.2.1)",
                   size, known->size(), static_cast<const std::byte *>(host_ptr) - known->begin());
  return {};
}

// CL_MEM_ALLOC_HOST_PTR asks for memory that the host can access. Where a card uses it too, it is
// pinned, if the system allows that, so that the card transfers it without a copy on the host.
Result<std::shared_ptr<runtime::Buffer>> allocate(const _cl_context &context, cl_mem_flags flags,
                                                  size_t size) {
  const auto &account = context.devices.front()->device->memory();
  const auto space = flags & CL_MEM_ALLOC_HOST_PTR
                         ? space_for(context, nullptr, runtime::AllocationKind::host)
                         : nullptr;
  if (space)
    if (auto pinned = space->allocate_on_host(size))
      return runtime::Buffer::adopt(account, std::move(*pinned), size);
  return runtime::Buffer::allocate_observed(account, size);
}

uint64_t max_allocation(cl_context context) {
  uint64_t bytes = 0;
  for (const Ref<_cl_device_id> &device : context->devices)
    bytes = std::max(bytes, device->device->limits().max_allocation_bytes);
  return bytes;
}

Check check_buffer(cl_context context, cl_mem_flags flags, size_t size, const void *host_ptr) {
  if (Check broken = check_memory_flags(flags))
    return broken;
  if (size == 0)
    return failure(CL_INVALID_BUFFER_SIZE, "size is 0 (section 5.2.1)");
  if (size > max_allocation(context))
    return failure(
        CL_INVALID_BUFFER_SIZE,
        "size is {}, more than CL_DEVICE_MAX_MEM_ALLOC_SIZE of every device, {} (section 5.2.1)",
        size, max_allocation(context));
  bool needs_pointer = flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
  if (needs_pointer && !host_ptr)
    return failure(CL_INVALID_HOST_PTR, "host_ptr is null, but flags has CL_MEM_USE_HOST_PTR or "
                                        "CL_MEM_COPY_HOST_PTR (section 5.2.1)");
  if (!needs_pointer && host_ptr)
    return failure(CL_INVALID_HOST_PTR,
                   "host_ptr is not null, but flags has neither CL_MEM_USE_HOST_PTR nor "
                   "CL_MEM_COPY_HOST_PTR (section 5.2.1)");
  return {};
}

cl_mem create_buffer(EntryPoint &api, cl_context context, const cl_mem_properties *properties,
                     cl_mem_flags flags, size_t size, void *host_ptr) {
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.2.1)");
  api.report_to(context);
  MemoryProperties given;
  if (Check broken =
          read_properties(context, MemoryObject::buffer, properties, "section 5.2.1", given))
    return api.fail(broken);
  if (Check broken = check_external(given, flags, host_ptr, "section 5.2.1"))
    return api.fail(broken);
  if (Check broken = check_buffer(context, flags, size, host_ptr))
    return api.fail(broken);
  if (Check broken = check_contents(flags, given.external.has_value(), "section 5.2.1"))
    return api.fail(broken);
  runtime::Allocations::Known allocation;
  if (Check broken = find_allocation(size, host_ptr, allocation))
    return api.fail(broken);
  std::shared_ptr<runtime::ImportedMemory> imported;
  if (given.external)
    if (Check broken = import_memory(*given.external, size, "section 5.2.1", imported))
      return api.fail(broken);

  bool uses_host_pointer = flags & CL_MEM_USE_HOST_PTR;
  auto storage = uses_host_pointer ? runtime::Buffer::wrap(host_ptr, size)
                 : imported        ? share_memory(imported, size)
                                   : allocate(*context, flags, size);
  if (!storage)
    return api.fail(CL_MEM_OBJECT_ALLOCATION_FAILURE, "{} (section 5.2.1)",
                    storage.error().message);
  // A buffer on an allocation that a card accesses by its address is that memory there, too: kernels
  // may store pointers into it (section 5.6).
  if (uses_host_pointer && allocation && allocation->memory->is_pinned())
    (*storage)->set_pinned();
  if (flags & CL_MEM_COPY_HOST_PTR)
    std::memcpy((*storage)->data(), host_ptr, size);
  if (!host_ptr && !imported)
    runtime::memory_observer().contents_are_undefined(**storage, 0);
  else if (flags & CL_MEM_COPY_HOST_PTR)
    runtime::memory_observer().contents_are_defined(**storage);
  cl_mem memory = create_object<_cl_mem>(context, nullptr, complete_flags(flags),
                                         uses_host_pointer ? host_ptr : nullptr,
                                         std::move(given.list), std::move(*storage));
  if (uses_host_pointer)
    memory->use(std::move(allocation));
  if (imported) {
    imported->take_descriptor();
    memory->external = External{std::move(imported), std::move(given.devices)};
  }
  if (given.has_address)
    memory->give_address();
  return api.success(memory);
}

bool is_aligned_for_some_device(cl_context context, size_t origin) {
  return std::ranges::any_of(context->devices, [&](const Ref<_cl_device_id> &device) {
    return origin % device->device->limits().base_address_align_bytes == 0;
  });
}

Check check_sub_buffer(cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type,
                       const void *create_info) {
  if (Check broken = check_sub_buffer_flags(buffer->flags, flags))
    return broken;
  if (type != CL_BUFFER_CREATE_TYPE_REGION)
    return failure(CL_INVALID_VALUE,
                   "buffer_create_type is {:#x}, not CL_BUFFER_CREATE_TYPE_REGION (section 5.2.1)",
                   type);
  if (!create_info)
    return failure(CL_INVALID_VALUE, "buffer_create_info is null (section 5.2.1)");
  auto region = *static_cast<const cl_buffer_region *>(create_info);
  if (region.origin > buffer->size() || region.size > buffer->size() - region.origin)
    return failure(
        CL_INVALID_VALUE,
        "the region of {} bytes at origin {} is not inside the buffer of {} bytes (section 5.2.1)",
        region.size, region.origin, buffer->size());
  if (region.size == 0)
    return failure(CL_INVALID_BUFFER_SIZE, "the size of the region is 0 (section 5.2.1)");
  if (!is_aligned_for_some_device(buffer->context.get(), region.origin))
    return failure(
        CL_MISALIGNED_SUB_BUFFER_OFFSET,
        "origin {} is aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN of no device (section 5.2.1)",
        region.origin);
  return {};
}

} // namespace

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                      cl_int *errcode_ret) {
  EntryPoint api("clCreateBuffer", errcode_ret);
  return create_buffer(api, context, nullptr, flags, size, host_ptr);
}

cl_mem clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                    cl_mem_flags flags, size_t size, void *host_ptr,
                                    cl_int *errcode_ret) {
  EntryPoint api("clCreateBufferWithProperties", errcode_ret);
  return create_buffer(api, context, properties, flags, size, host_ptr);
}

cl_mem clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                         cl_buffer_create_type buffer_create_type, const void *buffer_create_info,
                         cl_int *errcode_ret) {
  EntryPoint api("clCreateSubBuffer", errcode_ret);
  if (!is_valid(buffer) || !buffer->is_buffer())
    return api.fail(CL_INVALID_MEM_OBJECT, "buffer is not a valid buffer (section 5.2.1)");
  api.report_to(buffer->context.get());
  if (buffer->parent)
    return api.fail(CL_INVALID_MEM_OBJECT, "buffer is a sub-buffer itself (section 5.2.1)");
  if (Check broken = check_sub_buffer(buffer, flags, buffer_create_type, buffer_create_info))
    return api.fail(broken);

  auto region = *static_cast<const cl_buffer_region *>(buffer_create_info);
  auto storage = runtime::Buffer::sub_buffer(buffer->buffer, region.origin, region.size);
  if (!storage)
    return api.fail(storage.error());
  void *host_pointer = buffer->host_pointer
                           ? static_cast<std::byte *>(buffer->host_pointer) + region.origin
                           : nullptr;
  return api.success(create_object<_cl_mem>(buffer->context.get(), buffer,
                                            inherit_flags(buffer->flags, flags), host_pointer,
                                            std::vector<cl_mem_properties>{}, std::move(*storage)));
}

cl_int clRetainMemObject(cl_mem memobj) {
  EntryPoint api("clRetainMemObject");
  if (!is_valid(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT, "memobj is not a valid memory object (section 5.5.1)");
  retain(memobj);
  return api.success();
}

cl_int clReleaseMemObject(cl_mem memobj) {
  EntryPoint api("clReleaseMemObject");
  if (!is_valid(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT, "memobj is not a valid memory object (section 5.5.1)");
  if (!release(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT,
                    "memobj was released as often as it was retained (section 5.5.1)");
  return api.success();
}

cl_int clSetMemObjectDestructorCallback(cl_mem memobj,
                                        void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                        void *user_data) {
  EntryPoint api("clSetMemObjectDestructorCallback");
  if (!is_valid(memobj))
    return api.fail(CL_INVALID_MEM_OBJECT, "memobj is not a valid memory object (section 5.5.1)");
  api.report_to(memobj->context.get());
  if (!pfn_notify)
    return api.fail(CL_INVALID_VALUE, "pfn_notify is null (section 5.5.1)");
  if (auto started = runtime::start_callback_thread(); !started)
    return api.fail(CL_OUT_OF_RESOURCES, "{} (section 5.5.1)", started.error().message);
  memobj->buffer->add_destructor_callback([=] { pfn_notify(memobj, user_data); });
  return api.success();
}

} // namespace lockstep::opencl

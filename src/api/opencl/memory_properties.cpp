#include "api/opencl/memory_properties.h"

#include "api/opencl/device.h"
#include "api/opencl/extension_types.h"
#include "api/opencl/memory_flags.h"
#include "api/opencl/object.h"
#include "api/opencl/shared_memory.h"

#include <algorithm>
#include <string>

namespace lockstep::opencl {
namespace {

std::string in_words(cl_mem_properties name) {
  switch (name) {
  case CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR:
    return "CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR";
  case CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR:
    return "CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR";
  case CL_MEM_DEVICE_HANDLE_LIST_KHR:
    return "CL_MEM_DEVICE_HANDLE_LIST_KHR";
  case CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT:
    return "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT";
  }
  return fmt::format("{:#x}", name);
}

class Reader {
public:
  Reader(cl_context context, MemoryObject object, const cl_mem_properties *given,
         const char *section, MemoryProperties &to)
      : context_(context), object_(object), next_(given), section_(section), to_(to) {}

  Check read() {
    if (!next_)
      return {};
    while (*next_)
      if (Check broken = read_one())
        return broken;
    to_.list.push_back(0);
    if (has_list_ && !to_.external)
      return failure(CL_INVALID_PROPERTY,
                     "properties has CL_MEM_DEVICE_HANDLE_LIST_KHR, but no external memory handle "
                     "({})",
                     section_);
    if (to_.has_address && !shares_memory(*context_))
      return failure(CL_INVALID_OPERATION,
                     "properties has CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, and no device of context "
                     "has cl_ext_buffer_device_address ({})",
                     section_);
    return {};
  }

private:
  Check read_one() {
    const cl_mem_properties name = *next_;
    if (std::ranges::find(names_, name) != names_.end())
      return failure(CL_INVALID_PROPERTY, "properties has {} twice ({})", in_words(name), section_);
    names_.push_back(name);
    to_.list.push_back(*next_++);
    switch (name) {
    case CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR:
      return read_handle(runtime::ImportKind::shared_file);
    case CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR:
      return read_handle(runtime::ImportKind::dma_buf);
    case CL_MEM_DEVICE_HANDLE_LIST_KHR:
      return read_devices();
    case CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT:
      if (object_ == MemoryObject::buffer)
        return read_has_address();
    }
    return failure(CL_INVALID_PROPERTY,
                   "properties has {:#x}, which is not a supported property ({})", name, section_);
  }

  Check read_has_address() {
    const cl_mem_properties value = *next_++;
    to_.list.push_back(value);
    if (value != CL_TRUE && value != CL_FALSE)
      return failure(CL_INVALID_PROPERTY,
                     "CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT is {}, neither CL_TRUE nor CL_FALSE ({})",
                     value, section_);
    to_.has_address = value == CL_TRUE;
    return {};
  }

  Check read_handle(runtime::ImportKind kind) {
    if (to_.external)
      return failure(CL_INVALID_PROPERTY,
                     "properties has more than one external memory handle ({})", section_);
    to_.external = ExternalHandle{kind, static_cast<int>(*next_)};
    to_.list.push_back(*next_++);
    return {};
  }

  // The property is a list with its own terminator.
  Check read_devices() {
    has_list_ = true;
    for (; *next_ != CL_MEM_DEVICE_HANDLE_LIST_END_KHR; ++next_) {
      auto *const device = reinterpret_cast<cl_device_id>(*next_);
      if (!is_valid(device) || !context_->has_device(device))
        return failure(CL_INVALID_DEVICE,
                       "properties lists {:#x}, which is not a device of context ({})", *next_,
                       section_);
      to_.list.push_back(*next_);
      to_.devices.push_back(device);
    }
    to_.list.push_back(*next_++);
    if (to_.devices.empty())
      return failure(CL_INVALID_PROPERTY, "CL_MEM_DEVICE_HANDLE_LIST_KHR lists no device ({})",
                     section_);
    return {};
  }

  const cl_context context_;
  const MemoryObject object_;
  const cl_mem_properties *next_;
  const char *const section_;
  MemoryProperties &to_;
  std::vector<cl_mem_properties> names_;
  bool has_list_ = false;
};

} // namespace

Check read_properties(cl_context context, MemoryObject object, const cl_mem_properties *given,
                      const char *section, MemoryProperties &to) {
  if (Check broken = Reader(context, object, given, section, to).read())
    return broken;
  if (to.devices.empty())
    for (const Ref<_cl_device_id> &device : context->devices)
      to.devices.push_back(device.get());
  return {};
}

Check check_external(const MemoryProperties &properties, cl_mem_flags flags, const void *host_ptr,
                     const char *section) {
  if (!properties.external)
    return {};
  if (flags & host_pointer_flags)
    return failure(CL_INVALID_VALUE,
                   "flags has CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR or CL_MEM_COPY_HOST_PTR, "
                   "but properties has an external memory handle ({})",
                   section);
  if (host_ptr)
    return failure(CL_INVALID_HOST_PTR,
                   "host_ptr is not null, but properties has an external memory handle ({})",
                   section);
  return {};
}

Check import_memory(const ExternalHandle &handle, size_t size, const char *section,
                    std::shared_ptr<runtime::ImportedMemory> &to) {
  auto memory = runtime::ImportedMemory::map(handle.kind, handle.file, size);
  if (!memory)
    return failure(memory.error().kind == ErrorKind::out_of_host_memory
                       ? CL_MEM_OBJECT_ALLOCATION_FAILURE
                       : CL_INVALID_PROPERTY,
                   "the external memory handle {} cannot be imported: {} ({})", handle.file,
                   memory.error().message, section);
  to = std::move(*memory);
  return {};
}

Result<std::shared_ptr<runtime::Buffer>>
share_memory(std::shared_ptr<const runtime::ImportedMemory> memory, size_t size) {
  auto buffer = runtime::Buffer::wrap(memory->data(), size);
  if (buffer)
    (*buffer)->keep_beside(std::move(memory));
  return buffer;
}

} // namespace lockstep::opencl

// The properties for creating buffers and images (OpenCL 3.0 API sections 5.2.1 and 5.3.1). All of
// them come from extensions.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/error.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/imported_memory.h"

#include <CL/cl.h>

#include <memory>
#include <optional>
#include <vector>

namespace lockstep::opencl {

// cl_khr_external_memory: the handle of memory that another API or process made.
struct ExternalHandle {
  runtime::ImportKind kind;
  int file;
};

struct MemoryProperties {
  std::vector<cl_mem_properties> list; // as given, with the final 0; empty if null
  bool has_address = false;            // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
  std::optional<ExternalHandle> external;
  std::vector<cl_device_id> devices; // CL_MEM_DEVICE_HANDLE_LIST_KHR, or all devices of the context
};

enum class MemoryObject { buffer, image };
// Messages name `section`.
Check read_properties(cl_context context, MemoryObject object, const cl_mem_properties *given,
                      const char *section, MemoryProperties &to);
// Checks that the other arguments are compatible with an external handle.
Check check_external(const MemoryProperties &properties, cl_mem_flags flags, const void *host_ptr,
                     const char *section);
// Imports the memory. The file descriptor belongs to the program until the object exists, and to
// the object afterwards (section "File Descriptor Handle Types").
Check import_memory(const ExternalHandle &handle, size_t size, const char *section,
                    std::shared_ptr<runtime::ImportedMemory> &to);
// Makes a buffer on the imported bytes and keeps them mapped.
Result<std::shared_ptr<runtime::Buffer>>
share_memory(std::shared_ptr<const runtime::ImportedMemory> memory, size_t size);

} // namespace lockstep::opencl

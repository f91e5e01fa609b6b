// The properties that buffers and images are created with (OpenCL 3.0 API sections 5.2.1 and 5.3.1), all of extensions.
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

// cl_khr_external_memory: memory that somebody else made, as the program gives it.
struct ExternalHandle {
  runtime::ImportKind kind;
  int file;
};

struct MemoryProperties {
  std::vector<cl_mem_properties> list; // as given, with the final 0; empty if null
  bool has_address = false;            // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT
  std::optional<ExternalHandle> external;
  std::vector<cl_device_id> devices; // CL_MEM_DEVICE_HANDLE_LIST_KHR; else those of the context
};

enum class MemoryObject { buffer, image };
// `section` is named in sentences.
Check read_properties(cl_context context, MemoryObject object, const cl_mem_properties *given,
                      const char *section, MemoryProperties &to);
// What of the other arguments does not go with an external handle.
Check check_external(const MemoryProperties &properties, cl_mem_flags flags, const void *host_ptr,
                     const char *section);
// Whoever has made the object of it takes the descriptor (section "File Descriptor Handle Types"): the program's until then.
Check import_memory(const ExternalHandle &handle, size_t size, const char *section,
                    std::shared_ptr<runtime::ImportedMemory> &to);
// A buffer of those bytes, which keeps them mapped.
Result<std::shared_ptr<runtime::Buffer>>
share_memory(std::shared_ptr<const runtime::ImportedMemory> memory, size_t size);

} // namespace lockstep::opencl

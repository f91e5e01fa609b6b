// Memory objects: buffers, sub-buffers, images and pipes (OpenCL 3.0 API sections 5.2 to 5.5).
//
// runtime::Buffer owns the bytes, the destructor callbacks and the record of mapped regions.
// Commands use only that buffer; the handle exists until the buffer ends. This file holds the
// arguments with which the program created the object.
#pragma once

#include "api/opencl/context.h"
#include "api/opencl/error.h"
#include "api/opencl/object.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/buffer.h"
#include "runtime/memory/imported_memory.h"

#include <CL/cl.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace lockstep::opencl {
struct Image;
struct PipeShape {
  cl_uint packet_size, max_packets;
};
// cl_khr_external_memory: memory that is shared with another API or process.
struct External {
  std::shared_ptr<const runtime::ImportedMemory> memory;
  std::vector<cl_device_id> devices; // devices of the context for which the memory was imported
};
} // namespace lockstep::opencl

struct _cl_mem : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::memory;

  // `parent_buffer` is null unless the object is a sub-buffer or an image of another object.
  // `flags` include the inherited and the default flags.
  _cl_mem(cl_context memory_context, cl_mem parent_buffer, cl_mem_flags memory_flags,
          void *user_memory, std::vector<cl_mem_properties> property_list,
          std::shared_ptr<lockstep::runtime::Buffer> storage,
          std::unique_ptr<const lockstep::opencl::Image> what_it_shows = nullptr);

  void end(); // destroys the object when the buffer ends

  size_t size() const { return buffer->size(); }
  size_t offset() const { return buffer->offset_in_parent(); }
  std::byte *data() const { return buffer->data(); }
  // Returns the object that owns the storage: the outermost parent, or this object.
  const _cl_mem &root() const { return parent ? parent->root() : *this; }
  _cl_mem &root() { return parent ? parent->root() : *this; }

  const lockstep::opencl::Ref<_cl_context> context;
  const lockstep::opencl::Ref<_cl_mem> parent;
  const cl_mem_flags flags;
  // The pointer of CL_MEM_USE_HOST_PTR, plus the origin of a sub-buffer; else null.
  void *const host_pointer;
  const std::vector<cl_mem_properties> properties; // as given, with the final 0; empty if null

  // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: the program may query the address.
  bool has_address() const { return has_address_; }
  void give_address();
  // Retains the allocation that contains host_pointer, as long as this object exists.
  void use(std::shared_ptr<const lockstep::runtime::Allocation> allocation);
  ~_cl_mem();
  const lockstep::runtime::Allocation *allocation() const { return allocation_.get(); }

  std::shared_ptr<lockstep::runtime::Buffer> buffer;
  const std::unique_ptr<const lockstep::opencl::Image> image; // null if the object is not an image
  std::optional<lockstep::opencl::PipeShape> pipe;            // empty if the object is not a pipe
  std::optional<lockstep::opencl::External> external;
  bool is_buffer() const { return !image && !pipe; }
  const char *what() const { return image ? "an image" : pipe ? "a pipe" : "a buffer"; }

private:
  bool has_address_ = false, is_listed_ = false;
  std::shared_ptr<const lockstep::runtime::Allocation> allocation_;
};

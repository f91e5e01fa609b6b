// Memory objects: buffers, sub-buffers, images and pipes (OpenCL 3.0 API sections 5.2 to 5.5).
//
// The bytes are the runtime's (runtime::Buffer), and so are the destructor callbacks and the account
// of mapped regions. Commands use the buffer alone; the handle is there until that ends. Here stands
// what the program said when it made the object.
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
// cl_khr_external_memory: somebody else has the same bytes.
struct External {
  std::shared_ptr<const runtime::ImportedMemory> memory;
  std::vector<cl_device_id> devices; // of the context, that it was imported for
};
} // namespace lockstep::opencl

struct _cl_mem : lockstep::opencl::Object {
  static constexpr auto object_kind = lockstep::opencl::ObjectKind::memory;

  // `parent_buffer` is null unless the object is a sub-buffer, or an image made from another object;
  // `flags` are complete, inherited ones included.
  _cl_mem(cl_context memory_context, cl_mem parent_buffer, cl_mem_flags memory_flags,
          void *user_memory, std::vector<cl_mem_properties> property_list,
          std::shared_ptr<lockstep::runtime::Buffer> storage,
          std::unique_ptr<const lockstep::opencl::Image> what_it_shows = nullptr);

  void end(); // when the buffer ends

  size_t size() const { return buffer->size(); }
  size_t offset() const { return buffer->offset_in_parent(); }
  std::byte *data() const { return buffer->data(); }
  // The object that has the storage: that of the parent, if there is one.
  const _cl_mem &root() const { return parent ? parent->root() : *this; }
  _cl_mem &root() { return parent ? parent->root() : *this; }

  const lockstep::opencl::Ref<_cl_context> context;
  const lockstep::opencl::Ref<_cl_mem> parent;
  const cl_mem_flags flags;
  void *const host_pointer; // of CL_MEM_USE_HOST_PTR, the origin of a sub-buffer added; else null
  const std::vector<cl_mem_properties> properties; // as given, with the final 0; empty if null

  // CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT: the program may know the address.
  bool has_address() const { return has_address_; }
  void give_address();
  // The allocation that host_pointer is in, which stays as long as this.
  void use(std::shared_ptr<const lockstep::runtime::Allocation> allocation);
  ~_cl_mem();
  const lockstep::runtime::Allocation *allocation() const { return allocation_.get(); }

  std::shared_ptr<lockstep::runtime::Buffer> buffer;
  const std::unique_ptr<const lockstep::opencl::Image> image; // null: it is none
  std::optional<lockstep::opencl::PipeShape> pipe;            // null: it is none
  std::optional<lockstep::opencl::External> external;
  bool is_buffer() const { return !image && !pipe; }
  const char *what() const { return image ? "an image" : pipe ? "a pipe" : "a buffer"; }

private:
  bool has_address_ = false, is_listed_ = false;
  std::shared_ptr<const lockstep::runtime::Allocation> allocation_;
};

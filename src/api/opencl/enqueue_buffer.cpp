// clEnqueueReadBuffer, WriteBuffer, CopyBuffer and FillBuffer (OpenCL 3.0 API sections 5.2.2 and
// 5.2.3), and their counterparts for command buffers.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/record.h"
#include "runtime/memory/allocations.h"
#include "runtime/memory/transfers.h"

#include <bit>

namespace lockstep::opencl {
namespace {

// A read or write between a buffer and the host.
struct Transfer {
  static constexpr const char *section = "section 5.2.2";
  HostAccess access;
  cl_mem buffer;
  size_t offset, size;
  const void *host;
  cl_command_type type =
      access == HostAccess::read ? CL_COMMAND_READ_BUFFER : CL_COMMAND_WRITE_BUFFER;

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, buffer, "buffer", section))
      return broken;
    if (Check broken = check_inside(*buffer, "buffer", offset, size, section))
      return broken;
    if (!host)
      return failure(CL_INVALID_VALUE, "ptr is null ({})", section);
    return check_host_access(*buffer, access, section);
  }

  Check make(const Place &place, MadeOperation &to) const {
    runtime::MemoryView in_buffer(buffer->buffer, offset, size);
    runtime::MemoryView in_host = runtime::view_at(host, size);
    if (access == HostAccess::read)
      std::swap(in_buffer, in_host);
    to = place.device->device->make_copy(std::move(in_buffer), std::move(in_host));
    return {};
  }
};

struct BufferCopy {
  static constexpr const char *section = "section 5.2.2";
  static constexpr cl_command_type type = CL_COMMAND_COPY_BUFFER;
  cl_mem source, target;
  size_t source_offset, target_offset, size;

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, source, "src_buffer", section))
      return broken;
    if (Check broken = check_buffer(place, target, "dst_buffer", section))
      return broken;
    if (Check broken = check_inside(*source, "src_buffer", source_offset, size, section))
      return broken;
    if (Check broken = check_inside(*target, "dst_buffer", target_offset, size, section))
      return broken;
    if (Check broken = check_may_change(*target, "dst_buffer", section))
      return broken;
    return check_overlap();
  }

  // Different sub-buffers of one buffer may share bytes.
  Check check_overlap() const {
    const size_t from = source->offset() + source_offset, to = target->offset() + target_offset;
    if (&source->root() != &target->root() || from + size <= to || to + size <= from)
      return {};
    return failure(CL_MEM_COPY_OVERLAP, "source and destination regions of {} bytes overlap ({})",
                   size, section);
  }

  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_copy({target->buffer, target_offset, size},
                                         {source->buffer, source_offset, size});
    return {};
  }
};

struct BufferFill {
  static constexpr const char *section = "section 5.2.3";
  static constexpr cl_command_type type = CL_COMMAND_FILL_BUFFER;
  static constexpr size_t max_pattern_size = sizeof(cl_long16);
  cl_mem buffer;
  const void *pattern;
  size_t pattern_size, offset, size;

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, buffer, "buffer", section))
      return broken;
    if (Check broken = check_inside(*buffer, "buffer", offset, size, section))
      return broken;
    if (!pattern)
      return failure(CL_INVALID_VALUE, "pattern is null ({})", section);
    if (!std::has_single_bit(pattern_size) || pattern_size > max_pattern_size)
      return failure(CL_INVALID_VALUE, "pattern_size is {}, not a power of two from 1 to {} ({})",
                     pattern_size, max_pattern_size, section);
    if (offset % pattern_size != 0)
      return failure(CL_INVALID_VALUE, "offset {} is not a multiple of pattern_size {} ({})",
                     offset, pattern_size, section);
    if (size % pattern_size != 0)
      return failure(CL_INVALID_VALUE, "size {} is not a multiple of pattern_size {} ({})", size,
                     pattern_size, section);
    return check_may_change(*buffer, "buffer", section);
  }

  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_fill({buffer->buffer, offset, size}, pattern, pattern_size);
    return {};
  }
};

} // namespace

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                           size_t offset, size_t size, void *ptr, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueReadBuffer", command_queue,
                 Transfer{HostAccess::read, buffer, offset, size, ptr},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_read != CL_FALSE);
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                            size_t offset, size_t size, const void *ptr,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event) {
  return enqueue("clEnqueueWriteBuffer", command_queue,
                 Transfer{HostAccess::write, buffer, offset, size, ptr},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_write != CL_FALSE);
}

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                           size_t src_offset, size_t dst_offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event) {
  return enqueue("clEnqueueCopyBuffer", command_queue,
                 BufferCopy{src_buffer, dst_buffer, src_offset, dst_offset, size},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event) {
  return enqueue("clEnqueueFillBuffer", command_queue,
                 BufferFill{buffer, pattern, pattern_size, offset, size},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clCommandCopyBufferKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                              const CommandProperties *properties, cl_mem src_buffer,
                              cl_mem dst_buffer, size_t src_offset, size_t dst_offset, size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle) {
  return record("clCommandCopyBufferKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                BufferCopy{src_buffer, dst_buffer, src_offset, dst_offset, size});
}

cl_int clCommandFillBufferKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                              const CommandProperties *properties, cl_mem buffer,
                              const void *pattern, size_t pattern_size, size_t offset, size_t size,
                              cl_uint num_sync_points_in_wait_list,
                              const cl_sync_point_khr *sync_point_wait_list,
                              cl_sync_point_khr *sync_point,
                              cl_mutable_command_khr *mutable_handle) {
  return record("clCommandFillBufferKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                BufferFill{buffer, pattern, pattern_size, offset, size});
}

} // namespace lockstep::opencl

// clEnqueueReadBuffer, WriteBuffer, CopyBuffer and FillBuffer (OpenCL 3.0 API sections 5.2.2
// and 5.2.3).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "runtime/memory/transfers.h"

#include <bit>

namespace lockstep::opencl {
namespace {

constexpr const char *transfer_section = "section 5.2.2";
constexpr const char *fill_section = "section 5.2.3";
constexpr size_t max_pattern_size = sizeof(cl_long16);

// A read or write between a buffer and the host.
struct Transfer {
  cl_command_queue queue;
  cl_mem buffer;
  size_t offset, size;
  const void *host;
  HostAccess access;
  EventArguments events;
  WaitList wait_list{};
};

Check check(EntryPoint &api, Transfer &transfer) {
  if (Check broken = check_queue(api, transfer.queue, transfer_section))
    return broken;
  if (Check broken = check_memory(transfer.queue, transfer.buffer, "buffer", transfer_section))
    return broken;
  if (Check broken = check_inside(*transfer.buffer, "buffer", transfer.offset, transfer.size,
                                  transfer_section))
    return broken;
  if (!transfer.host)
    return failure(CL_INVALID_VALUE, "ptr is null ({})", transfer_section);
  if (Check broken =
          read_wait_list(transfer.queue, transfer.events, transfer.wait_list, transfer_section))
    return broken;
  return check_host_access(*transfer.buffer, transfer.access, transfer_section);
}

struct BufferCopy {
  cl_command_queue queue;
  cl_mem source, target;
  size_t source_offset, target_offset, size;
  EventArguments events;
  WaitList wait_list{};
};

// Different sub-buffers of one buffer share its bytes, so what counts are addresses.
Check check_overlap(const BufferCopy &copy) {
  const std::byte *source = copy.source->data() + copy.source_offset;
  const std::byte *target = copy.target->data() + copy.target_offset;
  if (&copy.source->root() != &copy.target->root() || source + copy.size <= target ||
      target + copy.size <= source)
    return {};
  return failure(CL_MEM_COPY_OVERLAP,
                 "source and destination regions of {} bytes overlap (section 5.2.2)", copy.size);
}

Check check(EntryPoint &api, BufferCopy &copy) {
  if (Check broken = check_queue(api, copy.queue, transfer_section))
    return broken;
  if (Check broken = check_memory(copy.queue, copy.source, "src_buffer", transfer_section))
    return broken;
  if (Check broken = check_memory(copy.queue, copy.target, "dst_buffer", transfer_section))
    return broken;
  if (Check broken =
          check_inside(*copy.source, "src_buffer", copy.source_offset, copy.size, transfer_section))
    return broken;
  if (Check broken =
          check_inside(*copy.target, "dst_buffer", copy.target_offset, copy.size, transfer_section))
    return broken;
  if (Check broken = read_wait_list(copy.queue, copy.events, copy.wait_list, transfer_section))
    return broken;
  return check_overlap(copy);
}

struct BufferFill {
  cl_command_queue queue;
  cl_mem buffer;
  const void *pattern;
  size_t pattern_size, offset, size;
  EventArguments events;
  WaitList wait_list{};
};

Check check_pattern(const BufferFill &fill) {
  if (!fill.pattern)
    return failure(CL_INVALID_VALUE, "pattern is null ({})", fill_section);
  if (!std::has_single_bit(fill.pattern_size) || fill.pattern_size > max_pattern_size)
    return failure(CL_INVALID_VALUE, "pattern_size is {}, no power of two from 1 to {} ({})",
                   fill.pattern_size, max_pattern_size, fill_section);
  if (fill.offset % fill.pattern_size != 0)
    return failure(CL_INVALID_VALUE, "offset {} is no multiple of pattern_size {} ({})",
                   fill.offset, fill.pattern_size, fill_section);
  if (fill.size % fill.pattern_size != 0)
    return failure(CL_INVALID_VALUE, "size {} is no multiple of pattern_size {} ({})", fill.size,
                   fill.pattern_size, fill_section);
  return {};
}

Check check(EntryPoint &api, BufferFill &fill) {
  if (Check broken = check_queue(api, fill.queue, fill_section))
    return broken;
  if (Check broken = check_memory(fill.queue, fill.buffer, "buffer", fill_section))
    return broken;
  if (Check broken = check_inside(*fill.buffer, "buffer", fill.offset, fill.size, fill_section))
    return broken;
  if (Check broken = check_pattern(fill))
    return broken;
  return read_wait_list(fill.queue, fill.events, fill.wait_list, fill_section);
}

} // namespace

cl_int clEnqueueReadBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                           size_t offset, size_t size, void *ptr, cl_uint num_events_in_wait_list,
                           const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueReadBuffer");
  Transfer read{command_queue,
                buffer,
                offset,
                size,
                ptr,
                HostAccess::read,
                {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, read))
    return api.fail(broken);
  using Read = Holding<runtime::Copy, 1>;
  auto command = runtime::Command::create<Read>(command_queue, Read::Memories{buffer}, ptr,
                                                buffer->data() + offset, size);
  if (Check broken = submit(
          {command_queue, CL_COMMAND_READ_BUFFER, read.wait_list, event, blocking_read != CL_FALSE},
          command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueWriteBuffer(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_write,
                            size_t offset, size_t size, const void *ptr,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event) {
  EntryPoint api("clEnqueueWriteBuffer");
  Transfer write{command_queue,
                 buffer,
                 offset,
                 size,
                 ptr,
                 HostAccess::write,
                 {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, write))
    return api.fail(broken);
  using Write = Holding<runtime::Copy, 1>;
  auto command = runtime::Command::create<Write>(command_queue, Write::Memories{buffer},
                                                 buffer->data() + offset, ptr, size);
  if (Check broken = submit({command_queue, CL_COMMAND_WRITE_BUFFER, write.wait_list, event,
                             blocking_write != CL_FALSE},
                            command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueCopyBuffer(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                           size_t src_offset, size_t dst_offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event) {
  EntryPoint api("clEnqueueCopyBuffer");
  BufferCopy copy{command_queue,
                  src_buffer,
                  dst_buffer,
                  src_offset,
                  dst_offset,
                  size,
                  {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, copy))
    return api.fail(broken);
  using Copy = Holding<runtime::Copy, 2>;
  auto command = runtime::Command::create<Copy>(
      command_queue, Copy::Memories{src_buffer, dst_buffer}, dst_buffer->data() + dst_offset,
      src_buffer->data() + src_offset, size);
  if (Check broken =
          submit({command_queue, CL_COMMAND_COPY_BUFFER, copy.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueFillBuffer(cl_command_queue command_queue, cl_mem buffer, const void *pattern,
                           size_t pattern_size, size_t offset, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event) {
  EntryPoint api("clEnqueueFillBuffer");
  BufferFill fill{command_queue,
                  buffer,
                  pattern,
                  pattern_size,
                  offset,
                  size,
                  {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, fill))
    return api.fail(broken);
  using Fill = Holding<runtime::Fill, 1>;
  auto command = runtime::Command::create<Fill>(
      command_queue, Fill::Memories{buffer}, buffer->data() + offset, pattern, pattern_size, size);
  if (Check broken =
          submit({command_queue, CL_COMMAND_FILL_BUFFER, fill.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl

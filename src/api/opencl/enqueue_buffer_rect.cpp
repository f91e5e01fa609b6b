// clEnqueueReadBufferRect, WriteBufferRect and CopyBufferRect (OpenCL 3.0 API section 5.2.2).
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/rect.h"

namespace lockstep::opencl {
namespace {

constexpr const char *section = "section 5.2.2";

runtime::RectShape shape_of(const size_t *region) {
  return {{region[0], region[1], region[2]}};
}

Check check_box_inside(const _cl_mem &memory, const char *argument, const RectArguments &side,
                       const size_t *region) {
  std::optional<size_t> end = end_of(resolve_pitches(side, region), region);
  if (end && *end <= memory.size())
    return {};
  return failure(CL_INVALID_VALUE,
                 "the region at ({}, {}, {}) is not inside {}, which has {} bytes ({})",
                 side.origin[0], side.origin[1], side.origin[2], argument, memory.size(), section);
}

// A box in a buffer and one in host memory.
struct RectTransfer {
  cl_command_queue queue;
  cl_mem buffer;
  RectArguments in_buffer, in_host;
  const size_t *region;
  const void *host;
  HostAccess access;
  EventArguments events;
  WaitList wait_list{};
};

Check check_boxes(const RectTransfer &transfer) {
  if (!transfer.in_buffer.origin || !transfer.in_host.origin || !transfer.region)
    return failure(CL_INVALID_VALUE, "{} is null ({})",
                   !transfer.in_buffer.origin ? "buffer_origin"
                   : !transfer.in_host.origin ? "host_origin"
                                              : "region",
                   section);
  if (Check broken = check_region(transfer.region))
    return broken;
  for (const RectArguments &side : {transfer.in_buffer, transfer.in_host})
    if (Check broken = check_pitches(side, transfer.region))
      return broken;
  if (Check broken =
          check_box_inside(*transfer.buffer, "buffer", transfer.in_buffer, transfer.region))
    return broken;
  if (!end_of(resolve_pitches(transfer.in_host, transfer.region), transfer.region))
    return failure(CL_INVALID_VALUE, "the region in host memory ends beyond the address space ({})",
                   section);
  if (!transfer.host)
    return failure(CL_INVALID_VALUE, "ptr is null ({})", section);
  return {};
}

Check check(EntryPoint &api, RectTransfer &transfer) {
  if (Check broken = check_queue(api, transfer.queue, section))
    return broken;
  if (Check broken = check_memory(transfer.queue, transfer.buffer, "buffer", section))
    return broken;
  if (Check broken = check_boxes(transfer))
    return broken;
  if (Check broken = read_wait_list(transfer.queue, transfer.events, transfer.wait_list, section))
    return broken;
  return check_host_access(*transfer.buffer, transfer.access, section);
}

struct RectBufferCopy {
  cl_command_queue queue;
  cl_mem source, target;
  RectArguments in_source, in_target;
  const size_t *region;
  EventArguments events;
  WaitList wait_list{};
};

Check check_boxes(const RectBufferCopy &copy) {
  if (!copy.in_source.origin || !copy.in_target.origin || !copy.region)
    return failure(CL_INVALID_VALUE, "{} is null ({})",
                   !copy.in_source.origin   ? "src_origin"
                   : !copy.in_target.origin ? "dst_origin"
                                            : "region",
                   section);
  if (Check broken = check_region(copy.region))
    return broken;
  for (const RectArguments &side : {copy.in_source, copy.in_target})
    if (Check broken = check_pitches(side, copy.region))
      return broken;
  if (Check broken = check_box_inside(*copy.source, "src_buffer", copy.in_source, copy.region))
    return broken;
  return check_box_inside(*copy.target, "dst_buffer", copy.in_target, copy.region);
}

// Source and target of the same storage. In the same object their pitches must be equal; different
// sub-buffers may have different ones, and are then taken to overlap if the spans of the boxes do.
Check check_overlap(const RectBufferCopy &copy) {
  if (&copy.source->root() != &copy.target->root())
    return {};
  runtime::RectSide source = resolve_pitches(copy.in_source, copy.region);
  runtime::RectSide target = resolve_pitches(copy.in_target, copy.region);
  bool same_pitches =
      source.row_pitch == target.row_pitch && source.slice_pitch == target.slice_pitch;
  if (copy.source == copy.target && !same_pitches)
    return failure(
        CL_INVALID_VALUE,
        "src_buffer and dst_buffer are the same, but their row or slice pitches differ ({})",
        section);
  size_t source_start = copy.source->offset() + runtime::first_byte(source);
  size_t target_start = copy.target->offset() + runtime::first_byte(target);
  size_t source_end = copy.source->offset() + *end_of(source, copy.region);
  size_t target_end = copy.target->offset() + *end_of(target, copy.region);
  bool overlap = same_pitches ? boxes_overlap(source_start, target_start, copy.region,
                                              source.row_pitch, source.slice_pitch)
                              : source_start < target_end && target_start < source_end;
  if (overlap)
    return failure(CL_MEM_COPY_OVERLAP,
                   "source and destination regions overlap ({} and appendix D)", section);
  return {};
}

Check check(EntryPoint &api, RectBufferCopy &copy) {
  if (Check broken = check_queue(api, copy.queue, section))
    return broken;
  if (Check broken = check_memory(copy.queue, copy.source, "src_buffer", section))
    return broken;
  if (Check broken = check_memory(copy.queue, copy.target, "dst_buffer", section))
    return broken;
  if (Check broken = check_boxes(copy))
    return broken;
  if (Check broken = read_wait_list(copy.queue, copy.events, copy.wait_list, section))
    return broken;
  return check_overlap(copy);
}

} // namespace

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row_pitch,
                               size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  EntryPoint api("clEnqueueReadBufferRect");
  RectTransfer read{command_queue,
                    buffer,
                    {"buffer", buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                    {"host", host_origin, host_row_pitch, host_slice_pitch},
                    region,
                    ptr,
                    HostAccess::read,
                    {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, read))
    return api.fail(broken);
  using Read = Holding<runtime::RectCopy, 1>;
  auto command = runtime::Command::create<Read>(
      command_queue, Read::Memories{buffer}, ptr, resolve_pitches(read.in_host, region),
      buffer->data(), resolve_pitches(read.in_buffer, region), shape_of(region));
  if (Check broken = submit({command_queue, CL_COMMAND_READ_BUFFER_RECT, read.wait_list, event,
                             blocking_read != CL_FALSE},
                            command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                cl_bool blocking_write, const size_t *buffer_origin,
                                const size_t *host_origin, const size_t *region,
                                size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event) {
  EntryPoint api("clEnqueueWriteBufferRect");
  RectTransfer write{command_queue,
                     buffer,
                     {"buffer", buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                     {"host", host_origin, host_row_pitch, host_slice_pitch},
                     region,
                     ptr,
                     HostAccess::write,
                     {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, write))
    return api.fail(broken);
  using Write = Holding<runtime::RectCopy, 1>;
  auto command =
      runtime::Command::create<Write>(command_queue, Write::Memories{buffer}, buffer->data(),
                                      resolve_pitches(write.in_buffer, region), ptr,
                                      resolve_pitches(write.in_host, region), shape_of(region));
  if (Check broken = submit({command_queue, CL_COMMAND_WRITE_BUFFER_RECT, write.wait_list, event,
                             blocking_write != CL_FALSE},
                            command))
    return api.fail(broken);
  return api.success();
}

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                               const size_t *src_origin, const size_t *dst_origin,
                               const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                               size_t dst_row_pitch, size_t dst_slice_pitch,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  EntryPoint api("clEnqueueCopyBufferRect");
  RectBufferCopy copy{command_queue,
                      src_buffer,
                      dst_buffer,
                      {"src", src_origin, src_row_pitch, src_slice_pitch},
                      {"dst", dst_origin, dst_row_pitch, dst_slice_pitch},
                      region,
                      {num_events_in_wait_list, event_wait_list, event}};
  if (Check broken = check(api, copy))
    return api.fail(broken);
  using Copy = Holding<runtime::RectCopy, 2>;
  auto command = runtime::Command::create<Copy>(
      command_queue, Copy::Memories{src_buffer, dst_buffer}, dst_buffer->data(),
      resolve_pitches(copy.in_target, region), src_buffer->data(),
      resolve_pitches(copy.in_source, region), shape_of(region));
  if (Check broken =
          submit({command_queue, CL_COMMAND_COPY_BUFFER_RECT, copy.wait_list, event}, command))
    return api.fail(broken);
  return api.success();
}

} // namespace lockstep::opencl

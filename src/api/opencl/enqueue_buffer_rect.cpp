// clEnqueueReadBufferRect, WriteBufferRect and CopyBufferRect (OpenCL 3.0 API section 5.2.2), and
// their counterparts for command buffers.
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/record.h"
#include "api/opencl/rect.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

namespace lockstep::opencl {
namespace {

constexpr const char *rect_section = "section 5.2.2";

runtime::RectShape shape_of(const size_t *region) {
  return {{region[0], region[1], region[2]}};
}

runtime::MemoryView whole(const _cl_mem &memory) {
  return {memory.buffer, 0, memory.size()};
}

Check check_box_inside(const _cl_mem &memory, const char *argument, const RectArguments &side,
                       const size_t *region) {
  std::optional<size_t> end = end_of(resolve_pitches(side, region), region);
  if (end && *end <= memory.size())
    return {};
  return failure(
      CL_INVALID_VALUE, "the region at ({}, {}, {}) is not inside {}, which has {} bytes ({})",
      side.origin[0], side.origin[1], side.origin[2], argument, memory.size(), rect_section);
}

// `names` are the names of the two origins in the entry point.
Check check_shape(const RectArguments &one, const RectArguments &other, const size_t *region,
                  std::array<const char *, 2> names) {
  if (!one.origin || !other.origin || !region)
    return failure(CL_INVALID_VALUE, "{} is null ({})",
                   !one.origin     ? names[0]
                   : !other.origin ? names[1]
                                   : "region",
                   rect_section);
  if (Check broken = check_region(region))
    return broken;
  if (Check broken = check_pitches(one, region))
    return broken;
  return check_pitches(other, region);
}

// A transfer between a box in a buffer and a box in host memory.
struct RectTransfer {
  static constexpr const char *section = rect_section;
  HostAccess access;
  cl_mem buffer;
  RectArguments in_buffer, in_host;
  const size_t *region;
  const void *host;
  cl_command_type type =
      access == HostAccess::read ? CL_COMMAND_READ_BUFFER_RECT : CL_COMMAND_WRITE_BUFFER_RECT;

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, buffer, "buffer", section))
      return broken;
    if (Check broken = check_shape(in_buffer, in_host, region, {"buffer_origin", "host_origin"}))
      return broken;
    if (Check broken = check_box_inside(*buffer, "buffer", in_buffer, region))
      return broken;
    if (!end_of(resolve_pitches(in_host, region), region))
      return failure(CL_INVALID_VALUE,
                     "the region in host memory ends beyond the address space ({})", section);
    if (!host)
      return failure(CL_INVALID_VALUE, "ptr is null ({})", section);
    return check_host_access(*buffer, access, section);
  }

  Check make(const Place &, MadeOperation &to) const {
    const runtime::RectSide buffer_side = resolve_pitches(in_buffer, region);
    const runtime::RectSide host_side = resolve_pitches(in_host, region);
    const runtime::MemoryView in_memory = whole(*buffer),
                              outside(runtime::memory_observer().as_commands_see(host),
                                      *end_of(host_side, region));
    if (access == HostAccess::read)
      to = std::make_unique<runtime::RectCopy>(outside, host_side, in_memory, buffer_side,
                                               shape_of(region));
    else
      to = std::make_unique<runtime::RectCopy>(in_memory, buffer_side, outside, host_side,
                                               shape_of(region));
    return {};
  }
};

struct RectBufferCopy {
  static constexpr const char *section = rect_section;
  static constexpr cl_command_type type = CL_COMMAND_COPY_BUFFER_RECT;
  cl_mem source, target;
  RectArguments in_source, in_target;
  const size_t *region;

  Check check(const Place &place) const {
    if (Check broken = check_buffer(place, source, "src_buffer", section))
      return broken;
    if (Check broken = check_buffer(place, target, "dst_buffer", section))
      return broken;
    if (Check broken = check_shape(in_source, in_target, region, {"src_origin", "dst_origin"}))
      return broken;
    if (Check broken = check_box_inside(*source, "src_buffer", in_source, region))
      return broken;
    if (Check broken = check_box_inside(*target, "dst_buffer", in_target, region))
      return broken;
    if (Check broken = check_may_change(*target, "dst_buffer", section))
      return broken;
    return check_overlap();
  }

  // Checks a source and a target in the same storage. In one object their pitches must be equal.
  // Different sub-buffers may have different pitches; then the boxes are assumed to overlap if
  // their byte spans do.
  Check check_overlap() const {
    if (&source->root() != &target->root())
      return {};
    const runtime::RectSide from = resolve_pitches(in_source, region);
    const runtime::RectSide to = resolve_pitches(in_target, region);
    const bool same_pitches = from.row_pitch == to.row_pitch && from.slice_pitch == to.slice_pitch;
    if (source == target && !same_pitches)
      return failure(
          CL_INVALID_VALUE,
          "src_buffer and dst_buffer are the same, but their row or slice pitches differ ({})",
          section);
    const size_t source_start = source->offset() + runtime::first_byte(from);
    const size_t target_start = target->offset() + runtime::first_byte(to);
    const size_t source_end = source->offset() + *end_of(from, region);
    const size_t target_end = target->offset() + *end_of(to, region);
    const bool overlap = same_pitches ? boxes_overlap(source_start, target_start, region,
                                                      from.row_pitch, from.slice_pitch)
                                      : source_start < target_end && target_start < source_end;
    if (overlap)
      return failure(CL_MEM_COPY_OVERLAP,
                     "source and destination regions overlap ({} and appendix D)", section);
    return {};
  }

  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_rect_copy(whole(*target), resolve_pitches(in_target, region),
                                              whole(*source), resolve_pitches(in_source, region),
                                              shape_of(region));
    return {};
  }
};

} // namespace

cl_int clEnqueueReadBufferRect(cl_command_queue command_queue, cl_mem buffer, cl_bool blocking_read,
                               const size_t *buffer_origin, const size_t *host_origin,
                               const size_t *region, size_t buffer_row_pitch,
                               size_t buffer_slice_pitch, size_t host_row_pitch,
                               size_t host_slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueReadBufferRect", command_queue,
                 RectTransfer{HostAccess::read,
                              buffer,
                              {"buffer", buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                              {"host", host_origin, host_row_pitch, host_slice_pitch},
                              region,
                              ptr},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_read != CL_FALSE);
}

cl_int clEnqueueWriteBufferRect(cl_command_queue command_queue, cl_mem buffer,
                                cl_bool blocking_write, const size_t *buffer_origin,
                                const size_t *host_origin, const size_t *region,
                                size_t buffer_row_pitch, size_t buffer_slice_pitch,
                                size_t host_row_pitch, size_t host_slice_pitch, const void *ptr,
                                cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                cl_event *event) {
  return enqueue("clEnqueueWriteBufferRect", command_queue,
                 RectTransfer{HostAccess::write,
                              buffer,
                              {"buffer", buffer_origin, buffer_row_pitch, buffer_slice_pitch},
                              {"host", host_origin, host_row_pitch, host_slice_pitch},
                              region,
                              ptr},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_write != CL_FALSE);
}

cl_int clEnqueueCopyBufferRect(cl_command_queue command_queue, cl_mem src_buffer, cl_mem dst_buffer,
                               const size_t *src_origin, const size_t *dst_origin,
                               const size_t *region, size_t src_row_pitch, size_t src_slice_pitch,
                               size_t dst_row_pitch, size_t dst_slice_pitch,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event) {
  return enqueue("clEnqueueCopyBufferRect", command_queue,
                 RectBufferCopy{src_buffer,
                                dst_buffer,
                                {"src", src_origin, src_row_pitch, src_slice_pitch},
                                {"dst", dst_origin, dst_row_pitch, dst_slice_pitch},
                                region},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clCommandCopyBufferRectKHR(
    cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
    const CommandProperties *properties, cl_mem src_buffer, cl_mem dst_buffer,
    const size_t *src_origin, const size_t *dst_origin, const size_t *region, size_t src_row_pitch,
    size_t src_slice_pitch, size_t dst_row_pitch, size_t dst_slice_pitch,
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
    cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) {
  return record("clCommandCopyBufferRectKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                RectBufferCopy{src_buffer,
                               dst_buffer,
                               {"src", src_origin, src_row_pitch, src_slice_pitch},
                               {"dst", dst_origin, dst_row_pitch, dst_slice_pitch},
                               region});
}

} // namespace lockstep::opencl

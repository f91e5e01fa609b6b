// clEnqueueReadImage, WriteImage, CopyImage, CopyImageToBuffer, CopyBufferToImage and FillImage
// (OpenCL 3.0 API sections 5.3.3 to 5.3.5), and their counterparts for command buffers. Boxes of
// elements become boxes of bytes.
#include "api/opencl/device.h"
#include "api/opencl/enqueue.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/image.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/record.h"
#include "runtime/memory/rect_fill.h"
#include "runtime/observers/memory_observer.h"
#include "runtime/observers/observer.h"

#include <algorithm>
#include <memory>

namespace lockstep::opencl {
namespace {

runtime::MemoryView whole(const _cl_mem &memory) {
  return {memory.buffer, 0, memory.size()};
}

bool is_contiguous(const runtime::RectSide &side, const runtime::RectShape &shape) {
  const auto [row, rows, slices] = shape.region;
  return (rows == 1 || side.row_pitch == row) && (slices == 1 || side.slice_pitch == row * rows);
}

// A transfer between a box in an image and a box in host memory.
struct ImageTransfer {
  static constexpr const char *section = "section 5.3.3";
  HostAccess access;
  cl_mem image;
  const size_t *origin, *region;
  size_t row_pitch, slice_pitch;
  const void *host;
  cl_command_type type =
      access == HostAccess::read ? CL_COMMAND_READ_IMAGE : CL_COMMAND_WRITE_IMAGE;

  // Describes the region in host memory. The slice pitch separates the layers of a 1D array.
  runtime::RectSide host_side() const {
    const Image &of = *image->image;
    const size_t row = row_pitch ? row_pitch : region[0] * of.element_size;
    if (of.desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
      const size_t layer = slice_pitch ? slice_pitch : row;
      return {{0, 0, 0}, layer, layer * region[1]};
    }
    return {{0, 0, 0}, row, slice_pitch ? slice_pitch : row * region[1]};
  }

  Check check(const Place &place) const {
    if (Check broken = check_image(place, image, "image", section))
      return broken;
    const Image &of = *image->image;
    if (Check broken = check_region(of, origin, region, "origin", section))
      return broken;
    if (!host)
      return failure(CL_INVALID_VALUE, "ptr is null ({})", section);
    if (Check broken = check_pitches(of))
      return broken;
    return check_host_access(*image, access, section);
  }

  Check check_pitches(const Image &of) const {
    const size_t row = region[0] * of.element_size;
    if (row_pitch != 0 && row_pitch < row)
      return failure(CL_INVALID_VALUE, "row_pitch is {}, less than a row of the region, {} ({})",
                     row_pitch, row, section);
    const bool is_1d_array = of.desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    if (slice_pitch == 0)
      return {};
    if (!is_1d_array && !of.has_slices())
      return failure(CL_INVALID_VALUE,
                     "slice_pitch is {}, but the image has neither slices nor layers ({})",
                     slice_pitch, section);
    const size_t slice = (row_pitch ? row_pitch : row) * (is_1d_array ? 1 : region[1]);
    if (slice_pitch < slice)
      return failure(CL_INVALID_VALUE,
                     "slice_pitch is {}, less than a slice of the region, {} ({})", slice_pitch,
                     slice, section);
    return {};
  }

  Check make(const Place &place, MadeOperation &to) const {
    const Image &of = *image->image;
    const runtime::RectShape shape = of.shape(region);
    const runtime::RectSide inside = of.side(origin), outside = host_side();
    const runtime::MemoryView view(runtime::memory_observer().as_commands_see(host),
                                   end_byte(outside, shape));
    if (is_contiguous(inside, shape) && is_contiguous(outside, shape)) {
      const runtime::Device &device = *place.device->device;
      const runtime::MemoryView box(image->buffer, first_byte(inside), view.size());
      to = access == HostAccess::read ? device.make_copy(view, box) : device.make_copy(box, view);
    } else if (access == HostAccess::read)
      to = std::make_unique<runtime::RectCopy>(view, outside, whole(*image), inside, shape);
    else
      to = std::make_unique<runtime::RectCopy>(whole(*image), inside, view, outside, shape);
    return {};
  }
};

bool same_format(const Image &a, const Image &b) {
  return a.format.image_channel_order == b.format.image_channel_order &&
         a.format.image_channel_data_type == b.format.image_channel_data_type;
}

struct ImageCopy {
  static constexpr const char *section = "section 5.3.3";
  static constexpr cl_command_type type = CL_COMMAND_COPY_IMAGE;
  cl_mem source, target;
  const size_t *source_origin, *target_origin, *region;

  Check check(const Place &place) const {
    if (Check broken = check_image(place, source, "src_image", section))
      return broken;
    if (Check broken = check_image(place, target, "dst_image", section))
      return broken;
    if (!same_format(*source->image, *target->image))
      return failure(CL_IMAGE_FORMAT_MISMATCH,
                     "src_image and dst_image have different formats ({})", section);
    if (Check broken = check_region(*source->image, source_origin, region, "src_origin", section))
      return broken;
    if (Check broken = check_region(*target->image, target_origin, region, "dst_origin", section))
      return broken;
    if (Check broken = check_may_change(*target, "dst_image", section))
      return broken;
    return check_overlap();
  }

  Check check_overlap() const {
    if (source != target ||
        source->image->level_of(source_origin) != target->image->level_of(target_origin))
      return {};
    for (int d = 0; d < 3; ++d)
      if (source_origin[d] + region[d] <= target_origin[d] ||
          target_origin[d] + region[d] <= source_origin[d])
        return {};
    return failure(CL_MEM_COPY_OVERLAP, "the source and destination regions overlap ({})", section);
  }

  Check make(const Place &place, MadeOperation &to) const {
    to = place.device->device->make_rect_copy(whole(*target), target->image->side(target_origin),
                                              whole(*source), source->image->side(source_origin),
                                              source->image->shape(region));
    return {};
  }
};

// A copy between an image and a buffer. In the buffer the elements are contiguous.
struct BufferTransfer {
  static constexpr const char *section = "section 5.3.5";
  cl_command_type type;
  cl_mem image, buffer;
  const char *image_name, *buffer_name, *origin_name;
  const size_t *origin, *region;
  size_t offset;

  size_t bytes() const { return image->image->element_size * region[0] * region[1] * region[2]; }

  Check check(const Place &place) const {
    if (Check broken = check_image(place, image, image_name, section))
      return broken;
    if (Check broken = check_buffer(place, buffer, buffer_name, section))
      return broken;
    if (Check broken = check_region(*image->image, origin, region, origin_name, section))
      return broken;
    if (Check broken = check_inside(*buffer, buffer_name, offset, bytes(), section))
      return broken;
    const bool to_buffer = type == CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    if (Check broken = check_may_change(to_buffer ? *buffer : *image,
                                        to_buffer ? buffer_name : image_name, section))
      return broken;
    return check_overlap();
  }

  // If the image was made from this buffer, the image rows may overlap the buffer rows arbitrarily,
  // so the check compares byte spans.
  Check check_overlap() const {
    if (&image->root() != &buffer->root())
      return {};
    const runtime::RectSide side = image->image->side(origin);
    const std::byte *begin = image->data() + first_byte(side);
    const std::byte *end = image->data() + end_byte(side, image->image->shape(region));
    const std::byte *other = buffer->data() + offset;
    if (end <= other || other + bytes() <= begin)
      return {};
    return failure(CL_MEM_COPY_OVERLAP,
                   "the image was made from the buffer, and the regions overlap ({})", section);
  }

  Check make(const Place &place, MadeOperation &to) const {
    const runtime::Device &device = *place.device->device;
    const runtime::RectShape shape = image->image->shape(region);
    const runtime::RectSide in_image = image->image->side(origin);
    const runtime::RectSide dense{{0, 0, 0}, shape.region[0], shape.region[0] * shape.region[1]};
    const runtime::MemoryView in_buffer(buffer->buffer, offset, bytes());
    if (type == CL_COMMAND_COPY_IMAGE_TO_BUFFER)
      to = device.make_rect_copy(in_buffer, dense, whole(*image), in_image, shape);
    else
      to = device.make_rect_copy(whole(*image), in_image, in_buffer, dense, shape);
    return {};
  }
};

struct ImageFill {
  static constexpr const char *section = "section 5.3.4";
  static constexpr cl_command_type type = CL_COMMAND_FILL_IMAGE;
  cl_mem image;
  const void *color;
  const size_t *origin, *region;

  Check check(const Place &place) const {
    if (Check broken = check_image(place, image, "image", section))
      return broken;
    if (!color)
      return failure(CL_INVALID_VALUE, "fill_color is null ({})", section);
    if (Check broken = check_region(*image->image, origin, region, "origin", section))
      return broken;
    return check_may_change(*image, "image", section);
  }

  Check make(const Place &, MadeOperation &to) const {
    const Image &of = *image->image;
    const auto element = encode_element(of.format, color);
    to = std::make_unique<runtime::RectFill>(whole(*image), of.side(origin), of.shape(region),
                                             std::span(element).first(of.element_size));
    return {};
  }
};

} // namespace

cl_int clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                          const size_t *origin, const size_t *region, size_t row_pitch,
                          size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                          const cl_event *event_wait_list, cl_event *event) {
  return enqueue(
      "clEnqueueReadImage", command_queue,
      ImageTransfer{HostAccess::read, image, origin, region, row_pitch, slice_pitch, ptr},
      {num_events_in_wait_list, event_wait_list, event}, blocking_read != CL_FALSE);
}

cl_int clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                           const size_t *origin, const size_t *region, size_t input_row_pitch,
                           size_t input_slice_pitch, const void *ptr,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event) {
  return enqueue("clEnqueueWriteImage", command_queue,
                 ImageTransfer{HostAccess::write, image, origin, region, input_row_pitch,
                               input_slice_pitch, ptr},
                 {num_events_in_wait_list, event_wait_list, event}, blocking_write != CL_FALSE);
}

cl_int clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                          const size_t *src_origin, const size_t *dst_origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event) {
  return enqueue("clEnqueueCopyImage", command_queue,
                 ImageCopy{src_image, dst_image, src_origin, dst_origin, region},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                  cl_mem dst_buffer, const size_t *src_origin, const size_t *region,
                                  size_t dst_offset, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueCopyImageToBuffer", command_queue,
                 BufferTransfer{CL_COMMAND_COPY_IMAGE_TO_BUFFER, src_image, dst_buffer, "src_image",
                                "dst_buffer", "src_origin", src_origin, region, dst_offset},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                  cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                  const size_t *region, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event) {
  return enqueue("clEnqueueCopyBufferToImage", command_queue,
                 BufferTransfer{CL_COMMAND_COPY_BUFFER_TO_IMAGE, dst_image, src_buffer, "dst_image",
                                "src_buffer", "dst_origin", dst_origin, region, src_offset},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                          const size_t *origin, const size_t *region,
                          cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                          cl_event *event) {
  return enqueue("clEnqueueFillImage", command_queue, ImageFill{image, fill_color, origin, region},
                 {num_events_in_wait_list, event_wait_list, event});
}

cl_int clCommandCopyImageKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                             const CommandProperties *properties, cl_mem src_image,
                             cl_mem dst_image, const size_t *src_origin, const size_t *dst_origin,
                             const size_t *region, cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle) {
  return record("clCommandCopyImageKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                ImageCopy{src_image, dst_image, src_origin, dst_origin, region});
}

cl_int clCommandCopyImageToBufferKHR(
    cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
    const CommandProperties *properties, cl_mem src_image, cl_mem dst_buffer,
    const size_t *src_origin, const size_t *region, size_t dst_offset,
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,
    cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle) {
  return record("clCommandCopyImageToBufferKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                BufferTransfer{CL_COMMAND_COPY_IMAGE_TO_BUFFER, src_image, dst_buffer, "src_image",
                               "dst_buffer", "src_origin", src_origin, region, dst_offset});
}

cl_int clCommandCopyBufferToImageKHR(cl_command_buffer_khr command_buffer,
                                     cl_command_queue command_queue,
                                     const CommandProperties *properties, cl_mem src_buffer,
                                     cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                     const size_t *region, cl_uint num_sync_points_in_wait_list,
                                     const cl_sync_point_khr *sync_point_wait_list,
                                     cl_sync_point_khr *sync_point,
                                     cl_mutable_command_khr *mutable_handle) {
  return record("clCommandCopyBufferToImageKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                BufferTransfer{CL_COMMAND_COPY_BUFFER_TO_IMAGE, dst_image, src_buffer, "dst_image",
                               "src_buffer", "dst_origin", dst_origin, region, src_offset});
}

cl_int clCommandFillImageKHR(cl_command_buffer_khr command_buffer, cl_command_queue command_queue,
                             const CommandProperties *properties, cl_mem image,
                             const void *fill_color, const size_t *origin, const size_t *region,
                             cl_uint num_sync_points_in_wait_list,
                             const cl_sync_point_khr *sync_point_wait_list,
                             cl_sync_point_khr *sync_point,
                             cl_mutable_command_khr *mutable_handle) {
  return record("clCommandFillImageKHR",
                {command_buffer, command_queue, properties, num_sync_points_in_wait_list,
                 sync_point_wait_list, sync_point, mutable_handle},
                ImageFill{image, fill_color, origin, region});
}

} // namespace lockstep::opencl

#include "api/sycl/image_object.h"

#include "abi/host_images.h"
#include "abi/image_descriptor.h"
#include "api/opencl/image_formats.h"
#include "api/opencl/image_limits.h"
#include "api/sycl/error.h"
#include "api/sycl/of_process.h"
#include "platform/linux/leaked.h"

#include "sycl/image.hpp"

#include <CL/cl.h>
#include <cstring>
#include <fmt/format.h>

namespace lockstep::sycl_api {
namespace {

using compiler::ImageDescriptor;
using sycl::image_format;
using sycl::detail::image_origin;
using sycl::detail::image_words;
using sycl::detail::texel_type;
namespace host_images = compiler::host_images;
namespace image_limits = opencl::image_limits;

struct Format {
  image_format format;
  uint32_t order, type; // as in OpenCL
  std::size_t bytes;
};
constexpr Format formats[] = {
    {image_format::r8g8b8a8_unorm, CL_RGBA, CL_UNORM_INT8, 4},
    {image_format::r16g16b16a16_unorm, CL_RGBA, CL_UNORM_INT16, 8},
    {image_format::r8g8b8a8_sint, CL_RGBA, CL_SIGNED_INT8, 4},
    {image_format::r16g16b16a16_sint, CL_RGBA, CL_SIGNED_INT16, 8},
    {image_format::r32b32g32a32_sint, CL_RGBA, CL_SIGNED_INT32, 16},
    {image_format::r8g8b8a8_uint, CL_RGBA, CL_UNSIGNED_INT8, 4},
    {image_format::r16g16b16a16_uint, CL_RGBA, CL_UNSIGNED_INT16, 8},
    {image_format::r32b32g32a32_uint, CL_RGBA, CL_UNSIGNED_INT32, 16},
    {image_format::r16b16g16a16_sfloat, CL_RGBA, CL_HALF_FLOAT, 8},
    {image_format::r32g32b32a32_sfloat, CL_RGBA, CL_FLOAT, 16},
    {image_format::b8g8r8a8_unorm, CL_BGRA, CL_UNORM_INT8, 4},
};

// Formats other than those of image_format are OpenCL's order and type in one number
// (image_1_2_1.hpp).
Format format_of(const image_origin &origin) {
  for (const Format &one : formats)
    if (one.format == origin.format)
      return one;
  const auto bits = uint32_t(origin.format);
  const cl_image_format format{bits >> 16, bits & 0xffff};
  if (opencl::is_valid(format))
    return {origin.format, format.image_channel_order, format.image_channel_data_type,
            opencl::element_size(format)};
  raise(sycl::errc::invalid,
        fmt::format("{} is not an image_format (SYCL 2020 section 4.7.3.1)", int(origin.format)));
}

uint32_t bits_of(const sycl::image_sampler *sampler) {
  if (!sampler)
    return 0;
  uint32_t bits = sampler->filtering == sycl::filtering_mode::linear ? compiler::sampler_linear
                                                                     : compiler::sampler_nearest;
  if (sampler->coordinate == sycl::coordinate_normalization_mode::normalized)
    bits |= compiler::sampler_normalized;
  switch (sampler->addressing) {
  case sycl::addressing_mode::mirrored_repeat:
    return bits | compiler::sampler_mirrored_repeat;
  case sycl::addressing_mode::repeat:
    return bits | compiler::sampler_repeat;
  case sycl::addressing_mode::clamp_to_edge:
    return bits | compiler::sampler_clamp_to_edge;
  case sycl::addressing_mode::clamp:
    return bits | compiler::sampler_clamp;
  case sycl::addressing_mode::none:
    break;
  }
  return bits;
}

void check_sizes(const image_origin &origin) {
  const std::size_t most = origin.dimensions == 3 ? image_limits::size_3d : image_limits::size_2d;
  for (int d = 0; d < origin.dimensions; ++d)
    if (origin.range[d] == 0 || origin.range[d] > most)
      raise(sycl::errc::invalid,
            fmt::format("dimension {} of an image has {} elements, not from 1 to {} (SYCL 2020 "
                        "section 4.7.3)",
                        d, origin.range[d], most));
}

// The pitch of rows (dimension 0) or slices (dimension 1) in bytes.
std::size_t pitch_of(const image_origin &origin, int dimension, std::size_t dense,
                     std::size_t element) {
  const std::size_t given = origin.pitch[dimension];
  if (given == 0)
    return dense;
  if (given < dense || given % element != 0)
    raise(sycl::errc::invalid,
          fmt::format(
              "a pitch of {} bytes is not a multiple of {}, or less than the {} bytes of a {} "
              "(SYCL 2020 section 4.7.3.1)",
              given, element, dense, dimension == 0 ? "row" : "slice"));
  return given;
}

// What accessors refer to: the memory, which they do not own, and the descriptor.
struct View {
  sycl::detail::buffer_pointer memory;
  ImageDescriptor descriptor;
};

class ImageObject final : public sycl::detail::image_interface {
public:
  explicit ImageObject(const image_origin &origin) {
    const Format format = format_of(origin);
    check_sizes(origin);
    ImageDescriptor &descriptor = view_->descriptor;
    descriptor.format = compiler::image_format(format.order, format.type);
    kind_ = kind_of(descriptor, origin.sampler);
    descriptor.width = uint32_t(origin.range[0]);
    descriptor.height = uint32_t(origin.range[1]);
    descriptor.depth = uint32_t(origin.range[2]);
    descriptor.row_pitch = pitch_of(origin, 0, origin.range[0] * format.bytes, format.bytes);
    descriptor.slice_pitch =
        pitch_of(origin, 1, descriptor.row_pitch * origin.range[1], descriptor.row_pitch);
    sycl::detail::buffer_origin memory = origin.memory;
    memory.bytes = descriptor.slice_pitch * origin.range[2];
    memory_ = make_buffer(memory);
    view_->memory = memory_->view();
    static_cast<Buffer &>(*memory_).show_as(std::make_unique<const ShownImage>(
        ShownImage{origin.dimensions, format.order, format.type, origin.sampler != nullptr,
                   view_->descriptor}));
  }
  ImageObject(sycl::detail::buffer_pointer memory, const ImageDescriptor &descriptor,
              const sycl::image_sampler *sampler)
      : memory_(std::move(memory)), kind_(kind_of(descriptor, sampler)) {
    view_->descriptor = descriptor;
    view_->memory = memory_->view();
  }

  const sycl::detail::buffer_pointer &memory() const override { return memory_; }
  sycl::detail::buffer_pointer view() override { return {view_, view_->memory.get()}; }
  // Fixes the address of the memory; before the first call the memory can still be replaced.
  image_words words() override {
    view_->descriptor.data = static_cast<std::byte *>(memory_->data());
    return {reinterpret_cast<uint64_t>(&view_->descriptor), kind_};
  }
  std::size_t range(int dimension) const override {
    const ImageDescriptor &of = view_->descriptor;
    return dimension == 0 ? of.width : dimension == 1 ? of.height : of.depth;
  }
  std::size_t pitch(int dimension) const override {
    return dimension == 0 ? view_->descriptor.row_pitch : view_->descriptor.slice_pitch;
  }

private:
  static uint64_t kind_of(const ImageDescriptor &descriptor, const sycl::image_sampler *sampler) {
    return descriptor.format | uint64_t(bits_of(sampler)) << 32;
  }

  const std::shared_ptr<View> view_ = std::make_shared<View>();
  sycl::detail::buffer_pointer memory_;
  uint64_t kind_ = 0;
};

// ---- for the host

struct Place {
  const void *descriptor;
  uint32_t format, sampler, shape;
  Place(const image_words &image, int dimensions)
      : descriptor(reinterpret_cast<const void *>(image.descriptor)), format(uint32_t(image.kind)),
        sampler(uint32_t(image.kind >> 32)), shape(uint32_t(dimensions)) {}
};

template <class Texel> void give(void *to, const Texel &texel) {
  std::memcpy(to, &texel, sizeof texel);
}
template <class Texel> Texel taken(const void *from) {
  Texel texel;
  std::memcpy(&texel, from, sizeof texel);
  return texel;
}

class Functions final : public sycl::detail::image_functions {
public:
  void read(const image_words &image, texel_type type, int dimensions, const int (&at)[3],
            void *texel) const override {
    const Place in(image, dimensions);
    const auto call = [&](auto function) {
      give(texel, function(in.descriptor, in.format, in.sampler, in.shape, at[0], at[1], at[2], 0));
    };
    if (type == texel_type::floating)
      call(host_images::read_f);
    else if (type == texel_type::signed_integer)
      call(host_images::read_i);
    else
      call(host_images::read_u);
  }
  void sample(const image_words &image, texel_type type, int dimensions, const float (&at)[3],
              void *texel) const override {
    const Place in(image, dimensions);
    const auto call = [&](auto function) {
      give(texel, function(in.descriptor, in.format, in.sampler, in.shape, at[0], at[1], at[2], 0));
    };
    if (type == texel_type::floating)
      call(host_images::sample_f);
    else if (type == texel_type::signed_integer)
      call(host_images::sample_i);
    else
      call(host_images::sample_u);
  }
  void write(const image_words &image, texel_type type, int dimensions, const int (&at)[3],
             const void *texel) const override {
    const Place in(image, dimensions);
    const auto call = [&](auto function, const auto &value) {
      function(in.descriptor, in.format, in.shape, at[0], at[1], at[2], 0, value);
    };
    if (type == texel_type::floating)
      call(host_images::write_f, taken<host_images::FloatTexel>(texel));
    else if (type == texel_type::signed_integer)
      call(host_images::write_i, taken<host_images::SignedTexel>(texel));
    else
      call(host_images::write_u, taken<host_images::UnsignedTexel>(texel));
  }
};

} // namespace

sycl::detail::image_pointer make_image(const image_origin &origin) {
  return make_of_process<ImageObject>(origin);
}

sycl::detail::image_pointer make_image_on(sycl::detail::buffer_pointer memory,
                                          const ImageDescriptor &descriptor,
                                          const sycl::image_sampler *sampler) {
  return make_of_process<ImageObject>(std::move(memory), descriptor, sampler);
}

const sycl::detail::image_functions &image_functions() {
  return leaked([] { return new Functions; });
}

} // namespace lockstep::sycl_api

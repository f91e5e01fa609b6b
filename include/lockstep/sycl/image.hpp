// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// unsampled_image and sampled_image (SYCL 2020, sections 4.7.3 and 4.7.8). The first dimension is
// the width.
#pragma once

#include "sycl/access.hpp"
#include "sycl/detail/memory_properties.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/range.hpp"

#include <cstring>

namespace sycl {

class handler;

enum class image_format : int {
  r8g8b8a8_unorm,
  r16g16b16a16_unorm,
  r8g8b8a8_sint,
  r16g16b16a16_sint,
  r32b32g32a32_sint,
  r8g8b8a8_uint,
  r16g16b16a16_uint,
  r32b32g32a32_uint,
  r16b16g16a16_sfloat,
  r32g32b32a32_sfloat,
  b8g8r8a8_unorm,
};
enum class addressing_mode : int { mirrored_repeat, repeat, clamp_to_edge, clamp, none };
enum class filtering_mode : int { nearest, linear };
enum class coordinate_normalization_mode : int { normalized, unnormalized };

struct image_sampler {
  addressing_mode addressing;
  coordinate_normalization_mode coordinate;
  filtering_mode filtering;
};

using image_allocator = std::allocator<std::byte>;

namespace property::image {

struct use_host_ptr : detail::property_base {};
struct use_mutex : detail::mutex_property {
  using mutex_property::mutex_property;
};
struct context_bound : detail::context_property {
  using context_property::context_property;
};

} // namespace property::image

template <class DataT, int Dimensions, access_mode Mode, image_target Target = image_target::device>
class unsampled_image_accessor;
template <class DataT, int Dimensions, image_target Target = image_target::device>
class sampled_image_accessor;
template <class DataT, int Dimensions = 1,
          access_mode Mode = std::is_const_v<DataT> ? access_mode::read : access_mode::read_write>
class host_unsampled_image_accessor;
template <class DataT, int Dimensions> class host_sampled_image_accessor;

namespace detail {

// Pitches in bytes of rows and slices. Images of one dimension have no such argument.
struct no_pitch {
  no_pitch() = delete;
};
template <int Dimensions> struct image_pitch_of {
  using type = range<Dimensions - 1>;
};
template <> struct image_pitch_of<1> {
  using type = no_pitch;
};
template <int Dimensions> using image_pitch = typename image_pitch_of<Dimensions>::type;

// The members that both kinds of image share.
template <class Image, int Dimensions, class Allocator>
class image_object : public object<Image, image_interface> {
  using base = object<Image, image_interface>;

public:
  static constexpr int dimensions = Dimensions;

  range<Dimensions> get_range() const { return range_; }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0> range<D - 1> get_pitch() const {
    if constexpr (D == 2)
      return {this->shared_->pitch(0)};
    else
      return {this->shared_->pitch(0), this->shared_->pitch(1)};
  }
  std::size_t size() const noexcept { return range_.size(); }
  std::size_t byte_size() const noexcept { return this->shared_->memory()->bytes(); }
  Allocator get_allocator() const { return allocator_; }

  template <class Property> bool has_property() const noexcept {
    return properties_.template has_property<Property>();
  }
  template <class Property> Property get_property() const {
    return properties_.template get_property<Property>();
  }

protected:
  image_object(image_origin origin, const range<Dimensions> &size, const void *pitch,
               const Allocator &allocator, const property_list &properties)
      : base(made(std::move(origin), size, pitch, properties)), range_(size), allocator_(allocator),
        properties_(properties) {}
  explicit image_object(image_pointer shared) // made by another API
      : base(std::move(shared)), range_(range_of(*this->shared_)) {}

  // `pitch` is an image_pitch, or null.
  static image_pointer made(image_origin origin, const range<Dimensions> &size, const void *pitch,
                            const property_list &properties) {
    namespace given = property::image;
    origin.dimensions = Dimensions;
    for (int d = 0; d < Dimensions; ++d)
      origin.range[d] = size[d];
    if constexpr (Dimensions > 1)
      for (int d = 0; pitch && d + 1 < Dimensions; ++d)
        origin.pitch[d] = (*static_cast<const image_pitch<Dimensions> *>(pitch))[d];
    read_properties<given::use_host_ptr, given::use_mutex, given::context_bound>(origin.memory,
                                                                                 properties);
    return lockstep_sycl_library().make_image(origin);
  }

private:
  static range<Dimensions> range_of(const image_interface &image) {
    if constexpr (Dimensions == 1)
      return {image.range(0)};
    else if constexpr (Dimensions == 2)
      return {image.range(0), image.range(1)};
    else
      return {image.range(0), image.range(1), image.range(2)};
  }

  range<Dimensions> range_;
  Allocator allocator_;
  property_list properties_;
};

// The type that an output iterator accepts.
template <class To, class = void> struct written_by {
  using type = typename std::iterator_traits<To>::value_type;
};
template <class To>
struct written_by<To,
                  std::enable_if_t<std::is_void_v<typename std::iterator_traits<To>::value_type>>> {
  using type = typename To::container_type::value_type;
};

} // namespace detail

template <int Dimensions = 1, class AllocatorT = image_allocator>
class unsampled_image
    : public detail::image_object<unsampled_image<Dimensions, AllocatorT>, Dimensions, AllocatorT> {
  using base =
      detail::image_object<unsampled_image<Dimensions, AllocatorT>, Dimensions, AllocatorT>;
  using size_type = range<Dimensions>;
  using pitch_type = detail::image_pitch<Dimensions>;

public:
  unsampled_image(image_format format, const size_type &size, const property_list &properties = {})
      : unsampled_image(nullptr, nullptr, format, size, nullptr, {}, properties) {}
  unsampled_image(image_format format, const size_type &size, AllocatorT allocator,
                  const property_list &properties = {})
      : unsampled_image(nullptr, nullptr, format, size, nullptr, allocator, properties) {}
  unsampled_image(image_format format, const size_type &size, const pitch_type &pitch,
                  const property_list &properties = {})
      : unsampled_image(nullptr, nullptr, format, size, &pitch, {}, properties) {}
  unsampled_image(image_format format, const size_type &size, const pitch_type &pitch,
                  AllocatorT allocator, const property_list &properties = {})
      : unsampled_image(nullptr, nullptr, format, size, &pitch, allocator, properties) {}

  unsampled_image(void *host, image_format format, const size_type &size,
                  const property_list &properties = {})
      : unsampled_image(host, nullptr, format, size, nullptr, {}, properties) {}
  unsampled_image(void *host, image_format format, const size_type &size, AllocatorT allocator,
                  const property_list &properties = {})
      : unsampled_image(host, nullptr, format, size, nullptr, allocator, properties) {}
  unsampled_image(void *host, image_format format, const size_type &size, const pitch_type &pitch,
                  const property_list &properties = {})
      : unsampled_image(host, nullptr, format, size, &pitch, {}, properties) {}
  unsampled_image(void *host, image_format format, const size_type &size, const pitch_type &pitch,
                  AllocatorT allocator, const property_list &properties = {})
      : unsampled_image(host, nullptr, format, size, &pitch, allocator, properties) {}

  unsampled_image(const std::shared_ptr<void> &host, image_format format, const size_type &size,
                  const property_list &properties = {})
      : unsampled_image(host.get(), host, format, size, nullptr, {}, properties) {}
  unsampled_image(const std::shared_ptr<void> &host, image_format format, const size_type &size,
                  AllocatorT allocator, const property_list &properties = {})
      : unsampled_image(host.get(), host, format, size, nullptr, allocator, properties) {}
  unsampled_image(const std::shared_ptr<void> &host, image_format format, const size_type &size,
                  const pitch_type &pitch, const property_list &properties = {})
      : unsampled_image(host.get(), host, format, size, &pitch, {}, properties) {}
  unsampled_image(const std::shared_ptr<void> &host, image_format format, const size_type &size,
                  const pitch_type &pitch, AllocatorT allocator,
                  const property_list &properties = {})
      : unsampled_image(host.get(), host, format, size, &pitch, allocator, properties) {}

  template <class DataT,
            access_mode Mode = std::is_const_v<DataT> ? access_mode::read : access_mode::read_write,
            image_target Target = image_target::device>
  auto get_access(handler &group, const property_list &properties = {}) {
    return unsampled_image_accessor<DataT, Dimensions, Mode, Target>(*this, group, properties);
  }
  template <class DataT,
            access_mode Mode = std::is_const_v<DataT> ? access_mode::read : access_mode::read_write>
  auto get_host_access(const property_list &properties = {}) {
    return host_unsampled_image_accessor<DataT, Dimensions, Mode>(*this, properties);
  }

  // `to` is an iterator, which receives the image's bytes as values of the type that it accepts, or
  // a pointer.
  template <class Destination = std::nullptr_t> void set_final_data(Destination to = nullptr) {
    detail::note_left_host_memory<unsampled_image>();
    this->shared_->memory()->set_final_data(
        detail::final_data(to, [bytes = this->byte_size()](const void *data, const auto &first) {
          using given = std::decay_t<decltype(first)>;
          if constexpr (std::is_pointer_v<given>) {
            std::memcpy(first, data, bytes);
          } else {
            using element = typename detail::written_by<given>::type;
            std::copy_n(static_cast<const element *>(data), bytes / sizeof(element), first);
          }
        }));
  }
  void set_write_back(bool on = true) {
    detail::note_left_host_memory<unsampled_image>();
    this->shared_->memory()->set_write_back(on);
  }

private:
  friend detail::pointer_access;
  explicit unsampled_image(detail::image_pointer shared) : base(std::move(shared)) {}
  unsampled_image(void *host, std::shared_ptr<void> keep, image_format format,
                  const size_type &size, const pitch_type *pitch, const AllocatorT &allocator,
                  const property_list &properties)
      : base(origin_of(host, std::move(keep), format), size, pitch, allocator, properties) {}
  static detail::image_origin origin_of(void *host, std::shared_ptr<void> keep,
                                        image_format format) {
    detail::image_origin origin;
    origin.format = format;
    origin.memory.host = host;
    origin.memory.keep = std::move(keep);
    return origin;
  }
};

template <int Dimensions = 1, class AllocatorT = image_allocator>
class sampled_image
    : public detail::image_object<sampled_image<Dimensions, AllocatorT>, Dimensions, AllocatorT> {
  using base = detail::image_object<sampled_image<Dimensions, AllocatorT>, Dimensions, AllocatorT>;
  using size_type = range<Dimensions>;
  using pitch_type = detail::image_pitch<Dimensions>;

public:
  sampled_image(const void *host, image_format format, image_sampler sampler, const size_type &size,
                const property_list &properties = {})
      : sampled_image(host, nullptr, format, sampler, size, nullptr, {}, properties) {}
  sampled_image(const void *host, image_format format, image_sampler sampler, const size_type &size,
                AllocatorT allocator, const property_list &properties = {})
      : sampled_image(host, nullptr, format, sampler, size, nullptr, allocator, properties) {}
  sampled_image(const void *host, image_format format, image_sampler sampler, const size_type &size,
                const pitch_type &pitch, const property_list &properties = {})
      : sampled_image(host, nullptr, format, sampler, size, &pitch, {}, properties) {}
  sampled_image(const void *host, image_format format, image_sampler sampler, const size_type &size,
                const pitch_type &pitch, AllocatorT allocator, const property_list &properties = {})
      : sampled_image(host, nullptr, format, sampler, size, &pitch, allocator, properties) {}

  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const size_type &size, const property_list &properties = {})
      : sampled_image(host.get(), host, format, sampler, size, nullptr, {}, properties) {}
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const size_type &size, AllocatorT allocator, const property_list &properties = {})
      : sampled_image(host.get(), host, format, sampler, size, nullptr, allocator, properties) {}
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const size_type &size, const pitch_type &pitch,
                const property_list &properties = {})
      : sampled_image(host.get(), host, format, sampler, size, &pitch, {}, properties) {}
  sampled_image(const std::shared_ptr<const void> &host, image_format format, image_sampler sampler,
                const size_type &size, const pitch_type &pitch, AllocatorT allocator,
                const property_list &properties = {})
      : sampled_image(host.get(), host, format, sampler, size, &pitch, allocator, properties) {}

  template <class DataT, image_target Target = image_target::device>
  auto get_access(handler &group, const property_list &properties = {}) {
    return sampled_image_accessor<DataT, Dimensions, Target>(*this, group, properties);
  }
  template <class DataT> auto get_host_access(const property_list &properties = {}) {
    return host_sampled_image_accessor<DataT, Dimensions>(*this, properties);
  }

private:
  friend detail::pointer_access;
  explicit sampled_image(detail::image_pointer shared) : base(std::move(shared)) {}
  sampled_image(const void *host, const std::shared_ptr<const void> &keep, image_format format,
                const image_sampler &sampler, const size_type &size, const pitch_type *pitch,
                const AllocatorT &allocator, const property_list &properties)
      : base(origin_of(host, keep, format, sampler), size, pitch, allocator, properties) {}
  // A sampled image is never written, so the program's memory serves as the image.
  static detail::image_origin origin_of(const void *host, const std::shared_ptr<const void> &keep,
                                        image_format format, const image_sampler &sampler) {
    detail::image_origin origin;
    origin.format = format;
    origin.sampler = &sampler;
    origin.memory.host = const_cast<void *>(host);
    origin.memory.is_constant = true;
    origin.memory.must_use_host = host != nullptr;
    origin.memory.keep = std::const_pointer_cast<void>(keep);
    return origin;
  }
};

} // namespace sycl

template <int Dimensions, class Allocator>
struct std::hash<sycl::unsampled_image<Dimensions, Allocator>>
    : sycl::detail::hash_of_object<sycl::unsampled_image<Dimensions, Allocator>> {};
template <int Dimensions, class Allocator>
struct std::hash<sycl::sampled_image<Dimensions, Allocator>>
    : sycl::detail::hash_of_object<sycl::sampled_image<Dimensions, Allocator>> {};

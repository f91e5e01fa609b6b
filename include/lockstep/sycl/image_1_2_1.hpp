// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// image, sampler and image accessors of SYCL 1.2.1 (its sections 4.7.3, 4.7.6.12 and 4.7.8), for
// <CL/sycl.hpp>. Images have any of OpenCL's formats, and the kernel supplies the sampler.
#pragma once

#include "sycl/backend_interop.hpp"
#include "sycl/image_accessor.hpp"

namespace sycl {

// The enumerators have OpenCL's values.
enum class image_channel_order : unsigned int {
  r = 0x10b0,
  a,
  rg,
  ra,
  rgb,
  rgba,
  bgra,
  argb,
  intensity,
  luminance,
  rx,
  rgx,
  rgbx,
  abgr = 0x10c3,
};
enum class image_channel_type : unsigned int {
  snorm_int8 = 0x10d0,
  snorm_int16,
  unorm_int8,
  unorm_int16,
  unorm_short_565,
  unorm_short_555,
  unorm_int_101010,
  signed_int8,
  signed_int16,
  signed_int32,
  unsigned_int8,
  unsigned_int16,
  unsigned_int32,
  fp16,
  fp32,
};

namespace detail {

// Formats that SYCL 2020 does not number: OpenCL's channel order in the upper 16 bits, its channel
// type in the lower.
constexpr image_format format_of(image_channel_order order, image_channel_type type) {
  return static_cast<image_format>(static_cast<unsigned>(order) << 16 |
                                   static_cast<unsigned>(type));
}

class sampler {
public:
  sampler(coordinate_normalization_mode coordinate, addressing_mode addressing,
          filtering_mode filtering, const property_list & = {})
      : modes_{addressing, coordinate, filtering} {}
  addressing_mode get_addressing_mode() const { return modes_.addressing; }
  filtering_mode get_filtering_mode() const { return modes_.filtering; }
  coordinate_normalization_mode get_coordinate_normalization_mode() const {
    return modes_.coordinate;
  }
  friend bool operator==(const sampler &a, const sampler &b) { return a.bits() == b.bits(); }
  friend bool operator!=(const sampler &a, const sampler &b) { return !(a == b); }

private:
  friend struct sampled_by;
  // The sampler as OpenCL C encodes it: CLK_NORMALIZED_COORDS_TRUE and so on.
  constexpr std::uint32_t bits() const {
    constexpr std::uint32_t of_mode[] = {8, 6, 2, 4, 0};
    return of_mode[static_cast<int>(modes_.addressing)] |
           (modes_.coordinate == coordinate_normalization_mode::normalized ? 1 : 0) |
           (modes_.filtering == filtering_mode::linear ? 0x20 : 0x10);
  }

  image_sampler modes_;
};

struct sampled_by {
  static image_words words(image_words image, const sampler &by) {
    image.kind = (image.kind & 0xffffffff) | std::uint64_t(by.bits()) << 32;
    return image;
  }
};

inline constexpr auto old_host_image_target = static_cast<target>(5),
                      old_image_target = static_cast<target>(6),
                      old_image_array_target = static_cast<target>(7);

template <int Dimensions = 2, class Allocator = image_allocator>
class image_of_any_format : public unsampled_image<Dimensions, Allocator> {
  using base = unsampled_image<Dimensions, Allocator>;
  using order = image_channel_order;
  using type = image_channel_type;
  using size_type = range<Dimensions>;
  using pitch_type = image_pitch<Dimensions>;

public:
  // Takes a size, then the optional arguments of unsampled_image: a pitch, an allocator,
  // properties.
  template <class... Rest>
  image_of_any_format(void *host, order order, type type, const size_type &size,
                      const Rest &...rest)
      : base(host, format_of(order, type), size, rest...) {}
  template <class... Rest>
  image_of_any_format(const void *host, order order, type type, const size_type &size,
                      const Rest &...rest)
      : base(format_of(order, type), size, rest...) {
    std::memcpy(this->shared_->memory()->data(), host, this->byte_size());
  }
  template <class T, class... Rest>
  image_of_any_format(const std::shared_ptr<T> &host, order order, type type, const size_type &size,
                      const Rest &...rest)
      : base(std::shared_ptr<void>(host), format_of(order, type), size, rest...) {}
  template <class... Rest>
  image_of_any_format(order order, type type, const size_type &size, const Rest &...rest)
      : base(format_of(order, type), size, rest...) {}
  template <class Handle, if_handle<Handle, _cl_mem> = 0>
  image_of_any_format(Handle of, const context &in, event available = {})
      : base(make_unsampled_image<backend::opencl, Dimensions, Allocator>(of, in, available)) {}

  std::size_t get_count() const { return this->size(); }
  std::size_t get_size() const { return this->byte_size(); }

  template <class T, access_mode Mode> auto get_access(handler &group) {
    return accessor<T, Dimensions, Mode, old_image_target, access::placeholder::false_t>(*this,
                                                                                         group);
  }
  template <class T, access_mode Mode> auto get_access() {
    return accessor<T, Dimensions, Mode, old_host_image_target, access::placeholder::false_t>(
        *this);
  }
};

// The members that accessors for commands and for the host share.
template <template <class, int> class Elements, class T, int Dimensions, access_mode Mode>
class texels_of_any_format : public Elements<T, Dimensions> {
  using base = Elements<T, Dimensions>;

public:
  using value_type = T;
  using reference = T &;

  range<Dimensions> get_range() const { return range_; }
  std::size_t get_count() const { return range_.size(); }
  template <class Place, access_mode M = Mode, std::enable_if_t<only_reads(M), int> = 0>
  T read(const Place &place) const {
    return this->get(image_place<int, Dimensions>(place));
  }
  template <class Place, access_mode M = Mode, std::enable_if_t<only_reads(M), int> = 0>
  T read(const Place &place, const sampler &by) const {
    using number = number_of<Place>;
    return get_texel<T, Dimensions, number>(sampled_by::words(image_of::words(*this), by),
                                            image_place<number, Dimensions>(place));
  }
  template <class Place, access_mode M = Mode, std::enable_if_t<!only_reads(M), int> = 0>
  void write(const Place &place, const T &color) const {
    this->put(image_place<int, Dimensions>(place), color);
  }

protected:
  template <class Place>
  using number_of =
      std::conditional_t<std::is_floating_point_v<decltype(coordinate<0>(std::declval<Place>()))>,
                         float, int>;

  template <class Image, class... Kind>
  explicit texels_of_any_format(Image &of, Kind... kind)
      : base(of, kind..., property_list()), range_(of.get_range()) {}

private:
  range<Dimensions> range_;
};

// One image of an image array. The array is stored as an image with one more dimension.
template <class Array, int Dimensions> class image_of_array {
public:
  image_of_array(const Array &array, std::size_t index) : array_(array), index_(index) {}

  range<Dimensions> get_range() const {
    if constexpr (Dimensions == 1)
      return range<1>(array_.get_range()[0]);
    else
      return range<2>(array_.get_range()[0], array_.get_range()[1]);
  }
  std::size_t get_count() const { return get_range().size(); }
  template <class Place> auto read(const Place &place) const { return array_.read(whole(place)); }
  template <class Place> auto read(const Place &place, const sampler &by) const {
    if constexpr (std::is_floating_point_v<decltype(coordinate<0>(place))>) {
      const float middle = float(index_) + 0.5f; // the middle of a slice: mixes in no other image
      return array_.read(by.get_coordinate_normalization_mode() ==
                                 coordinate_normalization_mode::normalized
                             ? with_last(place, middle / float(array_.get_range()[Dimensions]))
                             : with_last(place, middle),
                         by);
    } else {
      return array_.read(whole(place), by);
    }
  }
  template <class Place, class T> void write(const Place &place, const T &color) const {
    array_.write(whole(place), color);
  }

private:
  template <class Place> auto whole(const Place &place) const {
    return with_last(place, int(index_));
  }
  template <class Place, class T> static auto with_last(const Place &place, T last) {
    if constexpr (Dimensions == 1)
      return vec<T, 2>(place, last);
    else
      return vec<T, 4>(coordinate<0>(place), coordinate<1>(place), last, T(0));
  }

  const Array &array_;
  std::size_t index_;
};

} // namespace detail

template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
class accessor<T, Dimensions, Mode, detail::old_image_target, Placeholder>
    : public detail::texels_of_any_format<detail::image_elements, T, Dimensions, Mode> {
  using base = detail::texels_of_any_format<detail::image_elements, T, Dimensions, Mode>;

public:
  template <class Allocator>
  accessor(detail::image_of_any_format<Dimensions, Allocator> &of, handler &group) : base(of) {
    detail::handler_access::require(group, detail::pointer_access::of(of),
                                    detail::kind_of(Mode, property_list()));
  }
};

template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
class accessor<T, Dimensions, Mode, detail::old_host_image_target, Placeholder>
    : public detail::texels_of_any_format<detail::host_image_elements, T, Dimensions, Mode> {
  using base = detail::texels_of_any_format<detail::host_image_elements, T, Dimensions, Mode>;

public:
  template <class Allocator>
  explicit accessor(detail::image_of_any_format<Dimensions, Allocator> &of)
      : base(of, detail::kind_of(Mode, property_list())) {}
};

template <class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
class accessor<T, Dimensions, Mode, detail::old_image_array_target, Placeholder> {
  using whole = accessor<T, Dimensions + 1, Mode, detail::old_image_target, Placeholder>;

public:
  template <class Allocator>
  accessor(detail::image_of_any_format<Dimensions + 1, Allocator> &of, handler &group)
      : whole_(of, group) {}
  range<Dimensions + 1> get_range() const { return whole_.get_range(); }
  std::size_t get_count() const { return whole_.get_count(); }
  detail::image_of_array<whole, Dimensions> operator[](std::size_t index) const {
    return {whole_, index};
  }

private:
  whole whole_;
};

} // namespace sycl

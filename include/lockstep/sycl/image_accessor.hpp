// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Accessors of images (SYCL 2020, sections 4.7.6.13 and 4.7.6.14), for commands and for the host. A
// host accessor holds the image while it lives.
#pragma once

#include "sycl/accessor.hpp"
#include "sycl/detail/host_only.hpp"
#include "sycl/detail/texels.hpp"
#include "sycl/handler.hpp"
#include "sycl/image.hpp"

namespace sycl {

namespace detail {

// The members that all image accessors share.
template <class DataT, int Dimensions> class image_elements {
protected:
  using texel = std::remove_const_t<DataT>;

public:
  static constexpr int dimensions = Dimensions;
  using const_reference = const DataT &;

  std::size_t size() const noexcept { return size_; }

  template <class Property> bool has_property() const noexcept {
    return std::is_same_v<Property, property::no_init> && overwrites_;
  }
  template <class Property> Property get_property() const {
    if (!has_property<Property>())
      detail::raise(errc::invalid, "the accessor does not have this property");
    return {};
  }

  friend bool operator==(const image_elements &a, const image_elements &b) {
    return a.words_ == b.words_ && a.identity_ == b.identity_;
  }
  friend bool operator!=(const image_elements &a, const image_elements &b) { return !(a == b); }

protected:
  template <class Image>
  image_elements(Image &of, const property_list &properties)
      : memory_(pointer_access::of(of)->view()), words_(pointer_access::of(of)->words()),
        size_(of.size()), overwrites_(properties.has_property<property::no_init>()) {}
  template <class Other,
            class = std::enable_if_t<std::is_same_v<std::remove_const_t<Other>, texel>>>
  image_elements(const image_elements<Other, Dimensions> &other)
      : memory_(other.memory_), words_(other.words_), size_(other.size_),
        identity_(other.identity_), overwrites_(other.overwrites_) {}

  texel get(const image_place<int, Dimensions> &place) const noexcept {
    return get_texel<texel, Dimensions, int>(words_, place);
  }
  texel get(const image_place<float, Dimensions> &place) const noexcept {
    return get_texel<texel, Dimensions, float>(words_, place);
  }
  void put(const image_place<int, Dimensions> &place, const texel &color) const {
    put_texel<texel, Dimensions>(words_, place, color);
  }

private:
  template <class, int> friend class image_elements;
  template <class> friend struct hash_of_image_accessor;
  friend struct image_of;

protected:
  host_only<buffer_interface> memory_;

private:
  image_words words_;
  std::size_t size_ = 0;

protected:
  std::uintptr_t identity_ = 0; // host accessors only: their copies are the same object

private:
  bool overwrites_ = false;
};

// Gives the library access to the members of an accessor.
struct image_of {
  template <class DataT, int Dimensions>
  static buffer_interface *accessor(const image_elements<DataT, Dimensions> &of) {
#ifndef __SYCL_DEVICE_ONLY__
    return of.memory_.get();
#else
    return nullptr;
#endif
  }
  template <class DataT, int Dimensions>
  static const image_words &words(const image_elements<DataT, Dimensions> &of) {
    return of.words_;
  }
};

constexpr bool reads(access_mode mode) {
  return mode == access_mode::read || mode == access_mode::read_write;
}
constexpr bool writes(access_mode mode) {
  return mode == access_mode::write || mode == access_mode::read_write;
}

// A host accessor holds the image while it lives.
template <class DataT, int Dimensions>
class host_image_elements : public image_elements<DataT, Dimensions> {
protected:
  template <class Image>
  host_image_elements(Image &of, access_kind kind, const property_list &properties)
      : image_elements<DataT, Dimensions>(of, properties),
        access_(pointer_access::of(of)->memory()->host_access(kind, 0, of.byte_size())) {
    this->identity_ = reinterpret_cast<std::uintptr_t>(access_.get());
  }
  template <class Other>
  host_image_elements(const host_image_elements<Other, Dimensions> &other)
      : image_elements<DataT, Dimensions>(other), access_(other.access_) {}

private:
  template <class, int> friend class host_image_elements;
  std::shared_ptr<host_access_interface> access_;
};

template <class Accessor> struct hash_of_image_accessor {
  std::size_t operator()(const Accessor &one) const noexcept {
    return static_cast<std::size_t>(one.words_.descriptor ^ one.identity_);
  }
};

template <class DataT, access_mode Mode>
using accessed_texel = std::conditional_t<Mode == access_mode::read, const DataT, DataT>;

// Enables conversion between accessors that differ only in `const` of the texel type.
template <class T, class Other>
using if_other_const =
    std::enable_if_t<!std::is_same_v<T, Other> &&
                         std::is_same_v<std::remove_const_t<T>, std::remove_const_t<Other>>,
                     int>;

// The members that accessors for commands and for the host share.
template <template <class, int> class Elements, class DataT, int Dimensions, access_mode Mode>
class unsampled_texels : public Elements<DataT, Dimensions> {
  static_assert(Mode == access_mode::read || Mode == access_mode::write ||
                    Mode == access_mode::read_write,
                "an accessor of an unsampled image reads or writes (SYCL 2020 section 4.7.6.13)");
  using base = Elements<DataT, Dimensions>;
  using texel = typename base::texel;

public:
  using value_type = accessed_texel<DataT, Mode>;
  using reference = value_type &;

  template <class CoordT, access_mode M = Mode, std::enable_if_t<reads(M), int> = 0>
  texel read(const CoordT &coords) const noexcept {
    return this->get(image_place<int, Dimensions>(coords));
  }
  template <class CoordT, access_mode M = Mode, std::enable_if_t<writes(M), int> = 0>
  void write(const CoordT &coords, const DataT &color) const {
    this->put(image_place<int, Dimensions>(coords), color);
  }

protected:
  using base::base;
};
template <template <class, int> class Elements, class DataT, int Dimensions>
class sampled_texels : public Elements<DataT, Dimensions> {
  using base = Elements<DataT, Dimensions>;
  using texel = typename base::texel;

public:
  using value_type = const DataT;
  using reference = const DataT &;

  template <class CoordT> texel read(const CoordT &coords) const noexcept {
    return this->get(image_place<float, Dimensions>(coords));
  }

protected:
  using base::base;
};

} // namespace detail

template <class DataT, int Dimensions, access_mode Mode, image_target Target>
class unsampled_image_accessor
    : public detail::unsampled_texels<detail::image_elements, DataT, Dimensions, Mode> {
  using base = detail::unsampled_texels<detail::image_elements, DataT, Dimensions, Mode>;

public:
  template <class AllocatorT>
  unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT> &of, handler &group,
                           const property_list &properties = {})
      : base(of, properties) {
    detail::handler_access::require(group, detail::pointer_access::of(of),
                                    detail::kind_of(Mode, properties));
  }
  template <class Other, detail::if_other_const<DataT, Other> = 0, access_mode M = Mode,
            std::enable_if_t<M == access_mode::read, int> = 0>
  unsampled_image_accessor(const unsampled_image_accessor<Other, Dimensions, Mode, Target> &other)
      : base(other) {}
};

template <class DataT, int Dimensions, image_target Target>
class sampled_image_accessor
    : public detail::sampled_texels<detail::image_elements, DataT, Dimensions> {
  using base = detail::sampled_texels<detail::image_elements, DataT, Dimensions>;

public:
  template <class AllocatorT>
  sampled_image_accessor(sampled_image<Dimensions, AllocatorT> &of, handler &group,
                         const property_list &properties = {})
      : base(of, properties) {
    detail::handler_access::require(group, detail::pointer_access::of(of),
                                    detail::access_kind::read);
  }
  template <class Other, detail::if_other_const<DataT, Other> = 0>
  sampled_image_accessor(const sampled_image_accessor<Other, Dimensions, Target> &other)
      : base(other) {}
};

template <class DataT, int Dimensions, access_mode Mode>
class host_unsampled_image_accessor
    : public detail::unsampled_texels<detail::host_image_elements, DataT, Dimensions, Mode> {
  using base = detail::unsampled_texels<detail::host_image_elements, DataT, Dimensions, Mode>;

public:
  template <class AllocatorT>
  host_unsampled_image_accessor(unsampled_image<Dimensions, AllocatorT> &of,
                                const property_list &properties = {})
      : base(of, detail::kind_of(Mode, properties), properties) {}
  template <class Other, detail::if_other_const<DataT, Other> = 0, access_mode M = Mode,
            std::enable_if_t<M == access_mode::read, int> = 0>
  host_unsampled_image_accessor(const host_unsampled_image_accessor<Other, Dimensions, Mode> &other)
      : base(other) {}
};

template <class DataT, int Dimensions>
class host_sampled_image_accessor
    : public detail::sampled_texels<detail::host_image_elements, DataT, Dimensions> {
  using base = detail::sampled_texels<detail::host_image_elements, DataT, Dimensions>;

public:
  template <class AllocatorT>
  host_sampled_image_accessor(sampled_image<Dimensions, AllocatorT> &of,
                              const property_list &properties = {})
      : base(of, detail::access_kind::read, properties) {}
  template <class Other, detail::if_other_const<DataT, Other> = 0>
  host_sampled_image_accessor(const host_sampled_image_accessor<Other, Dimensions> &other)
      : base(other) {}
};

// Arguments of OpenCL C kernels: an image, and for a sampled image also its sampler.
template <class T, int D, access_mode M, image_target G>
void handler::set_argument(int index, const unsampled_image_accessor<T, D, M, G> &of) {
  group_.set_image_argument(index, detail::image_of::words(of), D, &of, sizeof of);
}
template <class T, int D, image_target G>
void handler::set_argument(int index, const sampled_image_accessor<T, D, G> &of) {
  group_.set_image_argument(index, detail::image_of::words(of), D, &of, sizeof of);
}

} // namespace sycl

template <class T, int D, sycl::access_mode M, sycl::image_target G>
struct std::hash<sycl::unsampled_image_accessor<T, D, M, G>>
    : sycl::detail::hash_of_image_accessor<sycl::unsampled_image_accessor<T, D, M, G>> {};
template <class T, int D, sycl::image_target G>
struct std::hash<sycl::sampled_image_accessor<T, D, G>>
    : sycl::detail::hash_of_image_accessor<sycl::sampled_image_accessor<T, D, G>> {};
template <class T, int D, sycl::access_mode M>
struct std::hash<sycl::host_unsampled_image_accessor<T, D, M>>
    : sycl::detail::hash_of_image_accessor<sycl::host_unsampled_image_accessor<T, D, M>> {};
template <class T, int D>
struct std::hash<sycl::host_sampled_image_accessor<T, D>>
    : sycl::detail::hash_of_image_accessor<sycl::host_sampled_image_accessor<T, D>> {};

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base class of accessor and host_accessor: elements of a buffer and their access mode.
#pragma once

#include "sycl/buffer.hpp"
#include "sycl/detail/elements.hpp"
#include "sycl/detail/host_only.hpp"

namespace sycl::detail {

inline access_kind kind_of(access_mode mode, const property_list &properties) {
  const bool overwrites = properties.has_property<property::no_init>();
  switch (mode) {
  case access_mode::read:
    if (overwrites)
      raise(errc::invalid,
            "the property no_init is given to an accessor that only reads (SYCL 2020 "
            "section 4.7.6.4)");
    return access_kind::read;
  case access_mode::write:
    return overwrites ? access_kind::overwrite : access_kind::write;
  case discard_write_mode:
  case discard_read_write_mode:
    return access_kind::overwrite;
  default:
    return overwrites ? access_kind::overwrite : access_kind::read_write;
  }
}

constexpr bool only_reads(access_mode mode) {
  return mode == access_mode::read;
}

template <class T, access_mode Mode>
using accessed_type = std::conditional_t<only_reads(Mode), const T, T>;

// An accessor for reading also converts from other accessors (SYCL 2020, section 4.7.6.9.3). These
// may differ in `const` of the element type, or write as well.
template <class T, access_mode Mode, class Other, access_mode OtherMode>
using if_reads_too =
    std::enable_if_t<Mode == access_mode::read &&
                         (OtherMode == access_mode::read || OtherMode == access_mode::read_write) &&
                         std::is_same_v<std::remove_const_t<T>, std::remove_const_t<Other>> &&
                         !(std::is_same_v<T, Other> && Mode == OtherMode),
                     int>;

template <class T, int Dimensions, class Access = by_reference<T>>
class buffer_elements : public elements<T, Dimensions, Access> {
  using base = elements<T, Dimensions, Access>;

protected:
  using typename base::id_type;
  using typename base::range_type;

public:
  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0> id<D> get_offset() const {
    return offset_;
  }

protected:
  buffer_elements() = default;
  template <class Buffer>
  buffer_elements(Buffer &of, access_kind kind, const range_type &box, const id_type &offset)
      : base(static_cast<T *>(pointer_access::of(of)->data()), memory_range_of(of), box),
        offset_(offset), kind_(kind), buffer_(pointer_access::of(of)->view()) {
    for (int d = 0; d < base::dimensions_; ++d)
      if (offset[d] > this->memory_range_[d] || box[d] > this->memory_range_[d] - offset[d])
        raise(errc::invalid, "the range of an accessor is not inside its buffer (SYCL 2020 section "
                             "4.7.6.9)");
    this->data_ += linear_index(offset, this->memory_range_);
  }

  template <class U, class OtherAccess>
  buffer_elements(const buffer_elements<U, Dimensions, OtherAccess> &other, access_kind kind)
      : base(other.data_, other.memory_range_, other.box_), offset_(other.offset_), kind_(kind),
        buffer_(other.buffer_) {}

  // Returns the address of the buffer's first element.
  T *origin() const { return this->data_ - linear_index(offset_, this->memory_range_); }
  // Returns the number of bytes from the first to the last element of the box, in the buffer's
  // layout.
  std::size_t first_byte() const { return linear_index(offset_, this->memory_range_) * sizeof(T); }
  std::size_t byte_count() const {
    if (this->box_.size() == 0)
      return 0;
    id_type last;
    for (int d = 0; d < base::dimensions_; ++d)
      last[d] = this->box_[d] - 1;
    return (linear_index(last, this->memory_range_) + 1) * sizeof(T);
  }

  template <class Buffer> static range_type memory_range_of(const Buffer &of) {
    if constexpr (Dimensions == 0)
      return range_type(of.size() != 0);
    else
      return of.get_range();
  }

  friend struct box_of;
  friend struct ownership;
  template <class, int, class> friend class buffer_elements;
  id_type offset_;
  access_kind kind_ = access_kind::read;
  host_only<buffer_interface> buffer_;
};

// Describes the elements of an accessor to the library.
struct box_of {
  template <class T, int Dimensions, class Access>
  static memory_box accessor(const buffer_elements<T, Dimensions, Access> &of) {
    memory_box box;
#ifndef __SYCL_DEVICE_ONLY__
    box.buffer = of.buffer_.get();
#endif
    box.data = const_cast<std::remove_const_t<T> *>(of.origin());
    box.element = sizeof(T);
    constexpr int dimensions = Dimensions == 0 ? 1 : Dimensions;
    for (int d = 0; d < dimensions; ++d) {
      box.memory[3 - dimensions + d] = of.memory_range_[d];
      box.offset[3 - dimensions + d] = of.offset_[d];
      box.range[3 - dimensions + d] = of.box_[d];
    }
    return box;
  }
};

} // namespace sycl::detail

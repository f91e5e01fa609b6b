// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// item (SYCL 2020, section 4.9.1.4): the point of a range that a simple parallel_for passes to its
// kernel.
#pragma once

#include "sycl/id.hpp"

namespace sycl {

namespace detail {
struct make;
}

template <int Dimensions = 1, bool WithOffset = true>
class item : public detail::number_if_one<item<Dimensions, WithOffset>, Dimensions> {
public:
  static constexpr int dimensions = Dimensions;

  item() = delete;

  id<Dimensions> get_id() const { return id_; }
  std::size_t get_id(int dimension) const { return id_[dimension]; }
  std::size_t operator[](int dimension) const { return id_[dimension]; }
  range<Dimensions> get_range() const { return range_; }
  std::size_t get_range(int dimension) const { return range_[dimension]; }
  template <bool With = WithOffset, std::enable_if_t<With, int> = 0>
  [[deprecated("offsets are deprecated in SYCL 2020")]] id<Dimensions> get_offset() const {
    return offset_;
  }
  template <bool With, std::enable_if_t<With && !WithOffset, int> = 0>
  operator item<Dimensions, With>() const {
    return item<Dimensions, With>(id_, range_, id<Dimensions>());
  }
  std::size_t get_linear_id() const {
    if constexpr (WithOffset)
      return detail::linear_index(id_ - offset_, range_);
    else
      return detail::linear_index(id_, range_);
  }

  friend bool operator==(const item &a, const item &b) {
    return a.id_ == b.id_ && a.range_ == b.range_ && a.offset_ == b.offset_;
  }
  friend bool operator!=(const item &a, const item &b) { return !(a == b); }

private:
  friend struct detail::make;
  template <int, bool> friend class item;
  item(const id<Dimensions> &one, const range<Dimensions> &all, const id<Dimensions> &offset)
      : id_(one), range_(all), offset_(offset) {}

  id<Dimensions> id_;
  range<Dimensions> range_;
  id<Dimensions> offset_;
};

namespace detail {

// Constructs objects whose constructors are reserved for the implementation.
struct make {
  template <class T, class... Arguments> static T object(Arguments &&...arguments) {
    return T(static_cast<Arguments &&>(arguments)...);
  }
};

} // namespace detail

} // namespace sycl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// nd_range (SYCL 2020, section 4.9.1.2): the global size, local size and offset of a launch.
#pragma once

#include "sycl/id.hpp"

namespace sycl {

namespace detail {
struct offset_of;
}

template <int Dimensions = 1> class nd_range {
public:
  static constexpr int dimensions = Dimensions;

  nd_range() = default; // no work-items; DPC++ has it
  nd_range(range<Dimensions> global, range<Dimensions> local,
           id<Dimensions> offset = id<Dimensions>())
      : global_(global), local_(local), offset_(offset) {}

  range<Dimensions> get_global_range() const { return global_; }
  range<Dimensions> get_local_range() const { return local_; }
  range<Dimensions> get_group_range() const { return global_ / local_; }
  [[deprecated("offsets are deprecated in SYCL 2020")]] id<Dimensions> get_offset() const {
    return offset_;
  }

  friend bool operator==(const nd_range &a, const nd_range &b) {
    return a.global_ == b.global_ && a.local_ == b.local_ && a.offset_ == b.offset_;
  }
  friend bool operator!=(const nd_range &a, const nd_range &b) { return !(a == b); }

private:
  friend struct detail::offset_of;
  range<Dimensions> global_, local_;
  id<Dimensions> offset_;
};

} // namespace sycl

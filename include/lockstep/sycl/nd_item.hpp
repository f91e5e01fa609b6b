// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// nd_item (SYCL 2020, section 4.9.1.5): the current work-item. It has no members: the device
// queries its position from builtins.
#pragma once

#include "sycl/group.hpp"
#include "sycl/group_barrier.hpp"
#include "sycl/nd_range.hpp"
#include "sycl/sub_group.hpp"

namespace sycl {

namespace ext::oneapi::experimental {
template <int Dimensions> class root_group;
}

template <int Dimensions = 1> class nd_item : public detail::group_copies<nd_item<Dimensions>> {
public:
  static constexpr int dimensions = Dimensions;

  id<Dimensions> get_global_id() const { return detail::on_device::global_id_point<Dimensions>(); }
  std::size_t get_global_id(int dimension) const { return get_global_id()[dimension]; }
  std::size_t get_global_linear_id() const {
    return detail::linear_index(get_global_id() - offset(), get_global_range());
  }
  id<Dimensions> get_local_id() const { return detail::on_device::local_id_point<Dimensions>(); }
  std::size_t get_local_id(int dimension) const { return get_local_id()[dimension]; }
  std::size_t get_local_linear_id() const {
    return detail::linear_index(get_local_id(), get_local_range());
  }
  group<Dimensions> get_group() const { return group<Dimensions>(); }
  std::size_t get_group(int dimension) const { return get_group().get_group_id(dimension); }
  std::size_t get_group_linear_id() const { return get_group().get_group_linear_id(); }
  range<Dimensions> get_group_range() const { return get_group().get_group_range(); }
  std::size_t get_group_range(int dimension) const { return get_group_range()[dimension]; }
  sub_group get_sub_group() const { return sub_group(); }
  ext::oneapi::experimental::root_group<Dimensions> ext_oneapi_get_root_group() const {
    return ext::oneapi::experimental::root_group<Dimensions>();
  }
  range<Dimensions> get_global_range() const {
    return detail::on_device::global_size_point<Dimensions>();
  }
  std::size_t get_global_range(int dimension) const { return get_global_range()[dimension]; }
  range<Dimensions> get_local_range() const {
    return detail::on_device::local_size_point<Dimensions>();
  }
  std::size_t get_local_range(int dimension) const { return get_local_range()[dimension]; }
  [[deprecated("offsets are deprecated in SYCL 2020")]] id<Dimensions> get_offset() const {
    return offset();
  }
  nd_range<Dimensions> get_nd_range() const {
    return nd_range<Dimensions>(get_global_range(), get_local_range(), offset());
  }

  [[deprecated("use group_barrier(get_group())")]] void
  barrier(access::fence_space space = access::fence_space::global_and_local) const {
    using access::fence_space;
    namespace device = detail::on_device;
    device::work_group_barrier((space != fence_space::global_space ? device::local_fence : 0) |
                               (space != fence_space::local_space ? device::global_fence : 0));
  }
  template <access::mode Mode = access::mode::read_write>
  [[deprecated("use atomic_fence()")]] void
  mem_fence(access::fence_space = access::fence_space::global_and_local) const {
    detail::fence_of_mode<Mode>();
  }

  friend bool operator==(const nd_item &, const nd_item &) { return true; }
  friend bool operator!=(const nd_item &, const nd_item &) { return false; }

private:
  friend struct detail::make;
  nd_item() = default;
  static id<Dimensions> offset() { return detail::on_device::global_offset_point<Dimensions>(); }
};

} // namespace sycl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sub_group (SYCL 2020, section 4.9.1.8): the current sub-group. Its work-items are the lanes of a
// vector register.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/id.hpp"
#include "sycl/memory_enums.hpp"
#include "sycl/vec.hpp"

namespace sycl {

class sub_group {
public:
  using id_type = id<1>;
  using range_type = range<1>;
  using linear_id_type = std::uint32_t;
  static constexpr int dimensions = 1;
  static constexpr memory_scope fence_scope = memory_scope::sub_group;

  id<1> get_group_id() const { return detail::on_device::sub_group_id(); }
  id<1> get_local_id() const { return detail::on_device::sub_group_local_id(); }
  range<1> get_local_range() const { return detail::on_device::sub_group_size(); }
  range<1> get_group_range() const { return detail::on_device::num_sub_groups(); }
  range<1> get_max_local_range() const { return detail::on_device::max_sub_group_size(); }
  linear_id_type get_group_linear_id() const { return detail::on_device::sub_group_id(); }
  linear_id_type get_local_linear_id() const { return detail::on_device::sub_group_local_id(); }
  linear_id_type get_group_linear_range() const { return detail::on_device::num_sub_groups(); }
  linear_id_type get_local_linear_range() const { return detail::on_device::sub_group_size(); }
  bool leader() const { return get_local_linear_id() == 0; }

  // Loads and stores one element for each work-item from contiguous memory, or a vec whose elements
  // are a sub-group's width apart.
  template <class T, access::address_space Space, access::decorated Decorated>
  std::remove_const_t<T> load(multi_ptr<T, Space, Decorated> from) const {
    return from.get_raw()[get_local_linear_id()];
  }
  template <int Size, class T, access::address_space Space, access::decorated Decorated>
  vec<std::remove_const_t<T>, Size> load(multi_ptr<T, Space, Decorated> from) const {
    vec<std::remove_const_t<T>, Size> result;
    for (int i = 0; i < Size; ++i)
      result[i] = from.get_raw()[i * get_local_linear_range() + get_local_linear_id()];
    return result;
  }
  template <class T, access::address_space Space, access::decorated Decorated>
  void store(multi_ptr<T, Space, Decorated> to, const std::remove_const_t<T> &value) const {
    to.get_raw()[get_local_linear_id()] = value;
  }
  template <int Size, class T, access::address_space Space, access::decorated Decorated>
  void store(multi_ptr<T, Space, Decorated> to, const vec<T, Size> &value) const {
    for (int i = 0; i < Size; ++i)
      to.get_raw()[i * get_local_linear_range() + get_local_linear_id()] = value[i];
  }
  template <class T> T load(T *from) const { return from[get_local_linear_id()]; }
  template <class T> void store(T *to, const std::remove_const_t<T> &value) const {
    to[get_local_linear_id()] = value;
  }

  // ---- as DPC++ had them before SYCL 2020

  [[deprecated("use group_barrier()")]] void
  barrier(access::fence_space = access::fence_space::global_and_local) const {
    namespace device = detail::on_device;
    device::sub_group_barrier(device::local_fence | device::global_fence);
  }
  template <class T> [[deprecated("use select_from_group()")]] T shuffle(T value, id<1> from) const;
  template <class T>
  [[deprecated("use shift_group_left()")]] T shuffle_down(T value, std::uint32_t delta) const;
  template <class T>
  [[deprecated("use shift_group_right()")]] T shuffle_up(T value, std::uint32_t delta) const;
  template <class T>
  [[deprecated("use permute_group_by_xor()")]] T shuffle_xor(T value, id<1> mask) const;

  // Shuffles of two values, as if the sub-group had twice as many work-items: first all values
  // `first`, then all values `second`.
  template <class T>
  [[deprecated("use select_from_group()")]] T shuffle(T first, T second, id<1> from) const;
  template <class T>
  [[deprecated("use shift_group_left()")]] T shuffle_down(T current, T next,
                                                          std::uint32_t delta) const;
  template <class T> // starts in the second value
  [[deprecated("use shift_group_right()")]] T shuffle_up(T previous, T current,
                                                         std::uint32_t delta) const;
  template <class T>
  [[deprecated("use permute_group_by_xor()")]] T shuffle_xor(T first, T second, id<1> mask) const;

  friend bool operator==(const sub_group &, const sub_group &) { return true; }
  friend bool operator!=(const sub_group &, const sub_group &) { return false; }

private:
  template <class T> T element(T first, T second, std::uint32_t index) const;
  template <int> friend class nd_item;
  sub_group() = default;
};

} // namespace sycl

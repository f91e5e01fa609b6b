// sub_group (SYCL 2020, section 4.9.1.8): the sub-group that runs. A sub-group is a vector register.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/id.hpp"
#include "sycl/memory_enums.hpp"

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

  friend bool operator==(const sub_group &, const sub_group &) { return true; }
  friend bool operator!=(const sub_group &, const sub_group &) { return false; }

private:
  template <int> friend class nd_item;
  sub_group() = default;
};

} // namespace sycl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// h_item (SYCL 2020, section 4.9.1.6): a work-item of group::parallel_for_work_item. Its logical
// range is the range passed to that call; its physical range is that of the work-group.
#pragma once

#include "sycl/detail/points.hpp"
#include "sycl/item.hpp"

namespace sycl {

template <int Dimensions> class h_item {
public:
  static constexpr int dimensions = Dimensions;

  h_item() = delete;

  // If the program leaves the group size open, it knows only the logical range.
  item<Dimensions, false> get_global() const noexcept {
    if (is_open_)
      return without_offset(detail::on_device::group_id_point<Dimensions>() * logical_.get_range() +
                                logical_.get_id(),
                            detail::on_device::num_groups_point<Dimensions>() *
                                logical_.get_range());
    return without_offset(detail::on_device::global_id_point<Dimensions>() -
                              detail::on_device::global_offset_point<Dimensions>(),
                          detail::on_device::global_size_point<Dimensions>());
  }
  item<Dimensions, false> get_local() const noexcept { return logical_; }
  item<Dimensions, false> get_logical_local() const noexcept { return logical_; }
  item<Dimensions, false> get_physical_local() const noexcept {
    return without_offset(detail::on_device::local_id_point<Dimensions>(),
                          detail::on_device::local_size_point<Dimensions>());
  }

#define LOCKSTEP_PART(name)                                                                        \
  range<Dimensions> get_##name##_range() const noexcept { return get_##name().get_range(); }       \
  std::size_t get_##name##_range(int dimension) const noexcept {                                   \
    return get_##name().get_range(dimension);                                                      \
  }                                                                                                \
  id<Dimensions> get_##name##_id() const noexcept { return get_##name().get_id(); }                \
  std::size_t get_##name##_id(int dimension) const noexcept {                                      \
    return get_##name().get_id(dimension);                                                         \
  }
  LOCKSTEP_PART(global)
  LOCKSTEP_PART(local)
  LOCKSTEP_PART(logical_local)
  LOCKSTEP_PART(physical_local)
#undef LOCKSTEP_PART

  friend bool operator==(const h_item &a, const h_item &b) { return a.logical_ == b.logical_; }
  friend bool operator!=(const h_item &a, const h_item &b) { return !(a == b); }

private:
  friend struct detail::make;
  h_item(const id<Dimensions> &logical, const range<Dimensions> &of, bool is_open)
      : logical_(without_offset(logical, of)), is_open_(is_open) {}

  static item<Dimensions, false> without_offset(const id<Dimensions> &one,
                                                const range<Dimensions> &all) {
    return detail::make::object<item<Dimensions, false>>(one, all, id<Dimensions>());
  }

  item<Dimensions, false> logical_;
  bool is_open_;
};

namespace detail {

template <int Dimensions, class Function>
void call_for_item(const Function &function, const id<Dimensions> &one,
                   const range<Dimensions> &all, bool is_open = false) {
  function(make::object<h_item<Dimensions>>(one, all, is_open));
}

// The work of each work-item is in functions of its own. The compiler inlines them after the
// group's functions, so that it knows which variables are private to a work-item
// (lower-item-scopes).
template <int Dimensions, class Function> void for_each_item(const Function &function) {
  on_device::begin_item_scope();
  call_for_item(function, on_device::local_id_point<Dimensions>(),
                on_device::local_size_point<Dimensions>());
  on_device::end_item_scope();
}

// Each dimension is walked in strides of the group size, so that neighboring work-items process
// neighboring elements.
template <int Dimensions, class Function>
void for_each_item(const range<Dimensions> &all, bool is_open, const Function &function) {
  on_device::begin_item_scope();
  const id<Dimensions> first = on_device::local_id_point<Dimensions>();
  const range<Dimensions> step = on_device::local_size_point<Dimensions>();
  for (std::size_t i = first[0]; i < all[0]; i += step[0]) {
    if constexpr (Dimensions == 1) {
      call_for_item(function, id<1>(i), all, is_open);
    } else {
      for (std::size_t j = first[1]; j < all[1]; j += step[1]) {
        if constexpr (Dimensions == 2) {
          call_for_item(function, id<2>(i, j), all, is_open);
        } else {
          for (std::size_t k = first[2]; k < all[2]; k += step[2])
            call_for_item(function, id<3>(i, j, k), all, is_open);
        }
      }
    }
  }
  on_device::end_item_scope();
}

} // namespace detail

} // namespace sycl

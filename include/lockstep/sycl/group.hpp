// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// group (SYCL 2020, section 4.9.1.7): the current work-group. The device queries the position from
// builtins, so kernels never read the members and inlining removes them. A group that a kernel
// stores in memory keeps its members, so that the host can read them.
#pragma once

#include "sycl/detail/points.hpp"
#include "sycl/device_event.hpp"
#include "sycl/h_item.hpp"
#include "sycl/memory_enums.hpp"

namespace sycl {

namespace detail {

// mem_fence of SYCL 1.2.1: orders reads, writes or both.
template <access::mode Mode> void fence_of_mode() {
  if constexpr (Mode == access::mode::read)
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
  else if constexpr (Mode == access::mode::write)
    __atomic_thread_fence(__ATOMIC_RELEASE);
  else
    __atomic_thread_fence(__ATOMIC_ACQ_REL);
}

} // namespace detail

template <int Dimensions = 1> class group : public detail::group_copies<group<Dimensions>> {
public:
  using id_type = id<Dimensions>;
  using range_type = range<Dimensions>;
  using linear_id_type = std::size_t;
  static constexpr int dimensions = Dimensions;
  static constexpr memory_scope fence_scope = memory_scope::work_group;

  id<Dimensions> get_group_id() const {
#ifdef __SYCL_DEVICE_ONLY__
    return detail::on_device::group_id_point<Dimensions>();
#else
    return id_;
#endif
  }
  std::size_t get_group_id(int dimension) const { return get_group_id()[dimension]; }
  id<Dimensions> get_local_id() const { return detail::on_device::local_id_point<Dimensions>(); }
  std::size_t get_local_id(int dimension) const { return get_local_id()[dimension]; }
  range<Dimensions> get_local_range() const {
#ifdef __SYCL_DEVICE_ONLY__
    return detail::on_device::local_size_point<Dimensions>();
#else
    return local_range_;
#endif
  }
  std::size_t get_local_range(int dimension) const { return get_local_range()[dimension]; }
  range<Dimensions> get_group_range() const {
#ifdef __SYCL_DEVICE_ONLY__
    return detail::on_device::num_groups_point<Dimensions>();
#else
    return group_range_;
#endif
  }
  std::size_t get_group_range(int dimension) const { return get_group_range()[dimension]; }
  range<Dimensions> get_max_local_range() const { return get_local_range(); }
  std::size_t operator[](int dimension) const { return get_group_id(dimension); }
  std::size_t get_group_linear_id() const {
    return detail::linear_index(get_group_id(), get_group_range());
  }
  std::size_t get_local_linear_id() const {
    return detail::linear_index(get_local_id(), get_local_range());
  }
  std::size_t get_group_linear_range() const { return get_group_range().size(); }
  std::size_t get_local_linear_range() const { return get_local_range().size(); }
  bool leader() const { return get_local_linear_id() == 0; }
  [[deprecated("use get_group_id()")]] id<Dimensions> get_id() const { return get_group_id(); }
  [[deprecated("use get_group_id()")]] std::size_t get_id(int dimension) const {
    return get_group_id(dimension);
  }
  [[deprecated("use get_group_linear_id()")]] std::size_t get_linear_id() const {
    return get_group_linear_id();
  }
  range<Dimensions> get_global_range() const { // SYCL 1.2.1
#ifdef __SYCL_DEVICE_ONLY__
    return detail::on_device::global_size_point<Dimensions>();
#else
    return group_range_ * local_range_;
#endif
  }
  std::size_t get_global_range(int dimension) const { return get_global_range()[dimension]; }

  template <access::mode Mode = access::mode::read_write>
  [[deprecated("use atomic_fence()")]] void
  mem_fence(access::fence_space = access::fence_space::global_and_local) const {
    detail::fence_of_mode<Mode>();
  }

  // ---- in kernels of parallel_for_work_group

  template <class Function> void parallel_for_work_item(const Function &function) const noexcept {
    detail::for_each_item<Dimensions>(function);
  }
  template <class Function>
  void parallel_for_work_item(range<Dimensions> logical, const Function &function) const noexcept {
    detail::for_each_item<Dimensions>(logical, is_open_, function);
  }

  friend bool operator==(const group &a, const group &b) {
    return a.id_ == b.id_ && a.group_range_ == b.group_range_ && a.local_range_ == b.local_range_;
  }
  friend bool operator!=(const group &a, const group &b) { return !(a == b); }

private:
  friend struct detail::make;
  template <int> friend class nd_item;
  group() = default;
  explicit group(bool is_open) : is_open_(is_open) {}

  id<Dimensions> id_ = detail::on_device::group_id_point<Dimensions>();
  range<Dimensions> group_range_ = detail::on_device::num_groups_point<Dimensions>();
  range<Dimensions> local_range_ = detail::on_device::local_size_point<Dimensions>();
  bool is_open_ = false; // the program left the group size to the library
};

} // namespace sycl

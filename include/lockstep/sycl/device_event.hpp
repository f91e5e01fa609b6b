// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// device_event (SYCL 2020, section 4.7.8), and the group copies that return one. A copy is complete
// when its call returns, and it happens after all earlier work of the work-items. So wait() only
// has to be a barrier.
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/multi_ptr.hpp"

namespace sycl {

namespace detail {
template <class Self> class group_copies;
}

class device_event {
public:
  void wait() noexcept { detail::on_device::wait_for_copy(number_); }

private:
  template <class> friend class detail::group_copies;
  explicit device_event(std::size_t number) : number_(number) {}

  std::size_t number_; // 0 unless a checker tracks unfinished copies
};

namespace detail {

// The copy functions that group and nd_item share.
template <class Self> class group_copies {
  template <class T, access::decorated D> using global = global_ptr<T, D>;
  template <class T, access::decorated D> using local = local_ptr<T, D>;

  static device_event copy(void *to, const void *from, std::size_t count, std::size_t to_stride,
                           std::size_t from_stride, std::size_t element) {
    return device_event(on_device::group_copy(to, from, count, to_stride, from_stride, element, 0));
  }

public:
#define LOCKSTEP_COPIES(ToSpace, FromSpace, to_stride, from_stride)                                \
  template <class T, class From, access::decorated D,                                              \
            std::enable_if_t<std::is_same_v<T, std::remove_const_t<From>>, int> = 0>               \
  device_event async_work_group_copy(ToSpace<T, D> to, FromSpace<From, D> from, std::size_t count) \
      const noexcept {                                                                             \
    return copy(to.get_raw(), from.get_raw(), count, 1, 1, sizeof(T));                             \
  }                                                                                                \
  template <class T, class From, access::decorated D,                                              \
            std::enable_if_t<std::is_same_v<T, std::remove_const_t<From>>, int> = 0>               \
  device_event async_work_group_copy(ToSpace<T, D> to, FromSpace<From, D> from, std::size_t count, \
                                     std::size_t stride) const noexcept {                          \
    return copy(to.get_raw(), from.get_raw(), count, to_stride, from_stride, sizeof(T));           \
  }
  LOCKSTEP_COPIES(local, global, 1, stride)
  LOCKSTEP_COPIES(global, local, stride, 1)
#undef LOCKSTEP_COPIES

  template <class... Events> void wait_for(Events... events) const noexcept {
    (events.wait(), ...);
  }
};

} // namespace detail
} // namespace sycl

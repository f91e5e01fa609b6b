// private_memory (SYCL 2020, section 4.9.4.2.3): a variable in the code of a work-group that each of its work-items has for
// itself. All code of the group is executed by each work-item, so a plain member is just that, once the compiler is told
// not to share it.
#pragma once

#include "sycl/group.hpp"

namespace sycl {

template <class T, int Dimensions = 1> class private_memory {
public:
  private_memory(const group<Dimensions> &) { detail::on_device::private_memory(this); }
  private_memory(const private_memory &) = delete;
  private_memory &operator=(const private_memory &) = delete;

  T &operator()(const h_item<Dimensions> &) { return value_; }

private:
  T value_{};
};

} // namespace sycl

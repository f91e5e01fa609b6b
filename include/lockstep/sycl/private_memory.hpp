// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// private_memory (SYCL 2020, section 4.9.4.2.3): a variable in work-group code of which each
// work-item has its own copy. Every work-item executes all code of the group, so a plain member is
// private as long as the compiler does not share it.
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

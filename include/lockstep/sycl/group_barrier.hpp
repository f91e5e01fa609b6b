// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// group_barrier and atomic_fence (SYCL 2020, sections 4.17.3.1 and 4.15.1).
#pragma once

#include "sycl/atomic_ref.hpp"
#include "sycl/detail/part_of_sub_group.hpp"
#include "sycl/group.hpp"
#include "sycl/sub_group.hpp"

namespace sycl {

namespace detail {
// Issued before and after a barrier whose scope is wider than its group: for the other groups the
// barrier then acts as a fence.
inline void fence_if_wider(memory_scope scope, memory_scope own) {
  if (scope > own)
    atomic_fence(memory_order::acq_rel, scope);
}
} // namespace detail

template <int Dimensions>
void group_barrier(group<Dimensions> of, memory_scope scope = group<Dimensions>::fence_scope) {
  detail::fence_if_wider(scope, of.fence_scope);
  detail::on_device::work_group_barrier(detail::on_device::local_fence |
                                        detail::on_device::global_fence);
  detail::fence_if_wider(scope, of.fence_scope);
}

inline void group_barrier(sub_group of, memory_scope scope = sub_group::fence_scope) {
  detail::fence_if_wider(scope, of.fence_scope);
  detail::on_device::sub_group_barrier(detail::on_device::local_fence |
                                       detail::on_device::global_fence);
  detail::fence_if_wider(scope, of.fence_scope);
}

template <class Group, detail::if_part<Group> = 0>
void group_barrier(Group of, memory_scope scope = Group::fence_scope) {
  atomic_fence(memory_order::acq_rel, scope);
  of.wait_for_members();
}

} // namespace sycl

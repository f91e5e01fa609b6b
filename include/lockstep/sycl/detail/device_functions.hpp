// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The builtins that the headers use in kernels, declared with the mangled names of OpenCL C. They
// do not exist on the host: if the program calls code of a kernel directly, it ends with a message.
#pragma once

#include "sycl/detail/library.hpp"

#include <cstddef>
#include <cstdint>

namespace sycl::detail::on_device {

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_DEVICE_FUNCTION(type, name, parameters, symbol)                                   \
  type name parameters __asm__(symbol);
#else
#define LOCKSTEP_DEVICE_FUNCTION(type, name, parameters, symbol)                                   \
  inline type name parameters {                                                                    \
    not_in_a_kernel();                                                                             \
  }
#endif

LOCKSTEP_DEVICE_FUNCTION(std::size_t, global_id, (unsigned), "_Z13get_global_idj")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, local_id, (unsigned), "_Z12get_local_idj")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, group_id, (unsigned), "_Z12get_group_idj")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, global_size, (unsigned), "_Z15get_global_sizej")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, local_size, (unsigned), "_Z14get_local_sizej")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, num_groups, (unsigned), "_Z14get_num_groupsj")
LOCKSTEP_DEVICE_FUNCTION(std::size_t, global_offset, (unsigned), "_Z17get_global_offsetj")
LOCKSTEP_DEVICE_FUNCTION(std::uint32_t, sub_group_size, (), "_Z18get_sub_group_sizev")
LOCKSTEP_DEVICE_FUNCTION(std::uint32_t, max_sub_group_size, (), "_Z22get_max_sub_group_sizev")
LOCKSTEP_DEVICE_FUNCTION(std::uint32_t, num_sub_groups, (), "_Z18get_num_sub_groupsv")
LOCKSTEP_DEVICE_FUNCTION(std::uint32_t, sub_group_id, (), "_Z16get_sub_group_idv")
LOCKSTEP_DEVICE_FUNCTION(std::uint32_t, sub_group_local_id, (), "_Z22get_sub_group_local_idv")
LOCKSTEP_DEVICE_FUNCTION(void, work_group_barrier, (unsigned), "_Z18work_group_barrierj")
LOCKSTEP_DEVICE_FUNCTION(void, sub_group_barrier, (unsigned), "_Z17sub_group_barrierj")
LOCKSTEP_DEVICE_FUNCTION(void, part_of_sub_group_barrier, (std::uint64_t),
                         "_Z25part_of_sub_group_barrierm")
LOCKSTEP_DEVICE_FUNCTION(unsigned, shuffle_in_part, (std::uint64_t, unsigned, unsigned),
                         "_Z25sub_group_shuffle_in_partmjj")
#ifdef __SYCL_DEVICE_ONLY__
typedef unsigned ballot_words __attribute__((ext_vector_type(4)));
ballot_words ballot(int) __asm__("_Z16sub_group_balloti");
ballot_words ballot_of_part(std::uint64_t, int) __asm__("_Z24sub_group_ballot_of_partmi");
ballot_words tangle() __asm__("_Z16sub_group_tanglev");
#endif
// Called by the whole group. Parameters: destination, source, number of elements, their distances
// in elements, element size, and 0 or the event of another copy.
LOCKSTEP_DEVICE_FUNCTION(std::size_t, group_copy,
                         (void *, const void *, std::size_t, std::size_t, std::size_t, std::size_t,
                          std::size_t),
                         "_Z21async_work_group_copyPU3AS4vPU3AS4Kvmmmmm")
LOCKSTEP_DEVICE_FUNCTION(void, wait_for_copy, (std::size_t), "_Z17wait_group_eventsm")
// Called at the start of a kernel of parallel_for_work_group, and before and after the work of each
// work-item in parallel_for_work_item. The last one marks memory of which each work-item has its
// own copy.
LOCKSTEP_DEVICE_FUNCTION(void, group_scope, (), "__lockstep_group_scope")
LOCKSTEP_DEVICE_FUNCTION(void, begin_item_scope, (), "__lockstep_item_scope_begin")
LOCKSTEP_DEVICE_FUNCTION(void, end_item_scope, (), "__lockstep_item_scope_end")
LOCKSTEP_DEVICE_FUNCTION(void, private_memory, (void *), "__lockstep_private_memory")

#undef LOCKSTEP_DEVICE_FUNCTION

inline constexpr unsigned local_fence = 1, global_fence = 2; // CLK_*_MEM_FENCE

// Neighboring work-items are contiguous in SYCL's last dimension and in OpenCL's first.
template <int Dimensions> constexpr unsigned opencl_dimension(int dimension) {
  return unsigned(Dimensions - 1 - dimension);
}

} // namespace sycl::detail::on_device

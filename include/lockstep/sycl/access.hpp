// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Access modes, targets and property tags (SYCL 2020, section 4.7.6).
#pragma once

#include "sycl/memory_enums.hpp"

namespace sycl {

enum class access_mode : int {
  read,
  write,
  read_write,
  discard_write [[deprecated("use write with the property no_init")]],
  discard_read_write [[deprecated("use read_write with the property no_init")]],
  atomic [[deprecated("use atomic_ref")]],
};

enum class target : int {
  device,
  host_task,
  constant_buffer [[deprecated("use device")]],
  local [[deprecated("use local_accessor")]],
  host_buffer [[deprecated("use host_accessor")]],
  host_image [[deprecated("there are no such accessors in SYCL 2020")]],
  image [[deprecated("use unsampled_image_accessor or sampled_image_accessor")]],
  image_array [[deprecated("there are no such accessors in SYCL 2020")]],
  global_buffer = device,
};
enum class image_target : int { device, host_task };

// The deprecated enumerators without a deprecation warning, for use in the headers.
namespace detail {
inline constexpr auto atomic_mode = static_cast<access_mode>(5);
inline constexpr auto discard_write_mode = static_cast<access_mode>(3),
                      discard_read_write_mode = static_cast<access_mode>(4);
inline constexpr auto constant_target = static_cast<target>(2),
                      local_target = static_cast<target>(3), host_target = static_cast<target>(4);
} // namespace detail

namespace access {

using mode = access_mode;
using sycl::target;
enum class placeholder : int { false_t, true_t };

} // namespace access

template <access_mode Mode> struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target> struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};

inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_target_tag_t<access_mode::read, detail::constant_target> read_constant{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task>
    read_write_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};

} // namespace sycl

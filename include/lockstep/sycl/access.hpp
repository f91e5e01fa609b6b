// How memory is accessed, as types and tags (SYCL 2020, section 4.7.6).
#pragma once

#include "sycl/memory_enums.hpp"

namespace sycl {

enum class access_mode : int {
  read,
  write,
  read_write,
  discard_write, // these three are of SYCL 1.2.1
  discard_read_write,
  atomic,
};

enum class target : int {
  device,
  host_task,
  constant_buffer, // these are of SYCL 1.2.1
  local,
  host_buffer,
  global_buffer = device,
};

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
inline constexpr mode_target_tag_t<access_mode::read, target::constant_buffer> read_constant{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task>
    read_write_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};

} // namespace sycl

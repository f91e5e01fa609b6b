// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernel and launch properties (extensions sycl_ext_oneapi_kernel_properties, _root_group,
// _forward_progress): declarations only. detail/kernel_requirements.hpp implements them.
#pragma once

#include "sycl/aspect.hpp"
#include "sycl/ext/oneapi/properties/properties.hpp"

#include <array>
#include <cstddef>
#include <cstdint>

#define SYCL_EXT_ONEAPI_KERNEL_PROPERTIES 1

namespace sycl::ext::oneapi::experimental {

struct properties_tag {}; // a kernel declares its properties in get(properties_tag)

struct work_group_size_key : sycl::detail::property_lists::property_key<10> {
  template <std::size_t... Sizes>
  using value_t =
      property_value<work_group_size_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct work_group_size_hint_key : sycl::detail::property_lists::property_key<11> {
  template <std::size_t... Sizes>
  using value_t =
      property_value<work_group_size_hint_key, std::integral_constant<std::size_t, Sizes>...>;
};
struct sub_group_size_key : sycl::detail::property_lists::property_key<12> {
  template <std::uint32_t Size>
  using value_t = property_value<sub_group_size_key, std::integral_constant<std::uint32_t, Size>>;
};
struct device_has_key : sycl::detail::property_lists::property_key<13> {
  template <aspect... Aspects>
  using value_t = property_value<device_has_key, std::integral_constant<aspect, Aspects>...>;
};
struct use_root_sync_key : sycl::detail::property_lists::property_key<14> {
  using value_t = property_value<use_root_sync_key>;
};

#define LOCKSTEP_SIZES(key)                                                                        \
  template <std::size_t... Sizes>                                                                  \
  struct property_value<key, std::integral_constant<std::size_t, Sizes>...> {                      \
    using key_t = key;                                                                             \
    static_assert(sizeof...(Sizes) >= 1 && sizeof...(Sizes) <= 3 && ((Sizes > 0) && ...),          \
                  "a size for each dimension of the kernel");                                      \
    constexpr std::size_t operator[](int dimension) const {                                        \
      return std::array<std::size_t, sizeof...(Sizes)>{Sizes...}[dimension];                       \
    }                                                                                              \
  };
LOCKSTEP_SIZES(work_group_size_key)
LOCKSTEP_SIZES(work_group_size_hint_key)
#undef LOCKSTEP_SIZES
template <aspect... Aspects>
struct property_value<device_has_key, std::integral_constant<aspect, Aspects>...> {
  using key_t = device_has_key;
  static constexpr std::array<aspect, sizeof...(Aspects)> value{Aspects...};
};

template <std::size_t... Sizes>
inline constexpr work_group_size_key::value_t<Sizes...> work_group_size;
template <std::size_t... Sizes>
inline constexpr work_group_size_hint_key::value_t<Sizes...> work_group_size_hint;
template <std::uint32_t Size> inline constexpr sub_group_size_key::value_t<Size> sub_group_size;
template <aspect... Aspects> inline constexpr device_has_key::value_t<Aspects...> device_has;
inline constexpr use_root_sync_key::value_t use_root_sync;

} // namespace sycl::ext::oneapi::experimental

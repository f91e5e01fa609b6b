// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// bit_cast (SYCL 2020, section 4.5.2): std::bit_cast of C++20.
#pragma once

#include <type_traits>

namespace sycl {

template <class To, class From,
          std::enable_if_t<sizeof(To) == sizeof(From) && std::is_trivially_copyable_v<To> &&
                               std::is_trivially_copyable_v<From>,
                           int> = 0>
constexpr To bit_cast(const From &from) noexcept {
  return __builtin_bit_cast(To, from);
}

} // namespace sycl

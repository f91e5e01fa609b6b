// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// range (SYCL 2020, section 4.9.1.1): the size of an index space of one to three dimensions.
#pragma once

#include "sycl/detail/coordinates.hpp"

namespace sycl {

template <int Dimensions = 1>
class range : public detail::coordinates<range<Dimensions>, Dimensions> {
  using base = detail::coordinates<range, Dimensions>;

public:
  constexpr range() = default;
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  constexpr range(std::size_t x) : base(x) {}
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr range(std::size_t x, std::size_t y) : base(x, y) {}
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr range(std::size_t x, std::size_t y, std::size_t z) : base(x, y, z) {}

  constexpr std::size_t size() const {
    std::size_t product = this->values_[0];
    if constexpr (Dimensions > 1)
      product *= this->values_[1];
    if constexpr (Dimensions > 2)
      product *= this->values_[2];
    return product;
  }
};

range(std::size_t) -> range<1>;
range(std::size_t, std::size_t) -> range<2>;
range(std::size_t, std::size_t, std::size_t) -> range<3>;

} // namespace sycl

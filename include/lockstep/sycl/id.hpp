// id (SYCL 2020, section 4.9.1.3).
#pragma once

#include "sycl/range.hpp"

namespace sycl {

template <int Dimensions, bool WithOffset> class item;

template <int Dimensions = 1>
class id : public detail::coordinates<id<Dimensions>, Dimensions>,
           public detail::number_if_one<id<Dimensions>, Dimensions> {
public:
  constexpr id() = default;
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0> constexpr id(std::size_t x) {
    this->values_[0] = x;
  }
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr id(std::size_t x, std::size_t y) {
    this->values_[0] = x, this->values_[1] = y;
  }
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr id(std::size_t x, std::size_t y, std::size_t z) {
    this->values_[0] = x, this->values_[1] = y, this->values_[2] = z;
  }
  constexpr id(const range<Dimensions> &size) {
    for (int d = 0; d < Dimensions; ++d)
      this->values_[d] = size[d];
  }
  template <bool WithOffset>
  constexpr id(const item<Dimensions, WithOffset> &one) : id(one.get_id()) {}
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

} // namespace sycl

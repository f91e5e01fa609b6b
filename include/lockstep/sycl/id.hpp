// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// id (SYCL 2020, section 4.9.1.3): an index in a space of one to three dimensions.
#pragma once

#include "sycl/range.hpp"

namespace sycl {

template <int Dimensions, bool WithOffset> class item;

template <int Dimensions = 1>
class id : public detail::coordinates<id<Dimensions>, Dimensions>,
           public detail::number_if_one<id<Dimensions>, Dimensions> {
  using base = detail::coordinates<id, Dimensions>;

public:
  constexpr id() = default;
  template <int D = Dimensions, std::enable_if_t<D == 1, int> = 0>
  constexpr id(std::size_t x) : base(x) {}
  template <int D = Dimensions, std::enable_if_t<D == 2, int> = 0>
  constexpr id(std::size_t x, std::size_t y) : base(x, y) {}
  template <int D = Dimensions, std::enable_if_t<D == 3, int> = 0>
  constexpr id(std::size_t x, std::size_t y, std::size_t z) : base(x, y, z) {}
  constexpr id(const range<Dimensions> &size) : id(size, std::make_index_sequence<Dimensions>()) {}
  template <bool WithOffset>
  constexpr id(const item<Dimensions, WithOffset> &one) : id(one.get_id()) {}

private:
  template <std::size_t... Indices>
  constexpr id(const range<Dimensions> &size, std::index_sequence<Indices...>)
      : base(size[Indices]...) {}
};

id(std::size_t) -> id<1>;
id(std::size_t, std::size_t) -> id<2>;
id(std::size_t, std::size_t, std::size_t) -> id<3>;

} // namespace sycl

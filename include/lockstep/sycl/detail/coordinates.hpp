// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base class of id and range: an array of sizes with elementwise arithmetic (SYCL 2020, tables
// 4.86 and 4.88).
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sycl::detail {

template <class Derived, int Dimensions> class coordinates {
  static_assert(Dimensions >= 1 && Dimensions <= 3, "there are 1, 2 or 3 dimensions");
  template <class T> using if_integral = std::enable_if_t<std::is_integral_v<T>, int>;

public:
  static constexpr int dimensions = Dimensions;

  constexpr coordinates() : coordinates(std::make_index_sequence<Dimensions>()) {}
  constexpr std::size_t get(int dimension) const { return values_[dimension]; }
  constexpr std::size_t &operator[](int dimension) { return values_[dimension]; }
  constexpr std::size_t operator[](int dimension) const { return values_[dimension]; }

  friend constexpr bool operator==(const Derived &a, const Derived &b) {
    bool is_equal = true; // no branch: lanes would diverge
    for (int d = 0; d < Dimensions; ++d)
      is_equal &= a.values_[d] == b.values_[d];
    return is_equal;
  }
  friend constexpr bool operator!=(const Derived &a, const Derived &b) { return !(a == b); }
  // In one dimension the class converts to a number as well, so a comparison with the literal 0
  // would be ambiguous without these.
#define LOCKSTEP_COMPARING(op)                                                                     \
  template <class T, int D = Dimensions,                                                           \
            std::enable_if_t<D == 1 && std::is_integral_v<T>, int> = 0>                            \
  friend constexpr bool operator op(const Derived &a, T b) {                                       \
    return a.values_[0] op static_cast<std::size_t>(b);                                            \
  }                                                                                                \
  template <class T, int D = Dimensions,                                                           \
            std::enable_if_t<D == 1 && std::is_integral_v<T>, int> = 0>                            \
  friend constexpr bool operator op(T a, const Derived &b) {                                       \
    return static_cast<std::size_t>(a) op b.values_[0];                                            \
  }
  LOCKSTEP_COMPARING(==)
  LOCKSTEP_COMPARING(!=)
#undef LOCKSTEP_COMPARING

  // The scalar operand is a template parameter, so that an id<1>, which also converts to a number,
  // does not match it.
#define LOCKSTEP_BINARY(op)                                                                        \
  friend constexpr Derived operator op(const Derived &a, const Derived &b) {                       \
    return by_elements([&](int d) { return a.values_[d] op b.values_[d]; });                       \
  }                                                                                                \
  template <class T, if_integral<T> = 0>                                                           \
  friend constexpr Derived operator op(const Derived &a, T b) {                                    \
    return by_elements([&](int d) { return a.values_[d] op static_cast<std::size_t>(b); });        \
  }                                                                                                \
  template <class T, if_integral<T> = 0>                                                           \
  friend constexpr Derived operator op(T a, const Derived &b) {                                    \
    return by_elements([&](int d) { return static_cast<std::size_t>(a) op b.values_[d]; });        \
  }
#define LOCKSTEP_ASSIGNING(op)                                                                     \
  LOCKSTEP_BINARY(op)                                                                              \
  friend constexpr Derived &operator op## = (Derived & a, const Derived &b) { return a = a op b; } \
  template <class T, if_integral<T> = 0>                                                           \
  friend constexpr Derived &operator op## = (Derived & a, T b) {                                   \
    return a = a op b;                                                                             \
  }
  LOCKSTEP_ASSIGNING(+)
  LOCKSTEP_ASSIGNING(-)
  LOCKSTEP_ASSIGNING(*)
  LOCKSTEP_ASSIGNING(/)
  LOCKSTEP_ASSIGNING(%)
  LOCKSTEP_ASSIGNING(<<)
  LOCKSTEP_ASSIGNING(>>)
  LOCKSTEP_ASSIGNING(&)
  LOCKSTEP_ASSIGNING(|)
  LOCKSTEP_ASSIGNING(^)
  LOCKSTEP_BINARY(&&)
  LOCKSTEP_BINARY(||)
  LOCKSTEP_BINARY(<)
  LOCKSTEP_BINARY(>)
  LOCKSTEP_BINARY(<=)
  LOCKSTEP_BINARY(>=)
#undef LOCKSTEP_ASSIGNING
#undef LOCKSTEP_BINARY

  friend constexpr Derived operator+(const Derived &a) { return a; }
  friend constexpr Derived operator-(const Derived &a) { return std::size_t{0} - a; }
  friend constexpr Derived &operator++(Derived &a) { return a += std::size_t{1}; }
  friend constexpr Derived &operator--(Derived &a) { return a -= std::size_t{1}; }
  friend constexpr Derived operator++(Derived &a, int) {
    Derived before = a;
    ++a;
    return before;
  }
  friend constexpr Derived operator--(Derived &a, int) {
    Derived before = a;
    --a;
    return before;
  }

protected:
  // Initialization and arithmetic are expanded by dimension, here and in by_elements. clang clears
  // an array in a loop; in a kernel's grid-stride loop, that inner loop kept the compiler from
  // seeing that all lanes leave together.
  template <class... Rest>
  explicit constexpr coordinates(std::size_t first, Rest... rest) : values_{first, rest...} {
    static_assert(1 + sizeof...(Rest) == Dimensions);
  }
  template <class Function> static constexpr Derived by_elements(Function element) {
    if constexpr (Dimensions == 1)
      return Derived(element(0));
    else if constexpr (Dimensions == 2)
      return Derived(element(0), element(1));
    else
      return Derived(element(0), element(1), element(2));
  }

  std::size_t values_[Dimensions];

private:
  template <std::size_t... Indices>
  explicit constexpr coordinates(std::index_sequence<Indices...>) : values_{Indices * 0 ...} {}
};

// Converts an id or item of one dimension to a number. The conversion operator is no template,
// because a template would convert to std::size_t only.
template <class Derived, int Dimensions> class number_if_one {};
template <class Derived> class number_if_one<Derived, 1> {
public:
  constexpr operator std::size_t() const { return static_cast<const Derived &>(*this)[0]; }
};

// Row-major: the last dimension is contiguous.
template <class Index, class Range>
constexpr std::size_t linear_index(const Index &index, const Range &range) {
  if constexpr (Range::dimensions == 1)
    return index[0];
  else if constexpr (Range::dimensions == 2)
    return index[0] * range[1] + index[1];
  else
    return (index[0] * range[1] + index[1]) * range[2] + index[2];
}

} // namespace sycl::detail

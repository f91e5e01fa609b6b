// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// marray (SYCL 2020, section 4.14.3). Operations are expanded over the elements with parameter
// packs, as in vec.
#pragma once

#include "sycl/detail/element_operators.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace sycl {

template <class DataT, std::size_t NumElements> class marray;

namespace detail {

// The number of elements that a constructor argument of type T contributes to a marray<DataT, ...>;
// 0: T is not accepted.
template <class DataT, class T>
inline constexpr std::size_t elements_of_marray = std::is_convertible_v<T, DataT> ? 1 : 0;
template <class DataT, std::size_t Size>
inline constexpr std::size_t elements_of_marray<DataT, marray<DataT, Size>> = Size;

struct no_marray_conversion {
  no_marray_conversion() = delete;
};
struct these_marray_elements {};

// The element types that each operator accepts. For elements of class type, the class itself
// defines which operators exist.
template <class T> struct marray_element {
  static constexpr bool is_any = true, is_number = sycl::detail::is_number<T> || std::is_class_v<T>,
                        is_integer = is_number && !is_floating<T>,
                        is_bits = is_integer || std::is_same_v<T, std::byte>,
                        is_countable = is_number && !std::is_same_v<T, bool>;
};

} // namespace detail

template <class DataT, std::size_t NumElements> class marray {
  static_assert(NumElements > 0, "a marray has elements");
  template <class, std::size_t> friend class marray;
  using indices = std::make_index_sequence<NumElements>;

  DataT data_[NumElements] = {};

  template <class... Elements>
  constexpr marray(detail::these_marray_elements, Elements... elements) : data_{elements...} {}
  template <std::size_t... At>
  constexpr marray(const DataT &value, std::index_sequence<At...>) : data_{(void(At), value)...} {}

  template <std::size_t First, std::size_t Size, std::size_t... At>
  constexpr void put(const marray<DataT, Size> &from, std::index_sequence<At...>) {
    ((data_[First + At] = from.data_[At]), ...);
  }
  template <std::size_t First, class T, class... Rest>
  constexpr void fill(const T &first, const Rest &...rest) {
    constexpr std::size_t given = detail::elements_of_marray<DataT, T>;
    if constexpr (given == 1)
      data_[First] = static_cast<DataT>(first);
    else
      put<First, given>(first, std::make_index_sequence<given>());
    if constexpr (sizeof...(Rest) != 0)
      fill<First + given>(rest...);
  }

  template <class Result, class Function, std::size_t... At>
  static constexpr marray<Result, NumElements> each(Function function, const marray &a,
                                                    std::index_sequence<At...>) {
    return marray<Result, NumElements>(detail::these_marray_elements(), function(a.data_[At])...);
  }
  template <class Result, class Function, std::size_t... At>
  static constexpr marray<Result, NumElements> each(Function function, const marray &a,
                                                    const marray &b, std::index_sequence<At...>) {
    return marray<Result, NumElements>(detail::these_marray_elements(),
                                       function(a.data_[At], b.data_[At])...);
  }

public:
  using value_type = DataT;
  using reference = DataT &;
  using const_reference = const DataT &;
  using iterator = DataT *;
  using const_iterator = const DataT *;

  constexpr marray() = default;
  explicit constexpr marray(const DataT &value) : marray(value, indices()) {}
  template <class... Args,
            std::enable_if_t<(sizeof...(Args) > 1) &&
                                 ((detail::elements_of_marray<DataT, Args> > 0) && ...) &&
                                 (detail::elements_of_marray<DataT, Args> + ... + 0) == NumElements,
                             int> = 0>
  constexpr marray(const Args &...args) {
    fill<0>(args...);
  }

  constexpr marray(const marray &) = default;
  constexpr marray(marray &&) = default;
  constexpr marray &operator=(const marray &) = default;
  constexpr marray &operator=(const DataT &value) { return *this = marray(value); }

  constexpr
  operator std::conditional_t<NumElements == 1, DataT, detail::no_marray_conversion>() const {
    if constexpr (NumElements == 1)
      return data_[0];
  }

  static constexpr std::size_t size() noexcept { return NumElements; }

  constexpr reference operator[](std::size_t index) { return data_[index]; }
  constexpr const_reference operator[](std::size_t index) const { return data_[index]; }

  constexpr iterator begin() { return data_; }
  constexpr const_iterator begin() const { return data_; }
  constexpr iterator end() { return data_ + NumElements; }
  constexpr const_iterator end() const { return data_ + NumElements; }

#define LOCKSTEP_BINARY(op, kind, Result)                                                          \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray<Result, NumElements> operator op(const marray &lhs, const marray &rhs) { \
    return each<Result>([](DataT a, DataT b) { return static_cast<Result>(a op b); }, lhs, rhs,    \
                        indices());                                                                \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray<Result, NumElements> operator op(const marray &lhs, const DataT &rhs) {  \
    return lhs op marray(rhs);                                                                     \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray<Result, NumElements> operator op(const DataT &lhs, const marray &rhs) {  \
    return marray(lhs) op rhs;                                                                     \
  }
#define LOCKSTEP_ASSIGNING(op, kind)                                                               \
  LOCKSTEP_BINARY(op, kind, DataT)                                                                 \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray &operator op## = (marray & lhs, const marray &rhs) {                     \
    return lhs = lhs op rhs;                                                                       \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray &operator op## = (marray & lhs, const DataT &rhs) {                      \
    return lhs = lhs op marray(rhs);                                                               \
  }
#define LOCKSTEP_COMPARING(op, kind) LOCKSTEP_BINARY(op, kind, bool)
#define LOCKSTEP_STEP(op, by)                                                                      \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::is_countable, int> = 0>   \
  friend constexpr marray &operator op(marray &of) {                                               \
    return of = of by marray(DataT(1));                                                            \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::is_countable, int> = 0>   \
  friend constexpr marray operator op(marray &of, int) {                                           \
    const marray before = of;                                                                      \
    of = before by marray(DataT(1));                                                               \
    return before;                                                                                 \
  }
#define LOCKSTEP_UNARY(op, kind, Result)                                                           \
  template <class D = DataT, std::enable_if_t<detail::marray_element<D>::kind, int> = 0>           \
  friend constexpr marray<Result, NumElements> operator op(const marray &of) {                     \
    return each<Result>([](DataT a) { return static_cast<Result>(op a); }, of, indices());         \
  }
  LOCKSTEP_ELEMENT_ARITHMETIC(LOCKSTEP_ASSIGNING)
  LOCKSTEP_ELEMENT_COMPARISONS(LOCKSTEP_COMPARING)
  LOCKSTEP_STEP(++, +)
  LOCKSTEP_STEP(--, -)
  LOCKSTEP_UNARY(+, is_number, DataT)
  LOCKSTEP_UNARY(-, is_number, DataT)
  LOCKSTEP_UNARY(~, is_bits, DataT)
  LOCKSTEP_UNARY(!, is_number, bool)
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_STEP
#undef LOCKSTEP_COMPARING
#undef LOCKSTEP_ASSIGNING
#undef LOCKSTEP_BINARY
};

template <class T, class... U, std::enable_if_t<(std::is_same_v<T, U> && ...), int> = 0>
marray(T, U...) -> marray<T, sizeof...(U) + 1>;

#define LOCKSTEP_ALIASES(name, type)                                                               \
  using name##2 = marray<type, 2>;                                                                 \
  using name##3 = marray<type, 3>;                                                                 \
  using name##4 = marray<type, 4>;                                                                 \
  using name##8 = marray<type, 8>;                                                                 \
  using name##16 = marray<type, 16>;
LOCKSTEP_ALIASES(mchar, std::int8_t)
LOCKSTEP_ALIASES(muchar, std::uint8_t)
LOCKSTEP_ALIASES(mshort, std::int16_t)
LOCKSTEP_ALIASES(mushort, std::uint16_t)
LOCKSTEP_ALIASES(mint, std::int32_t)
LOCKSTEP_ALIASES(muint, std::uint32_t)
LOCKSTEP_ALIASES(mlong, std::int64_t)
LOCKSTEP_ALIASES(mulong, std::uint64_t)
LOCKSTEP_ALIASES(mfloat, float)
LOCKSTEP_ALIASES(mdouble, double)
LOCKSTEP_ALIASES(mhalf, half)
LOCKSTEP_ALIASES(mbool, bool)
#undef LOCKSTEP_ALIASES

} // namespace sycl

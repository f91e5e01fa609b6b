// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// vec (SYCL 2020, section 4.14.2). Operations are expanded over the elements with parameter packs:
// loops would have to be unrolled before the elements can be in registers.
#pragma once

#include "sycl/bit_cast.hpp"
#include "sycl/detail/swizzled.hpp"
#include "sycl/multi_ptr.hpp"

#include <cstddef>
#include <cstdint>

namespace sycl {

using byte [[deprecated("use std::byte")]] = std::uint8_t;

struct elem {
  static constexpr int x = 0, y = 1, z = 2, w = 3;
  static constexpr int r = 0, g = 1, b = 2, a = 3;
  static constexpr int s0 = 0, s1 = 1, s2 = 2, s3 = 3, s4 = 4, s5 = 5, s6 = 6, s7 = 7;
  static constexpr int s8 = 8, s9 = 9, sA = 10, sB = 11, sC = 12, sD = 13, sE = 14, sF = 15;
};

namespace detail {

// The number of elements that a constructor argument of type T contributes to a vec<DataT, ...>; 0:
// T is not accepted.
template <class DataT, class T>
inline constexpr int elements_given = std::is_convertible_v<T, DataT> ? 1 : 0;
template <class DataT, int Size>
inline constexpr int elements_given<DataT, vec<DataT, Size>> = Size;
template <class DataT, int Size, bool Writeable, int... Order>
inline constexpr int elements_given<DataT, swizzled<DataT, Size, Writeable, Order...>> =
    sizeof...(Order);

template <class T> inline constexpr int vec_elements = 0; // 0: not a vec
template <class DataT, int Size> inline constexpr int vec_elements<vec<DataT, Size>> = Size;

// The element type of comparison results: -1 for true, 0 for false.
template <std::size_t Size>
using truth = std::conditional_t<
    Size == 1, std::int8_t,
    std::conditional_t<Size == 2, std::int16_t,
                       std::conditional_t<Size == 4, std::int32_t, std::int64_t>>>;

template <class DataT, int Size, bool Writeable, int... Order>
swizzled<DataT, Size, Writeable, Order...> *whole_of(std::integer_sequence<int, Order...>);

constexpr std::size_t vec_alignment(std::size_t size) {
  return size < 64 ? size : 64;
}

} // namespace detail

template <class DataT, int NumElements>
class alignas(detail::vec_alignment(sizeof(DataT) * (NumElements == 3 ? 4 : NumElements))) vec {
  static_assert(detail::is_vec_size(NumElements), "a vec has 1, 2, 3, 4, 8 or 16 elements");
  static_assert(std::is_same_v<DataT, std::remove_cv_t<DataT>>, "elements of vec have no cv");
  template <class, int> friend class vec;
  template <class, int, bool, int...> friend class detail::swizzled;

  using indices = std::make_integer_sequence<int, NumElements>;
  template <bool Writeable>
  using whole =
      std::remove_pointer_t<decltype(detail::whole_of<DataT, NumElements, Writeable>(indices()))>;
  using truth = detail::truth<sizeof(DataT)>;
  // The types that operators accept as one number for all elements. A vec or swizzle of one element
  // uses the overloads for vec.
  template <class T>
  static constexpr bool is_scalar = std::is_convertible_v<T, DataT> && !std::is_same_v<T, vec> &&
                                    detail::swizzled_elements<T> != NumElements;

  DataT data_[NumElements == 3 ? 4 : NumElements] = {};

  template <class... Elements>
  constexpr vec(detail::these_elements, Elements... elements) : data_{elements...} {}
  template <int... At>
  constexpr vec(const DataT &value, std::integer_sequence<int, At...>)
      : data_{(void(At), value)...} {}

  constexpr whole<true> all() { return whole<true>(detail::these_elements(), data_); }
  constexpr whole<false> all() const { return whole<false>(detail::these_elements(), data_); }

  template <int First, int Size, int... At>
  constexpr void put(const vec<DataT, Size> &from, std::integer_sequence<int, At...>) {
    ((data_[First + At] = from.data_[At]), ...);
  }
  template <int First, class T, class... Rest>
  constexpr void fill(const T &first, const Rest &...rest) {
    constexpr int given = detail::elements_given<DataT, T>;
    if constexpr (given == 1)
      data_[First] = static_cast<DataT>(first);
    else
      put<First, given>(first, std::make_integer_sequence<int, given>());
    if constexpr (sizeof...(Rest) != 0)
      fill<First + given>(rest...);
  }

  template <class Result, class Function, int... At>
  static constexpr vec<Result, NumElements> each(Function function, const vec &a,
                                                 std::integer_sequence<int, At...>) {
    return vec<Result, NumElements>(detail::these_elements(), function(a.data_[At])...);
  }
  template <class Result, class Function, int... At>
  static constexpr vec<Result, NumElements> each(Function function, const vec &a, const vec &b,
                                                 std::integer_sequence<int, At...>) {
    return vec<Result, NumElements>(detail::these_elements(),
                                    function(a.data_[At], b.data_[At])...);
  }
  template <int... At>
  constexpr void load_from(const DataT *from, std::integer_sequence<int, At...>) {
    ((data_[At] = from[At]), ...);
  }
  template <int... At> constexpr void store_to(DataT *to, std::integer_sequence<int, At...>) const {
    ((to[At] = data_[At]), ...);
  }

public:
  using element_type = DataT;
  using value_type = DataT;

  constexpr vec() = default;
  constexpr vec(const vec &) = default;
  template <int Elements = NumElements, std::enable_if_t<(Elements > 1), int> = 0>
  explicit constexpr vec(const DataT &value) : vec(value, indices()) {}
  template <int Elements = NumElements, std::enable_if_t<Elements == 1, long> = 0>
  constexpr vec(const DataT &value) : vec(value, indices()) {}
  template <int S, bool W, int At, int Elements = NumElements,
            std::enable_if_t<Elements == 1, int> = 0>
  constexpr vec(const detail::swizzled<DataT, S, W, At> &from) : vec(from.value()) {}
  template <class... Args,
            std::enable_if_t<(sizeof...(Args) > 1) &&
                                 ((detail::elements_given<DataT, Args> > 0) && ...) &&
                                 (detail::elements_given<DataT, Args> + ... + 0) == NumElements,
                             int> = 0>
  constexpr vec(const Args &...args) {
    fill<0>(args...);
  }

  constexpr vec &operator=(const vec &) = default;
  template <class T, std::enable_if_t<std::is_convertible_v<T, DataT>, int> = 0>
  constexpr vec &operator=(const T &value) {
    return *this = vec(static_cast<DataT>(value), indices());
  }

  constexpr operator std::conditional_t<NumElements == 1, DataT, detail::no_conversion>() const {
    if constexpr (NumElements == 1)
      return data_[0];
  }
  template <class T, int Elements = NumElements,
            std::enable_if_t<Elements == 1 && std::is_constructible_v<T, DataT> &&
                                 !std::is_same_v<T, DataT> && detail::vec_elements<T> == 0,
                             int> = 0>
  constexpr explicit operator T() const {
    return static_cast<T>(data_[0]);
  }

  static constexpr std::size_t byte_size() noexcept { return sizeof(vec); }
  static constexpr std::size_t size() noexcept { return NumElements; }
  [[deprecated("byte_size()")]] std::size_t get_size() const { return byte_size(); }
  [[deprecated("size()")]] std::size_t get_count() const { return size(); }

  template <class To, rounding_mode Mode = rounding_mode::automatic>
  constexpr vec<To, NumElements> convert() const {
    return each<To>([](DataT from) { return detail::convert_element<To, Mode>(from); }, *this,
                    indices());
  }
  template <class To> constexpr To as() const { return bit_cast<To>(*this); }

#define LOCKSTEP_ELEMENT(name, index, condition)                                                   \
  template <int Elements = NumElements,                                                            \
            std::enable_if_t<(condition) && (Elements > index), int> = 0>                          \
  constexpr DataT &name() {                                                                        \
    return data_[index];                                                                           \
  }                                                                                                \
  template <int Elements = NumElements,                                                            \
            std::enable_if_t<(condition) && (Elements > index), int> = 0>                          \
  constexpr const DataT &name() const {                                                            \
    return data_[index];                                                                           \
  }
  LOCKSTEP_VEC_ELEMENTS(LOCKSTEP_ELEMENT)
#undef LOCKSTEP_ELEMENT

  template <int... At, std::enable_if_t<detail::is_vec_size(sizeof...(At)) &&
                                            ((At >= 0 && At < NumElements) && ...),
                                        int> = 0>
  constexpr auto swizzle() {
    return all().template swizzle<At...>();
  }
  template <int... At, std::enable_if_t<detail::is_vec_size(sizeof...(At)) &&
                                            ((At >= 0 && At < NumElements) && ...),
                                        int> = 0>
  constexpr auto swizzle() const {
    return all().template swizzle<At...>();
  }
#define LOCKSTEP_SWIZZLE(name, condition, ...)                                                     \
  template <int Elements = NumElements, std::enable_if_t<condition, int> = 0>                      \
  constexpr auto name() {                                                                          \
    return this->template swizzle<__VA_ARGS__>();                                                  \
  }                                                                                                \
  template <int Elements = NumElements, std::enable_if_t<condition, int> = 0>                      \
  constexpr auto name() const {                                                                    \
    return this->template swizzle<__VA_ARGS__>();                                                  \
  }
  LOCKSTEP_VEC_SIMPLE_SWIZZLES(LOCKSTEP_SWIZZLE)
#undef LOCKSTEP_SWIZZLE
#define LOCKSTEP_HALF(name)                                                                        \
  template <int Elements = NumElements, std::enable_if_t<(Elements > 1), int> = 0>                 \
  constexpr auto name() {                                                                          \
    return all().name();                                                                           \
  }                                                                                                \
  template <int Elements = NumElements, std::enable_if_t<(Elements > 1), int> = 0>                 \
  constexpr auto name() const {                                                                    \
    return all().name();                                                                           \
  }
  LOCKSTEP_HALF(lo)
  LOCKSTEP_HALF(hi)
  LOCKSTEP_HALF(odd)
  LOCKSTEP_HALF(even)
#undef LOCKSTEP_HALF

  constexpr void load(std::size_t offset, const DataT *from) {
    load_from(from + offset * NumElements, indices());
  }
  constexpr void store(std::size_t offset, DataT *to) const {
    store_to(to + offset * NumElements, indices());
  }

  template <class T, access::address_space Space, access::decorated Decorated,
            std::enable_if_t<std::is_same_v<std::remove_const_t<T>, DataT>, int> = 0>
  void load(std::size_t offset, multi_ptr<T, Space, Decorated> from) {
    load(offset, from.get_raw());
  }
  template <access::address_space Space, access::decorated Decorated>
  void store(std::size_t offset, multi_ptr<DataT, Space, Decorated> to) const {
    store(offset, to.get_raw());
  }

  constexpr DataT &operator[](int index) { return data_[index]; }
  constexpr const DataT &operator[](int index) const { return data_[index]; }

#define LOCKSTEP_BINARY(op, kind, Result, ...)                                                     \
  template <class D = DataT, std::enable_if_t<detail::kind<D>, int> = 0>                           \
  friend constexpr vec<Result, NumElements> operator op(const vec &lhs, const vec &rhs) {          \
    return each<Result>([](DataT a, DataT b) { return static_cast<Result>(__VA_ARGS__); }, lhs,    \
                        rhs, indices());                                                           \
  }                                                                                                \
  template <class T, std::enable_if_t<is_scalar<T> && detail::kind<DataT>, int> = 0>               \
  friend constexpr vec<Result, NumElements> operator op(const vec &lhs, const T &rhs) {            \
    return lhs op vec(static_cast<DataT>(rhs));                                                    \
  }                                                                                                \
  template <class T, std::enable_if_t<is_scalar<T> && detail::kind<DataT>, int> = 0>               \
  friend constexpr vec<Result, NumElements> operator op(const T &lhs, const vec &rhs) {            \
    return vec(static_cast<DataT>(lhs)) op rhs;                                                    \
  }
#define LOCKSTEP_ASSIGNING(op, kind)                                                               \
  LOCKSTEP_BINARY(op, kind, DataT, a op b)                                                         \
  template <class D = DataT, std::enable_if_t<detail::kind<D>, int> = 0>                           \
  friend constexpr vec &operator op## = (vec & lhs, const vec &rhs) {                              \
    return lhs = lhs op rhs;                                                                       \
  }                                                                                                \
  template <class T, std::enable_if_t<is_scalar<T> && detail::kind<DataT>, int> = 0>               \
  friend constexpr vec &operator op## = (vec & lhs, const T &rhs) {                                \
    return lhs = lhs op vec(static_cast<DataT>(rhs));                                              \
  }
#define LOCKSTEP_COMPARING(op, kind) LOCKSTEP_BINARY(op, kind, truth, (a op b) ? -1 : 0)
#define LOCKSTEP_STEP(op, by)                                                                      \
  template <class D = DataT, std::enable_if_t<detail::is_countable<D>, int> = 0>                   \
  friend constexpr vec &operator op(vec &of) {                                                     \
    return of = of by vec(DataT(1));                                                               \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<detail::is_countable<D>, int> = 0>                   \
  friend constexpr vec operator op(vec &of, int) {                                                 \
    const vec before = of;                                                                         \
    of = before by vec(DataT(1));                                                                  \
    return before;                                                                                 \
  }
#define LOCKSTEP_UNARY(op, kind, Result, ...)                                                      \
  template <class D = DataT, std::enable_if_t<detail::kind<D>, int> = 0>                           \
  friend constexpr vec<Result, NumElements> operator op(const vec &of) {                           \
    return each<Result>([](DataT a) { return static_cast<Result>(__VA_ARGS__); }, of, indices());  \
  }
  LOCKSTEP_ELEMENT_ARITHMETIC(LOCKSTEP_ASSIGNING)
  LOCKSTEP_ELEMENT_COMPARISONS(LOCKSTEP_COMPARING)
  LOCKSTEP_STEP(++, +)
  LOCKSTEP_STEP(--, -)
  LOCKSTEP_UNARY(+, is_number, DataT, +a)
  LOCKSTEP_UNARY(-, is_number, DataT, -a)
  LOCKSTEP_UNARY(~, is_bits, DataT, ~a)
  LOCKSTEP_UNARY(!, is_number, truth, a ? 0 : -1)
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_STEP
#undef LOCKSTEP_COMPARING
#undef LOCKSTEP_ASSIGNING
#undef LOCKSTEP_BINARY
};

template <class T, class... U, std::enable_if_t<(std::is_same_v<T, U> && ...), int> = 0>
vec(T, U...) -> vec<T, sizeof...(U) + 1>;

#define LOCKSTEP_ALIASES(name, type)                                                               \
  using name##2 = vec<type, 2>;                                                                    \
  using name##3 = vec<type, 3>;                                                                    \
  using name##4 = vec<type, 4>;                                                                    \
  using name##8 = vec<type, 8>;                                                                    \
  using name##16 = vec<type, 16>;
LOCKSTEP_ALIASES(char, std::int8_t)
LOCKSTEP_ALIASES(uchar, std::uint8_t)
LOCKSTEP_ALIASES(short, std::int16_t)
LOCKSTEP_ALIASES(ushort, std::uint16_t)
LOCKSTEP_ALIASES(int, std::int32_t)
LOCKSTEP_ALIASES(uint, std::uint32_t)
LOCKSTEP_ALIASES(long, std::int64_t)
LOCKSTEP_ALIASES(ulong, std::uint64_t)
LOCKSTEP_ALIASES(float, float)
LOCKSTEP_ALIASES(double, double)
LOCKSTEP_ALIASES(half, half)

// The aliases of SYCL 1.2.1 for vectors of OpenCL's scalar types. SYCL 2020 moves the scalar types
// to namespace opencl (backend.hpp) and has no names for their vectors.
#define LOCKSTEP_OLD_ALIASES(name, type)                                                           \
  using name = type;                                                                               \
  LOCKSTEP_ALIASES(name, type)
LOCKSTEP_OLD_ALIASES(cl_char, std::int8_t)
LOCKSTEP_OLD_ALIASES(cl_uchar, std::uint8_t)
LOCKSTEP_OLD_ALIASES(cl_short, std::int16_t)
LOCKSTEP_OLD_ALIASES(cl_ushort, std::uint16_t)
LOCKSTEP_OLD_ALIASES(cl_int, std::int32_t)
LOCKSTEP_OLD_ALIASES(cl_uint, std::uint32_t)
LOCKSTEP_OLD_ALIASES(cl_long, std::int64_t)
LOCKSTEP_OLD_ALIASES(cl_ulong, std::uint64_t)
LOCKSTEP_OLD_ALIASES(cl_float, float)
LOCKSTEP_OLD_ALIASES(cl_double, double)
LOCKSTEP_OLD_ALIASES(cl_half, half)
using cl_bool = bool;
#undef LOCKSTEP_OLD_ALIASES
#undef LOCKSTEP_ALIASES

} // namespace sycl

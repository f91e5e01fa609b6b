// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Swizzles of vec (SYCL 2020, section 4.14.2.4): views of some elements of a vec in a given order.
// The template parameters name the element type instead of the vec, because argument-dependent
// lookup must not find the operators of vec.
#pragma once

#include "sycl/detail/convert_element.hpp"
#include "sycl/detail/element_operators.hpp"
#include "sycl/detail/vec_names.hpp"

#include <utility>

namespace sycl {

template <class DataT, int NumElements> class vec;

namespace detail {

template <class DataT, int Size, bool Writeable, int... Order> class swizzled;

template <class T> inline constexpr int swizzled_elements = 0; // 0: not a swizzle
template <class DataT, int Size, bool Writeable, int... Order>
inline constexpr int swizzled_elements<swizzled<DataT, Size, Writeable, Order...>> =
    sizeof...(Order);

constexpr bool is_vec_size(int size) {
  return size == 1 || size == 2 || size == 3 || size == 4 || size == 8 || size == 16;
}

// Target type of conversion operators that must not exist. Programs cannot name or construct it.
struct no_conversion {
  no_conversion() = delete;
};

// Tag for the constructor of vec whose further arguments are the elements.
struct these_elements {};

template <class DataT, int Size, bool Writeable, int... Order> class swizzled {
  static constexpr int count = sizeof...(Order);
  static_assert(is_vec_size(count), "a swizzle has 1, 2, 3, 4, 8 or 16 elements");
  using element = std::conditional_t<Writeable, DataT, const DataT>;
  using value_vec = vec<DataT, count>;
  template <class, int> friend class sycl::vec;
  template <class, int, bool, int...> friend class swizzled;

  element *elements_;
  constexpr swizzled(these_elements, element *elements) : elements_(elements) {}

  // Returns the index in the vec of the swizzle's element. Index 3 of a swizzle of three elements
  // means the padding: element 3 of a vec of three, none (-1) otherwise.
  static constexpr int place(int index) {
    if (index >= count)
      return Size == 3 ? 3 : -1;
    int at = 0, found = -1;
    ((found = at++ == index ? Order : found), ...);
    return found;
  }
  static constexpr bool repeats() {
    bool seen[16] = {}, twice = false;
    ((Order < 0 ? void() : void((twice = twice || seen[Order], seen[Order] = true))), ...);
    return twice;
  }
  static constexpr bool is_assignable = Writeable && !repeats();
  template <class T>
  static constexpr bool is_scalar =
      std::is_convertible_v<T, DataT> && swizzled_elements<T> == 0 && !std::is_same_v<T, value_vec>;

  constexpr value_vec value() const {
    return value_vec(these_elements(), (Order < 0 ? DataT() : elements_[Order < 0 ? 0 : Order])...);
  }
  constexpr void set(const value_vec &value) const {
    static_assert(is_assignable, "this swizzle is read-only, or names an element twice");
    int at = 0;
    ((Order < 0 ? void() : void(elements_[Order < 0 ? 0 : Order] = value.data_[at]), ++at), ...);
  }
  template <int... At> constexpr auto view(std::integer_sequence<int, At...>) const {
    return swizzled<DataT, Size, Writeable, place(At)...>(these_elements(), elements_);
  }
  template <int First, int Step, int... At>
  constexpr auto half(std::integer_sequence<int, At...>) const {
    return view(std::integer_sequence<int, (First + Step * At)...>());
  }
  static constexpr int half_count = (count + 1) / 2;
  using half_sequence = std::make_integer_sequence<int, half_count>;

public:
  using element_type = DataT;
  using value_type = DataT;

  swizzled() = delete;
  swizzled(const swizzled &) = delete;

  constexpr operator std::conditional_t<count == 1, DataT, no_conversion>() const {
    if constexpr (count == 1)
      return value().data_[0];
  }
  template <class T, int Elements = count,
            std::enable_if_t<Elements == 1 && std::is_constructible_v<T, DataT> &&
                                 !std::is_same_v<T, DataT> && !std::is_same_v<T, value_vec>,
                             int> = 0>
  constexpr explicit operator T() const {
    return static_cast<T>(value().data_[0]);
  }
  constexpr operator value_vec() const { return value(); }

  static constexpr std::size_t byte_size() noexcept { return value_vec::byte_size(); }
  static constexpr std::size_t size() noexcept { return count; }
  [[deprecated("byte_size()")]] std::size_t get_size() const { return byte_size(); }
  [[deprecated("size()")]] std::size_t get_count() const { return size(); }
  template <class To, rounding_mode Mode = rounding_mode::automatic>
  constexpr vec<To, count> convert() const {
    return value().template convert<To, Mode>();
  }
  template <class To> constexpr To as() const { return value().template as<To>(); }

#define LOCKSTEP_ELEMENT(name, index, condition)                                                   \
  template <int Elements = count, std::enable_if_t<(condition) && (Elements > index), int> = 0>    \
  constexpr element &name() const {                                                                \
    return elements_[place(index)];                                                                \
  }
  LOCKSTEP_VEC_ELEMENTS(LOCKSTEP_ELEMENT)
#undef LOCKSTEP_ELEMENT

  constexpr element &operator[](int index) const {
    int at = 0, found = 0; // selects among constants: a table would be an array in memory
    ((found = at++ == index && Order >= 0 ? Order : found), ...);
    return elements_[found];
  }

  template <int... At, std::enable_if_t<
                           is_vec_size(sizeof...(At)) && ((At >= 0 && At < count) && ...), int> = 0>
  constexpr auto swizzle() const {
    return view(std::integer_sequence<int, At...>());
  }
#define LOCKSTEP_SWIZZLE(name, condition, ...)                                                     \
  template <int Elements = count, std::enable_if_t<condition, int> = 0>                            \
  constexpr auto name() const {                                                                    \
    return this->template swizzle<__VA_ARGS__>();                                                  \
  }
  LOCKSTEP_VEC_SIMPLE_SWIZZLES(LOCKSTEP_SWIZZLE)
#undef LOCKSTEP_SWIZZLE
#define LOCKSTEP_HALF(name, first, step)                                                           \
  template <int Elements = count, std::enable_if_t<(Elements > 1), int> = 0>                       \
  constexpr auto name() const {                                                                    \
    return half<first, step>(half_sequence());                                                     \
  }
  LOCKSTEP_HALF(lo, 0, 1)
  LOCKSTEP_HALF(hi, half_count, 1)
  LOCKSTEP_HALF(even, 0, 2)
  LOCKSTEP_HALF(odd, 1, 2)
#undef LOCKSTEP_HALF

  constexpr const swizzled &operator=(const swizzled &rhs) const {
    set(rhs.value());
    return *this;
  }
  template <int S, bool W, int... O, bool Can = is_assignable,
            std::enable_if_t<Can && sizeof...(O) == count, int> = 0>
  constexpr const swizzled &operator=(const swizzled<DataT, S, W, O...> &rhs) const {
    set(rhs.value());
    return *this;
  }
  constexpr const swizzled &operator=(const DataT &rhs) const {
    set(value_vec(rhs));
    return *this;
  }
  constexpr const swizzled &operator=(const value_vec &rhs) const {
    set(rhs);
    return *this;
  }

#define LOCKSTEP_BINARY(op, kind)                                                                  \
  template <int S, bool W, int... O,                                                               \
            std::enable_if_t<kind<DataT> && sizeof...(O) == count, int> = 0>                       \
  friend constexpr auto operator op(const swizzled &lhs, const swizzled<DataT, S, W, O...> &rhs) { \
    return lhs.value() op vec<DataT, count>(rhs);                                                  \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<kind<D>, int> = 0>                                   \
  friend constexpr auto operator op(const vec<DataT, count> &lhs, const swizzled &rhs) {           \
    return lhs op rhs.value();                                                                     \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<kind<D>, int> = 0>                                   \
  friend constexpr auto operator op(const swizzled &lhs, const vec<DataT, count> &rhs) {           \
    return lhs.value() op rhs;                                                                     \
  }                                                                                                \
  template <class T, std::enable_if_t<is_scalar<T> && kind<DataT>, int> = 0>                       \
  friend constexpr auto operator op(const swizzled &lhs, const T &rhs) {                           \
    return lhs.value() op value_vec(static_cast<DataT>(rhs));                                      \
  }                                                                                                \
  template <class T, std::enable_if_t<is_scalar<T> && kind<DataT>, int> = 0>                       \
  friend constexpr auto operator op(const T &lhs, const swizzled &rhs) {                           \
    return value_vec(static_cast<DataT>(lhs)) op rhs.value();                                      \
  }
#define LOCKSTEP_ASSIGNING(op, kind)                                                               \
  LOCKSTEP_BINARY(op, kind)                                                                        \
  template <int S, bool W, int... O,                                                               \
            std::enable_if_t<is_assignable && kind<DataT> && sizeof...(O) == count, int> = 0>      \
  friend constexpr const swizzled &operator op## =                                                 \
      (const swizzled &lhs, const swizzled<DataT, S, W, O...> &rhs) {                              \
    lhs.set(lhs.value() op vec<DataT, count>(rhs));                                                \
    return lhs;                                                                                    \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<is_assignable && kind<D>, int> = 0>                  \
  friend constexpr const swizzled &operator op## =                                                 \
      (const swizzled &lhs, const vec<DataT, count> &rhs) {                                        \
    lhs.set(lhs.value() op rhs);                                                                   \
    return lhs;                                                                                    \
  }                                                                                                \
  template <class T, std::enable_if_t<is_assignable && is_scalar<T> && kind<DataT>, int> = 0>      \
  friend constexpr const swizzled &operator op## = (const swizzled &lhs, const T &rhs) {           \
    lhs.set(lhs.value() op value_vec(static_cast<DataT>(rhs)));                                    \
    return lhs;                                                                                    \
  }
#define LOCKSTEP_STEP(op, by)                                                                      \
  template <class D = DataT, std::enable_if_t<is_assignable && is_countable<D>, int> = 0>          \
  friend constexpr const swizzled &operator op(const swizzled &of) {                               \
    of.set(of.value() by value_vec(DataT(1)));                                                     \
    return of;                                                                                     \
  }                                                                                                \
  template <class D = DataT, std::enable_if_t<is_assignable && is_countable<D>, int> = 0>          \
  friend constexpr vec<DataT, count> operator op(const swizzled &of, int) {                        \
    const value_vec before = of.value();                                                           \
    of.set(before by value_vec(DataT(1)));                                                         \
    return before;                                                                                 \
  }
#define LOCKSTEP_UNARY(op, kind)                                                                   \
  template <class D = DataT, std::enable_if_t<kind<D>, int> = 0>                                   \
  friend constexpr auto operator op(const swizzled &of) {                                          \
    return op of.value();                                                                          \
  }
  LOCKSTEP_ELEMENT_ARITHMETIC(LOCKSTEP_ASSIGNING)
  LOCKSTEP_ELEMENT_COMPARISONS(LOCKSTEP_BINARY)
  LOCKSTEP_STEP(++, +)
  LOCKSTEP_STEP(--, -)
  LOCKSTEP_UNARY(+, is_number)
  LOCKSTEP_UNARY(-, is_number)
  LOCKSTEP_UNARY(~, is_bits)
  LOCKSTEP_UNARY(!, is_number)
#undef LOCKSTEP_UNARY
#undef LOCKSTEP_STEP
#undef LOCKSTEP_ASSIGNING
#undef LOCKSTEP_BINARY
};

} // namespace detail
} // namespace sycl

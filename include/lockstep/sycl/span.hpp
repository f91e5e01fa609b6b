// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// span (SYCL 2020, section 4.17.11, adopted from C++20): std::span where it exists.
#pragma once

#include "sycl/detail/standard.hpp"

#include <version>

#ifdef __cpp_lib_span

#include <span>

namespace sycl {
using std::dynamic_extent;
using std::span;
} // namespace sycl

#else

#include <array>
#include <cstddef>
#include <type_traits>

namespace sycl {

inline constexpr std::size_t dynamic_extent = static_cast<std::size_t>(-1);

template <class T, std::size_t Extent = dynamic_extent> class span;

namespace detail {

template <std::size_t Extent> struct span_size {
  constexpr explicit span_size(std::size_t) {}
  static constexpr std::size_t value = Extent;
};
template <> struct span_size<dynamic_extent> {
  constexpr explicit span_size(std::size_t size) : value(size) {}
  std::size_t value;
};

template <class T> inline constexpr bool is_span_or_array = std::is_array_v<T>;
template <class T, std::size_t N> inline constexpr bool is_span_or_array<span<T, N>> = true;
template <class T, std::size_t N> inline constexpr bool is_span_or_array<std::array<T, N>> = true;

// Whether elements of From can be viewed as T: with the same or an added const.
template <class From, class T>
using if_qualified = std::enable_if_t<std::is_convertible_v<From (*)[], T (*)[]>, int>;
template <class Range>
using element_of_range = std::remove_pointer_t<decltype(std::data(std::declval<Range &>()))>;

} // namespace detail

template <class T, std::size_t Extent> class span : detail::span_size<Extent> {
  using size_holder = detail::span_size<Extent>;

public:
  using element_type = T;
  using value_type = std::remove_cv_t<T>;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using const_pointer = const T *;
  using reference = T &;
  using const_reference = const T &;
  using iterator = T *;
  using reverse_iterator = std::reverse_iterator<T *>;
  static constexpr std::size_t extent = Extent;

  template <std::size_t E = Extent, std::enable_if_t<E == dynamic_extent || E == 0, int> = 0>
  constexpr span() noexcept : size_holder(0), data_(nullptr) {}
  constexpr span(T *first, std::size_t count) : size_holder(count), data_(first) {}
  constexpr span(T *first, T *last) : span(first, static_cast<std::size_t>(last - first)) {}
  template <std::size_t N, std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(T (&array)[N]) noexcept : size_holder(N), data_(array) {}
  template <class U, std::size_t N, detail::if_qualified<U, T> = 0,
            std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(std::array<U, N> &array) noexcept : size_holder(N), data_(array.data()) {}
  template <class U, std::size_t N, detail::if_qualified<const U, T> = 0,
            std::enable_if_t<Extent == dynamic_extent || Extent == N, int> = 0>
  constexpr span(const std::array<U, N> &array) noexcept : size_holder(N), data_(array.data()) {}
  template <
      class Range,
      std::enable_if_t<
          Extent == dynamic_extent && !detail::is_span_or_array<std::remove_cv_t<Range>>, int> = 0,
      detail::if_qualified<detail::element_of_range<Range>, T> = 0>
  constexpr span(Range &range) : size_holder(std::size(range)), data_(std::data(range)) {}
  template <
      class U, std::size_t N, detail::if_qualified<U, T> = 0,
      std::enable_if_t<Extent == dynamic_extent || N == dynamic_extent || Extent == N, int> = 0>
  constexpr span(const span<U, N> &other) noexcept
      : size_holder(other.size()), data_(other.data()) {}

  constexpr T *data() const noexcept { return data_; }
  constexpr std::size_t size() const noexcept { return size_holder::value; }
  constexpr std::size_t size_bytes() const noexcept { return size() * sizeof(T); }
  constexpr bool empty() const noexcept { return size() == 0; }
  constexpr T &operator[](std::size_t index) const { return data_[index]; }
  constexpr T &front() const { return data_[0]; }
  constexpr T &back() const { return data_[size() - 1]; }
  constexpr iterator begin() const noexcept { return data_; }
  constexpr iterator end() const noexcept { return data_ + size(); }
  constexpr reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  constexpr reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }

  template <std::size_t Count> constexpr span<T, Count> first() const { return {data_, Count}; }
  template <std::size_t Count> constexpr span<T, Count> last() const {
    return {end() - Count, Count};
  }
  constexpr span<T> first(std::size_t count) const { return {data_, count}; }
  constexpr span<T> last(std::size_t count) const { return {end() - count, count}; }
  template <std::size_t Offset, std::size_t Count = dynamic_extent> constexpr auto subspan() const {
    constexpr std::size_t part = Count != dynamic_extent    ? Count
                                 : Extent != dynamic_extent ? Extent - Offset
                                                            : dynamic_extent;
    return span<T, part>(data_ + Offset, Count != dynamic_extent ? Count : size() - Offset);
  }
  constexpr span<T> subspan(std::size_t offset, std::size_t count = dynamic_extent) const {
    return {data_ + offset, count != dynamic_extent ? count : size() - offset};
  }

private:
  T *data_;
};

template <class T, std::size_t N> span(T (&)[N]) -> span<T, N>;
template <class T, std::size_t N> span(std::array<T, N> &) -> span<T, N>;
template <class T, std::size_t N> span(const std::array<T, N> &) -> span<const T, N>;
template <class T> span(T *, std::size_t) -> span<T>;
template <class T> span(T *, T *) -> span<T>;
template <class Range, class = std::enable_if_t<!std::is_pointer_v<Range>>>
span(Range &) -> span<detail::element_of_range<Range>>;

} // namespace sycl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The base of all accessors: a box of elements with subscripts.
#pragma once

#include "sycl/access.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/id.hpp"
#include "sycl/property_list.hpp"

#include <cstddef>
#include <limits>

namespace sycl::detail {

// The result of a[i] for two or three dimensions, so that a[i][j] works.
template <class Elements, int Left> class row_of {
public:
  row_of(const Elements &of, std::size_t index) : of_(of), index_(index) {}
  decltype(auto) operator[](std::size_t index) const {
    const std::size_t next = index_ * of_.memory_range_[Elements::dimensions_ - Left] + index;
    if constexpr (Left == 1)
      return of_.at(next);
    else
      return row_of<Elements, Left - 1>(of_, next);
  }

private:
  const Elements &of_;
  std::size_t index_;
};

// The result type of a subscript. Local accessors use a type of their own, so that their iterators
// are distinct types.
template <class T> struct by_reference {
  using type = T &;
  static T &at(T *place) { return *place; }
};
template <class T> struct by_local_reference : by_reference<T> {};

// Iterates over the elements of a box in row-major order.
template <class T, int Dimensions, class Access> class element_iterator {
public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using pointer = T *;
  using reference = T &;

  element_iterator() = default;
  element_iterator(T *data, const range<Dimensions> &memory, const range<Dimensions> &box,
                   difference_type at)
      : data_(data), memory_(memory), box_(box), at_(at) {}

  reference operator*() const { return data_[place(at_)]; }
  pointer operator->() const { return &**this; }
  reference operator[](difference_type n) const { return data_[place(at_ + n)]; }
  element_iterator &operator+=(difference_type n) {
    at_ += n;
    return *this;
  }
  element_iterator &operator-=(difference_type n) { return *this += -n; }
  element_iterator &operator++() { return *this += 1; }
  element_iterator &operator--() { return *this += -1; }
  element_iterator operator++(int) {
    element_iterator before = *this;
    ++*this;
    return before;
  }
  element_iterator operator--(int) {
    element_iterator before = *this;
    --*this;
    return before;
  }
  friend element_iterator operator+(element_iterator a, difference_type n) { return a += n; }
  friend element_iterator operator+(difference_type n, element_iterator a) { return a += n; }
  friend element_iterator operator-(element_iterator a, difference_type n) { return a -= n; }
  friend difference_type operator-(const element_iterator &a, const element_iterator &b) {
    return a.at_ - b.at_;
  }
  friend bool operator==(const element_iterator &a, const element_iterator &b) {
    return a.at_ == b.at_;
  }
  friend bool operator!=(const element_iterator &a, const element_iterator &b) { return !(a == b); }
  friend bool operator<(const element_iterator &a, const element_iterator &b) {
    return a.at_ < b.at_;
  }
  friend bool operator>(const element_iterator &a, const element_iterator &b) { return b < a; }
  friend bool operator<=(const element_iterator &a, const element_iterator &b) { return !(b < a); }
  friend bool operator>=(const element_iterator &a, const element_iterator &b) { return !(a < b); }

private:
  std::size_t place(difference_type at) const {
    if constexpr (Dimensions == 1) {
      return at;
    } else {
      id<Dimensions> index;
      std::size_t left = at;
      for (int d = Dimensions - 1; d > 0; --d) {
        index[d] = left % box_[d];
        left /= box_[d];
      }
      index[0] = left;
      return linear_index(index, memory_);
    }
  }

  T *data_ = nullptr;
  range<Dimensions> memory_, box_;
  difference_type at_ = 0;
};

// T is const for read-only access. Dimensions 0: one element, stored as a range of 1.
template <class T, int Dimensions, class Access = by_reference<T>> class elements {
protected:
  static constexpr int dimensions_ = Dimensions == 0 ? 1 : Dimensions;
  using range_type = range<dimensions_>;
  using id_type = id<dimensions_>;

public:
  using value_type = T;
  using reference = T &;
  using const_reference = const T &;
  using difference_type = std::ptrdiff_t;
  using size_type = std::size_t;
  using iterator = element_iterator<T, dimensions_, Access>;
  using const_iterator = element_iterator<const T, dimensions_, Access>;
  using reverse_iterator = std::reverse_iterator<iterator>;
  using const_reverse_iterator = std::reverse_iterator<const_iterator>;

  std::size_t size() const noexcept { return box_.size(); }
  std::size_t byte_size() const noexcept { return size() * sizeof(T); }
  size_type max_size() const noexcept {
    return std::numeric_limits<difference_type>::max() / sizeof(T);
  }
  bool empty() const noexcept { return size() == 0; }
  [[deprecated("use size()")]] std::size_t get_count() const noexcept { return size(); }
  [[deprecated("use byte_size()")]] std::size_t get_size() const noexcept { return byte_size(); }

  template <int D = Dimensions, std::enable_if_t<(D > 0), int> = 0> range<D> get_range() const {
    return box_;
  }

  // Not a template: any type that converts to id is accepted as an index.
  typename Access::type operator[](id_type index) const {
    return at(linear_index(index, memory_range_));
  }
  template <int D = Dimensions, std::enable_if_t<(D > 1), int> = 0>
  auto operator[](std::size_t index) const {
    return row_of<elements, D - 1>(*this, index);
  }
  template <int D = Dimensions, std::enable_if_t<D == 0, int> = 0>
  operator typename Access::type() const {
    return at(0);
  }
  iterator begin() const noexcept { return iterator(data_, memory_range_, box_, 0); }
  iterator end() const noexcept { return iterator(data_, memory_range_, box_, size()); }
  const_iterator cbegin() const noexcept { return const_iterator(data_, memory_range_, box_, 0); }
  const_iterator cend() const noexcept {
    return const_iterator(data_, memory_range_, box_, size());
  }
  reverse_iterator rbegin() const noexcept { return reverse_iterator(end()); }
  reverse_iterator rend() const noexcept { return reverse_iterator(begin()); }
  const_reverse_iterator crbegin() const noexcept { return const_reverse_iterator(cend()); }
  const_reverse_iterator crend() const noexcept { return const_reverse_iterator(cbegin()); }

protected:
  template <class, int> friend class row_of;
  template <class, int, class> friend class buffer_elements;
  friend struct box_of;
  friend struct ownership;
  friend struct place_of;
  template <class, int, class> friend class elements;
  elements() = default;
  template <class U, class OtherAccess>
  explicit elements(const elements<U, Dimensions, OtherAccess> &other)
      : data_(other.data_), memory_range_(other.memory_range_), box_(other.box_) {}
  elements(T *data, const range_type &memory, const range_type &box)
      : data_(data), memory_range_(memory), box_(box) {}

  // Implements operator= of accessors of dimension 0. Each class declares that operator itself: if
  // a base class had it, that class's copy assignment would be inherited too, and `accessor =
  // {buffer, group}` would be ambiguous.
  void set_only_element(const T &value) const { *data_ = value; }

  typename Access::type at(std::size_t index) const { return Access::at(data_ + index); }

  T *data_ = nullptr; // the first element of the box
  range_type memory_range_, box_;
};

// The address by which accessors are hashed.
struct place_of {
  template <class T, int Dimensions, class Access>
  static const void *first(const elements<T, Dimensions, Access> &of) {
    return of.data_;
  }
};

} // namespace sycl::detail

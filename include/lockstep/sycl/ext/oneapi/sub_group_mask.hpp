// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// sub_group_mask: the work-items of a sub-group for which a condition holds, as bits (extension
// sycl_ext_oneapi_sub_group_mask).
#pragma once

#include "sycl/detail/device_functions.hpp"
#include "sycl/marray.hpp"
#include "sycl/sub_group.hpp"

#include <climits>

#define SYCL_EXT_ONEAPI_SUB_GROUP_MASK 2

namespace sycl::ext::oneapi {

class sub_group_mask {
  using word = std::uint64_t;

public:
  static constexpr std::size_t max_bits = 64;

  class reference {
  public:
    reference(const reference &) = default;
    reference &operator=(bool value) {
      mask_.set(at_, value);
      return *this;
    }
    reference &operator=(const reference &other) { return *this = static_cast<bool>(other); }
    bool operator~() const { return !mask_.test(at_); }
    operator bool() const { return mask_.test(at_); }
    reference &flip() {
      mask_.flip(at_);
      return *this;
    }

  private:
    friend sub_group_mask;
    reference(sub_group_mask &mask, id<1> at) : mask_(mask), at_(at) {}
    sub_group_mask &mask_;
    id<1> at_;
  };

  sub_group_mask() : sub_group_mask(0ull) {}
  sub_group_mask(unsigned long long value)
      : size_(size_of_sub_group()), bits_(value & all_bits()) {}
  template <class T, std::size_t Count>
  sub_group_mask(const marray<T, Count> &value) : sub_group_mask(word_of(value)) {}

  bool operator[](id<1> at) const { return test(at); }
  reference operator[](id<1> at) { return {*this, at}; }
  bool test(id<1> at) const { return bits_ >> at[0] & 1; }
  bool all() const { return bits_ == all_bits(); }
  bool any() const { return bits_ != 0; }
  bool none() const { return bits_ == 0; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(__builtin_popcountll(bits_)); }
  std::uint32_t size() const { return size_; }
  id<1> find_low() const { return bits_ ? std::size_t(__builtin_ctzll(bits_)) : size_; }
  id<1> find_high() const { return bits_ ? std::size_t(63 - __builtin_clzll(bits_)) : size_; }

  template <class T> void insert_bits(const T &bits, id<1> at = 0) {
    const std::size_t first = at[0], count = sizeof(T) * CHAR_BIT;
    if (first >= max_bits)
      return;
    const word of_type = count >= max_bits ? ~word(0) : (word(1) << count) - 1;
    bits_ = ((bits_ & ~(of_type << first)) | (word_of(bits) & of_type) << first) & all_bits();
  }
  template <class T> void extract_bits(T &out, id<1> at = 0) const {
    const word bits = at[0] < max_bits ? bits_ >> at[0] : 0;
    out = T{};
    if constexpr (std::is_integral_v<T>) {
      out = static_cast<T>(bits);
    } else {
      using element = typename T::value_type;
      for (std::size_t i = 0; i < T::size(); ++i) {
        const std::size_t first = i * sizeof(element) * CHAR_BIT;
        out[i] = first < max_bits ? static_cast<element>(bits >> first) : element();
      }
    }
  }

  void set() { bits_ = all_bits(); }
  void set(id<1> at, bool value = true) {
    if (value)
      bits_ |= bit(at) & all_bits();
    else
      bits_ &= ~bit(at);
  }
  void reset() { bits_ = 0; }
  void reset(id<1> at) { bits_ &= ~bit(at); }
  void reset_low() { bits_ &= bits_ - 1; }
  void reset_high() {
    if (bits_)
      reset(find_high());
  }
  void flip() { bits_ ^= all_bits(); }
  void flip(id<1> at) { bits_ ^= bit(at) & all_bits(); }

  bool operator==(const sub_group_mask &other) const { return bits_ == other.bits_; }
  bool operator!=(const sub_group_mask &other) const { return bits_ != other.bits_; }
  sub_group_mask &operator&=(const sub_group_mask &other) { return with(bits_ & other.bits_); }
  sub_group_mask &operator|=(const sub_group_mask &other) { return with(bits_ | other.bits_); }
  sub_group_mask &operator^=(const sub_group_mask &other) { return with(bits_ ^ other.bits_); }
  sub_group_mask &operator<<=(std::size_t by) { return with(by < max_bits ? bits_ << by : 0); }
  sub_group_mask &operator>>=(std::size_t by) { return with(by < max_bits ? bits_ >> by : 0); }
  sub_group_mask operator~() const { return copy().with(~bits_); }
  sub_group_mask operator<<(std::size_t by) const { return copy() <<= by; }
  sub_group_mask operator>>(std::size_t by) const { return copy() >>= by; }
  friend sub_group_mask operator&(const sub_group_mask &a, const sub_group_mask &b) {
    return a.copy() &= b;
  }
  friend sub_group_mask operator|(const sub_group_mask &a, const sub_group_mask &b) {
    return a.copy() |= b;
  }
  friend sub_group_mask operator^(const sub_group_mask &a, const sub_group_mask &b) {
    return a.copy() ^= b;
  }

private:
  static std::uint32_t size_of_sub_group() {
#ifdef __SYCL_DEVICE_ONLY__
    return detail::on_device::max_sub_group_size();
#else
    return max_bits; // in no sub-group
#endif
  }
  word all_bits() const { return size_ >= max_bits ? ~word(0) : (word(1) << size_) - 1; }
  static word bit(id<1> at) { return at[0] < max_bits ? word(1) << at[0] : 0; }
  sub_group_mask copy() const { return *this; }
  sub_group_mask &with(word bits) {
    bits_ = bits & all_bits();
    return *this;
  }
  template <class T> static word word_of(const T &value) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<word>(static_cast<std::make_unsigned_t<T>>(value));
    } else {
      using element = typename T::value_type;
      word bits = 0;
      for (std::size_t i = 0; i < T::size() && i * sizeof(element) < sizeof(word); ++i)
        bits |= static_cast<word>(static_cast<std::make_unsigned_t<element>>(value[i]))
                << i * sizeof(element) * CHAR_BIT;
      return bits;
    }
  }

  std::uint32_t size_;
  word bits_;
};

template <class Group>
std::enable_if_t<std::is_same_v<Group, sycl::sub_group>, sub_group_mask>
group_ballot(Group, bool predicate = true) {
#ifdef __SYCL_DEVICE_ONLY__
  const auto words = detail::on_device::ballot(predicate);
  return words[0] | static_cast<unsigned long long>(words[1]) << 32;
#else
  (void)predicate;
  detail::not_in_a_kernel();
#endif
}

} // namespace sycl::ext::oneapi

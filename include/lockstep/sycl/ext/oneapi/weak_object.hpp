// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// weak_object: refers to a SYCL object without keeping it alive (extension
// sycl_ext_oneapi_weak_object). A stream or local accessor is a value in its command group that
// owns nothing, so a weak_object of one never expires.
#pragma once

#include "sycl/detail/standard.hpp"
#include "sycl/exception.hpp"
#include "sycl/handler.hpp"
#include "sycl/host_accessor.hpp"
#include "sycl/local_accessor.hpp"
#include "sycl/stream.hpp"

#include <memory>
#include <optional>

#define SYCL_EXT_ONEAPI_WEAK_OBJECT 1

namespace sycl {

namespace ext::oneapi {
template <class T> class weak_object;
}

namespace detail {

struct ownership {
  template <class Derived, class Interface>
  static std::shared_ptr<Interface> &pointer_of(object<Derived, Interface> &of) {
    return of.shared_;
  }
  template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder Placed>
  static std::shared_ptr<buffer_interface> &
  pointer_of(accessor<T, Dimensions, Mode, Target, Placed> &of) {
    return reinterpret_cast<std::shared_ptr<buffer_interface> &>(of.buffer_); // host_only.hpp
  }
  template <class T, int Dimensions, access_mode Mode>
  static std::shared_ptr<host_access_interface> &
  pointer_of(host_accessor<T, Dimensions, Mode> &of) {
    return of.access_;
  }
  template <class T, int Dimensions>
  static const void *word_of(const local_accessor<T, Dimensions> &of) {
    return of.data_;
  }
  static const void *word_of(const stream &of) { return of.log_; }

  // The key by which objects are ordered.
  template <class T> static auto key_of(const T &of, int) -> decltype(word_of(of)) {
    return word_of(of);
  }
  template <class T> static std::weak_ptr<const void> key_of(const T &of, long) {
    return pointer_of(const_cast<T &>(of));
  }
  template <class T> static const auto &key_of(const ext::oneapi::weak_object<T> &of, int) {
    return of.key_;
  }
  static bool before(const std::weak_ptr<const void> &a, const std::weak_ptr<const void> &b) {
    return a.owner_before(b);
  }
  static bool before(const void *a, const void *b) { return std::less<>()(a, b); }
};

template <class Other> struct ownership_order {
  template <class T> static bool before(const T &a, const Other &b) {
    return ownership::before(ownership::key_of(a, 0), ownership::key_of(b, 0));
  }
};

} // namespace detail

namespace ext::oneapi {

template <class T> class weak_object {
  using key_type =
      std::decay_t<decltype(sycl::detail::ownership::key_of(std::declval<const T &>(), 0))>;
  static constexpr bool has_owner = !std::is_pointer_v<key_type>;

public:
  using object_type = T;

  constexpr weak_object() noexcept = default;
  weak_object(const T &of) noexcept : words_(of), key_(sycl::detail::ownership::key_of(of, 0)) {
    if constexpr (has_owner) {
      auto &pointer = sycl::detail::ownership::pointer_of(*words_);
      pointer = {std::shared_ptr<void>(), pointer.get()}; // does not own
    }
  }
  weak_object(const weak_object &) noexcept = default;
  weak_object(weak_object &&) noexcept = default;
  weak_object &operator=(const T &of) noexcept { return *this = weak_object(of); }
  weak_object &operator=(const weak_object &) noexcept = default;
  weak_object &operator=(weak_object &&) noexcept = default;

  void reset() noexcept { *this = weak_object(); }
  void swap(weak_object &other) noexcept { std::swap(*this, other); }
  bool expired() const noexcept {
    if constexpr (has_owner)
      return key_.expired();
    else
      return !words_;
  }
  bool owner_before(const weak_object &other) const noexcept { return is_before(other); }
  bool owner_before(const T &other) const noexcept { return is_before(other); }
  std::optional<T> try_lock() const noexcept {
    std::optional<T> object = words_;
    if constexpr (has_owner) {
      const std::shared_ptr<const void> owner = key_.lock();
      if (!owner)
        return std::nullopt;
      auto &pointer = sycl::detail::ownership::pointer_of(*object);
      pointer = {std::const_pointer_cast<void>(owner), pointer.get()};
    }
    return object;
  }
  T lock() const {
    if (auto object = try_lock())
      return *object;
    sycl::detail::raise(errc::invalid,
                        "what a weak_object stood for is gone, or it stands for nothing "
                        "(sycl_ext_oneapi_weak_object)");
  }

private:
  friend sycl::detail::ownership;
  template <class Other> bool is_before(const Other &other) const {
    return sycl::detail::ownership_order<Other>::before(*this, other);
  }
  std::optional<T> words_;
  key_type key_{};
};

template <class T> struct owner_less {
  bool operator()(const weak_object<T> &a, const weak_object<T> &b) const noexcept {
    return a.owner_before(b);
  }
  bool operator()(const weak_object<T> &a, const T &b) const noexcept { return a.owner_before(b); }
  bool operator()(const T &a, const weak_object<T> &b) const noexcept {
    return a.ext_oneapi_owner_before(b);
  }
};

} // namespace ext::oneapi
} // namespace sycl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// stream (SYCL 2020, section 4.16): text output from kernels. The output appears on standard output
// when the command has ended. The text of each work-item is contiguous, and work-items follow in
// the order of their ids.
//
// Manipulators apply until the end of their statement; showbase and showpos apply until they are
// reset.
#pragma once

#include "sycl/detail/library.hpp"
#include "sycl/detail/object.hpp"
#include "sycl/detail/points.hpp"
#include "sycl/detail/stream_records.hpp"
#include "sycl/h_item.hpp"
#include "sycl/half.hpp"
#include "sycl/multi_ptr.hpp"
#include "sycl/nd_item.hpp"
#include "sycl/property_list.hpp"
#include "sycl/vec.hpp"

#include <type_traits>

namespace sycl {

class handler;

inline constexpr stream_manipulator flush = stream_manipulator::flush;
inline constexpr stream_manipulator dec = stream_manipulator::dec;
inline constexpr stream_manipulator hex = stream_manipulator::hex;
inline constexpr stream_manipulator oct = stream_manipulator::oct;
inline constexpr stream_manipulator noshowbase = stream_manipulator::noshowbase;
inline constexpr stream_manipulator showbase = stream_manipulator::showbase;
inline constexpr stream_manipulator noshowpos = stream_manipulator::noshowpos;
inline constexpr stream_manipulator showpos = stream_manipulator::showpos;
inline constexpr stream_manipulator endl = stream_manipulator::endl;
inline constexpr stream_manipulator fixed = stream_manipulator::fixed;
inline constexpr stream_manipulator scientific = stream_manipulator::scientific;
inline constexpr stream_manipulator hexfloat = stream_manipulator::hexfloat;
inline constexpr stream_manipulator defaultfloat = stream_manipulator::defaultfloat;

namespace detail {

template <stream_value Kind> struct stream_setting {
  int value;
};
template <class T> inline constexpr bool is_manipulator = std::is_same_v<T, stream_manipulator>;
template <stream_value Kind> inline constexpr bool is_manipulator<stream_setting<Kind>> = true;

class stream_statement;

struct stream_memory_access {
  static stream_log *log(handler &group, std::size_t total, std::size_t of_item); // handler.hpp
};

inline std::uint64_t linear_item() {
  namespace device = on_device;
  std::uint64_t at = 0;
  at = at * device::global_size(2) + device::global_id(2) - device::global_offset(2);
  at = at * device::global_size(1) + device::global_id(1) - device::global_offset(1);
  return at * device::global_size(0) + device::global_id(0) - device::global_offset(0);
}

inline void stream_append(stream_log *log, stream_value kind, std::size_t size, const void *value,
                          std::size_t bytes) {
  const std::uint64_t all = sizeof(stream_record) + (bytes + 7) / 8 * 8;
  const std::uint64_t at = __atomic_fetch_add(&log->used, all, __ATOMIC_RELAXED);
  auto *to = reinterpret_cast<unsigned char *>(log + 1) + at;
  if (at + all > log->capacity) { // the reader stops here
    if (at + sizeof(stream_record) <= log->capacity)
      *reinterpret_cast<stream_record *>(to) = {0, ~std::uint32_t(0), kind, 0};
    return;
  }
  *reinterpret_cast<stream_record *>(to) = {linear_item(), static_cast<std::uint32_t>(bytes), kind,
                                            static_cast<std::uint16_t>(size)};
  for (std::size_t i = 0; i < bytes; ++i)
    to[sizeof(stream_record) + i] = static_cast<const unsigned char *>(value)[i];
}

} // namespace detail

inline detail::stream_setting<detail::stream_value::precision> setprecision(int precision) {
  return {precision};
}
inline detail::stream_setting<detail::stream_value::width> setw(int width) {
  return {width};
}

class stream {
public:
  stream(std::size_t total_size, std::size_t work_item_size, handler &group,
         const property_list & = {})
      : total_(total_size), of_item_(work_item_size),
        log_(detail::stream_memory_access::log(group, total_size, work_item_size)) {}

  std::size_t size() const noexcept { return total_; }
  [[deprecated("use size()")]] std::size_t get_size() const { return total_; }
  std::size_t get_work_item_buffer_size() const { return of_item_; }
  [[deprecated("use get_work_item_buffer_size()")]] std::size_t get_max_statement_size() const {
    return of_item_;
  }
  template <class Property> bool has_property() const noexcept { return false; }

  // sycl_ext_oneapi_weak_object
  template <class Other> bool ext_oneapi_owner_before(const Other &other) const noexcept {
    return detail::ownership_order<Other>::before(*this, other);
  }

  friend bool operator==(const stream &a, const stream &b) { return a.log_ == b.log_; }
  friend bool operator!=(const stream &a, const stream &b) { return !(a == b); }

  template <class T, std::enable_if_t<!detail::is_manipulator<T>, int> = 0>
  friend const stream &operator<<(const stream &to, const T &value) {
    to.put(value);
    return to;
  }

private:
  friend detail::ownership;
  friend detail::stream_statement;
  friend struct std::hash<stream>;
  using kind = detail::stream_value;

  template <class T> void append(kind what, std::size_t size, const T &value) const {
    detail::stream_append(log_, what, size, &value, sizeof value);
  }
  void text(const char *begin, kind what = kind::text) const {
    std::size_t length = 0;
    while (begin[length])
      ++length;
    detail::stream_append(log_, what, 1, begin, length);
  }
  void punctuation(const char *mark) const { text(mark, kind::punctuation); }

  template <class T> void put(const T &value) const {
    if constexpr (std::is_same_v<T, bool>) {
      append(kind::boolean, 1, std::uint64_t(value));
    } else if constexpr (std::is_integral_v<T> && sizeof(T) == 1) {
      append(kind::character, 1, std::uint64_t(static_cast<unsigned char>(value)));
    } else if constexpr (std::is_integral_v<T> && std::is_signed_v<T>) {
      append(kind::signed_number, sizeof(T), std::int64_t(value));
    } else if constexpr (std::is_integral_v<T>) {
      append(kind::unsigned_number, sizeof(T), std::uint64_t(value));
    } else if constexpr (detail::is_floating<T>) {
      append(kind::floating, sizeof(T), double(value));
    } else if constexpr (std::is_convertible_v<T, const char *>) {
      text(value);
    } else if constexpr (std::is_pointer_v<T>) {
      append(kind::pointer, sizeof(T), reinterpret_cast<std::uint64_t>(value));
    } else {
      put_parts(value);
    }
  }
  template <class T, access::address_space Space, access::decorated Decorated>
  void put_parts(const multi_ptr<T, Space, Decorated> &value) const {
    append(kind::pointer, sizeof(void *), reinterpret_cast<std::uint64_t>(value.get_raw()));
  }
  template <class T, int Size> void put_parts(const vec<T, Size> &value) const {
    for (int i = 0; i < Size; ++i) {
      if (i > 0)
        punctuation(", ");
      if constexpr (std::is_same_v<T, std::byte>)
        put(unsigned(value[i]));
      else if constexpr (std::is_integral_v<T> && sizeof(T) == 1)
        put(int(value[i])); // prints characters as numbers
      else
        put(value[i]);
    }
  }
  template <class T, int S, bool W, int... Order>
  void put_parts(const detail::swizzled<T, S, W, Order...> &value) const {
    put_parts(vec<T, sizeof...(Order)>(value));
  }
  template <class Point> void put_point(const Point &point, int dimensions) const {
    punctuation("{");
    for (int d = 0; d < dimensions; ++d) {
      if (d > 0)
        punctuation(", ");
      put(point[d]);
    }
    punctuation("}");
  }
  template <int D> void put_parts(const id<D> &value) const { put_point(value, D); }
  template <int D> void put_parts(const range<D> &value) const { put_point(value, D); }
  template <int D> void put_parts(const nd_range<D> &value) const {
    *this << "nd_range(global_range: " << value.get_global_range()
          << ", local_range: " << value.get_local_range() << ")";
  }
  template <int D, bool O> void put_parts(const item<D, O> &value) const {
    *this << "item(range: " << value.get_range() << ", id: " << value.get_id() << ")";
  }
  template <int D> void put_parts(const nd_item<D> &value) const {
    *this << "nd_item(global_id: " << value.get_global_id()
          << ", local_id: " << value.get_local_id() << ")";
  }
  template <int D> void put_parts(const group<D> &value) const {
    *this << "group(id: " << value.get_group_id() << ", local_range: " << value.get_local_range()
          << ", group_range: " << value.get_group_range() << ")";
  }
  template <int D> void put_parts(const h_item<D> &value) const {
    *this << "h_item(global: " << value.get_global()
          << ", logical_local: " << value.get_logical_local()
          << ", physical_local: " << value.get_physical_local() << ")";
  }

  std::size_t total_, of_item_;
  detail::stream_log *log_;
};

namespace detail {

// The result of a stream followed by a manipulator. The conversion makes a temporary object, which
// C++ destroys at the end of the full expression: the manipulator ends there. A nested statement
// (in an operator of the program) starts with the manipulators of the enclosing one.
class stream_statement {
public:
  stream_statement(const stream &to) : to_(to) {}
  stream_statement(const stream_statement &) = delete;
  stream_statement &operator=(const stream_statement &) = delete;
  ~stream_statement() { stream_append(to_.log_, stream_value::end_of_statement, 1, nullptr, 0); }

  template <class T> const stream &put(stream_value kind, T value) const {
    to_.append(kind, 1, value);
    return to_;
  }

private:
  const stream &to_;
};

} // namespace detail

inline const stream &operator<<(const detail::stream_statement &to, stream_manipulator value) {
  return to.put(detail::stream_value::manipulator, std::uint64_t(value));
}
template <detail::stream_value Kind>
const stream &operator<<(const detail::stream_statement &to, detail::stream_setting<Kind> setting) {
  return to.put(Kind, std::int64_t(setting.value));
}

} // namespace sycl

template <> struct std::hash<sycl::stream> {
  std::size_t operator()(const sycl::stream &of) const {
    return reinterpret_cast<std::size_t>(of.log_);
  }
};

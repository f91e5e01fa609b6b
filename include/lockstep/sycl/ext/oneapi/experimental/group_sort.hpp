// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sorting by the work-items of a group (extension sycl_ext_oneapi_group_sort), in scratch memory
// that the program provides.
//
// All sorters use Batcher's merge exchange (Knuth, section 5.2.2, algorithm M). It compares
// elements at distances that do not depend on the data, so neighboring elements map to lanes. The
// size need not be a power of two.
//
// A radix sort would require the lanes to agree on the order of buckets in each pass. So the radix
// sorters only keep the visible behavior: they order by the bits under a mask. They are stable,
// because equal keys are ordered by their original index.
#pragma once

#include "sycl/device.hpp"
#include "sycl/ext/oneapi/experimental/group_with_scratchpad.hpp"
#include "sycl/ext/oneapi/properties/properties.hpp"
#include "sycl/group_functions.hpp"
#include "sycl/span.hpp"

#include <bitset>
#include <climits>
#include <functional>
#include <limits>
#include <tuple>

#define SYCL_EXT_ONEAPI_GROUP_SORT 2

namespace sycl {

namespace detail::sorting {

// All work-items of the group must call it. `is_wrong(a, b)`: elements a and b are in the wrong
// order.
template <class Group, class IsWrong, class Exchange>
void merge_exchange(const Group &of, std::size_t count, IsWrong is_wrong, Exchange exchange) {
  const std::size_t own = of.get_local_linear_id(), step = of.get_local_linear_range();
  std::size_t top = 1;
  while (top * 2 < count)
    top *= 2;
  for (std::size_t p = count > 1 ? top : 0; p > 0; p /= 2) {
    std::size_t q = top, rest = 0, distance = p;
    while (true) {
      for (std::size_t i = own; i + distance < count; i += step)
        if ((i & p) == rest && is_wrong(i, i + distance))
          exchange(i, i + distance);
      group_barrier(of);
      if (q == p)
        break;
      distance = q - p;
      q /= 2;
      rest = p;
    }
  }
}

template <class Group, class Pointer, class Compare>
void sort_in_place(const Group &of, Pointer first, Pointer last, Compare before) {
  group_barrier(of); // makes earlier writes visible to the group
  merge_exchange(
      of, static_cast<std::size_t>(last - first),
      [&](std::size_t a, std::size_t b) { return before(first[b], first[a]); },
      [&](std::size_t a, std::size_t b) {
        auto value = first[a];
        first[a] = first[b];
        first[b] = value;
      });
}

struct no_value {};

template <class Key, class Value> struct element {
  Key key;
  Value value;
  std::uint32_t place; // index before sorting
};

// The program's scratch memory may be unaligned.
template <class Element> constexpr std::size_t memory_for(std::size_t count) {
  return count * sizeof(Element) + alignof(Element);
}
template <class Element> Element *elements_in(std::byte *memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  return reinterpret_cast<Element *>((address + alignof(Element) - 1) / alignof(Element) *
                                     alignof(Element));
}

// Sorts `count` elements of each work-item. `read(i)` returns element i; `write(i, element)` stores
// it.
template <class Element, class Group, class Compare, class Place, class Read, class Write>
void sort_elements(const Group &of, std::byte *memory, std::size_t count, Compare before,
                   Place from, Place to, Read read, Write write) {
  Element *const all = elements_in<Element>(memory);
  const std::size_t own = of.get_local_linear_id(), items = of.get_local_linear_range();
  auto place = [&](Place how, std::size_t i) {
    return how == Place::blocked ? own * count + i : i * items + own;
  };
  for (std::size_t i = 0; i < count; ++i) {
    Element one = read(i);
    one.place = static_cast<std::uint32_t>(place(from, i));
    all[one.place] = one;
  }
  sort_in_place(of, all, all + items * count, [&](const Element &a, const Element &b) {
    return before(a.key, b.key) || (!before(b.key, a.key) && a.place < b.place);
  });
  for (std::size_t i = 0; i < count; ++i)
    write(i, all[place(to, i)]);
  group_barrier(of); // the program may reuse the memory
}

// Maps T to unsigned integers in the same order.
template <class T> constexpr auto ordered_bits(const T &value) {
  static_assert(std::is_arithmetic_v<T> || sizeof(T) == 2, "radix sorters sort numbers");
  using bits = std::conditional_t<
      sizeof(T) == 1, std::uint8_t,
      std::conditional_t<sizeof(T) == 2, std::uint16_t,
                         std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;
  constexpr bits sign = static_cast<bits>(bits(1) << (sizeof(T) * CHAR_BIT - 1));
  bits all = 0;
  __builtin_memcpy(&all, &value, sizeof(T));
  if constexpr (std::is_integral_v<T>)
    return static_cast<bits>(std::is_signed_v<T> ? all ^ sign : all);
  else
    return static_cast<bits>(all & sign ? ~all : all ^ sign);
}

template <class T, bool IsAscending> struct by_bits {
  std::uint64_t mask;
  bool operator()(const T &a, const T &b) const {
    const std::uint64_t first = ordered_bits(a) & mask, second = ordered_bits(b) & mask;
    return IsAscending ? first < second : second < first;
  }
};

} // namespace detail::sorting

namespace ext::oneapi::experimental {

enum class sorting_order { ascending, descending };
enum class group_algorithm_data_placement { blocked, striped };

struct input_data_placement_key : sycl::detail::property_lists::property_key<30> {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<input_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
struct output_data_placement_key : sycl::detail::property_lists::property_key<31> {
  template <group_algorithm_data_placement Placement>
  using value_t = property_value<output_data_placement_key,
                                 std::integral_constant<group_algorithm_data_placement, Placement>>;
};
template <group_algorithm_data_placement Placement>
inline constexpr input_data_placement_key::value_t<Placement> input_data_placement;
template <group_algorithm_data_placement Placement>
inline constexpr output_data_placement_key::value_t<Placement> output_data_placement;

} // namespace ext::oneapi::experimental

namespace detail::sorting {

using placement = ext::oneapi::experimental::group_algorithm_data_placement;

template <class Key, class Properties> constexpr placement placement_of() {
  if constexpr (Properties::template has_property<Key>())
    return Properties::template get_property<Key>().value;
  else
    return placement::blocked;
}

// The base of sorters whose values are held in registers of the work-items.
template <class Key, class Value, class Compare, std::size_t Count> class held_sorter {
  using one = element<Key, Value>;

public:
  held_sorter(std::byte *memory, Compare before) : memory_(memory), before_(before) {}

  static constexpr std::size_t memory_for_items(std::size_t items) {
    return memory_for<one>(items * Count);
  }

protected:
  template <class Properties, class Group>
  void sort(const Group &of, Key *keys, Value *values, std::size_t count) const {
    namespace names = ext::oneapi::experimental;
    sort_elements<one>(
        of, memory_, count, before_, placement_of<names::input_data_placement_key, Properties>(),
        placement_of<names::output_data_placement_key, Properties>(),
        [&](std::size_t i) { return one{keys[i], values ? values[i] : Value(), 0}; },
        [&](std::size_t i, const one &sorted) {
          keys[i] = sorted.key;
          if (values)
            values[i] = sorted.value;
        });
  }

private:
  std::byte *memory_;
  Compare before_;
};

template <class T, class Compare, std::size_t Count>
struct group_sorter : held_sorter<T, no_value, Compare, Count> {
  using held_sorter<T, no_value, Compare, Count>::held_sorter;
  template <class Group> T operator()(Group of, T value) const {
    this->template sort<ext::oneapi::experimental::empty_properties_t>(of, &value, nullptr, 1);
    return value;
  }
  template <class Group, class Properties>
  void operator()(Group of, span<T, Count> values, Properties) const {
    this->template sort<Properties>(of, values.data(), nullptr, Count);
  }
};

template <class T, class U, class Compare, std::size_t Count>
struct group_key_value_sorter : held_sorter<T, U, Compare, Count> {
  using held_sorter<T, U, Compare, Count>::held_sorter;
  template <class Group> std::tuple<T, U> operator()(Group of, T key, U value) const {
    this->template sort<ext::oneapi::experimental::empty_properties_t>(of, &key, &value, 1);
    return {key, value};
  }
  template <class Group, class Properties>
  void operator()(Group of, span<T, Count> keys, span<U, Count> values, Properties) const {
    this->template sort<Properties>(of, keys.data(), values.data(), Count);
  }
};

} // namespace detail::sorting

namespace ext::oneapi::experimental {

// ---- sorters

namespace default_sorters {

template <class Compare = std::less<>> class joint_sorter {
public:
  template <std::size_t Extent>
  joint_sorter(sycl::span<std::byte, Extent>, Compare before = {}) : before_(before) {}
  template <class Group, class Pointer>
  void operator()(Group of, Pointer first, Pointer last) const {
    sycl::detail::sorting::sort_in_place(of, first, last, before_);
  }
  template <class T> static std::size_t memory_required(device, memory_scope, std::size_t) {
    return 1; // not 0: programs may make an accessor of that size
  }

private:
  Compare before_;
};

template <class T, class Compare = std::less<>, std::size_t Count = 1>
class group_sorter : public sycl::detail::sorting::group_sorter<T, Compare, Count> {
  using base = sycl::detail::sorting::group_sorter<T, Compare, Count>;

public:
  template <std::size_t Extent>
  group_sorter(sycl::span<std::byte, Extent> scratch, Compare before = {})
      : base(scratch.data(), before) {}
  static std::size_t memory_required(device, memory_scope, std::size_t items) {
    return base::memory_for_items(items);
  }
};

template <class T, class U, class Compare = std::less<>, std::size_t Count = 1>
class group_key_value_sorter
    : public sycl::detail::sorting::group_key_value_sorter<T, U, Compare, Count> {
  using base = sycl::detail::sorting::group_key_value_sorter<T, U, Compare, Count>;

public:
  template <std::size_t Extent>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch, Compare before = {})
      : base(scratch.data(), before) {}
  static std::size_t memory_required(device, memory_scope, std::size_t items) {
    return base::memory_for_items(items);
  }
};

} // namespace default_sorters

namespace radix_sorters {

template <class T> using mask_of = std::bitset<sizeof(T) * CHAR_BIT>;
template <class T> mask_of<T> all_of() {
  return mask_of<T>(std::numeric_limits<unsigned long long>::max());
}
template <class T, sorting_order Order>
using order_of = sycl::detail::sorting::by_bits<T, Order == sorting_order::ascending>;

template <class T, sorting_order Order = sorting_order::ascending, unsigned BitsPerPass = 4>
class joint_sorter {
  using order = order_of<T, Order>;
  using one = sycl::detail::sorting::element<T, sycl::detail::sorting::no_value>;

public:
  template <std::size_t Extent>
  joint_sorter(sycl::span<std::byte, Extent> scratch, const mask_of<T> mask = all_of<T>())
      : memory_(scratch.data()), before_{mask.to_ullong()} {}
  template <class Group, class Pointer>
  void operator()(Group of, Pointer first, Pointer last) const {
    const std::size_t count = last - first;
    one *const all = sycl::detail::sorting::elements_in<one>(memory_);
    const std::size_t own = of.get_local_linear_id(), step = of.get_local_linear_range();
    group_barrier(of);
    for (std::size_t i = own; i < count; i += step)
      all[i] = one{first[i], {}, static_cast<std::uint32_t>(i)};
    const order before = before_;
    sycl::detail::sorting::sort_in_place(of, all, all + count, [&](const one &a, const one &b) {
      return before(a.key, b.key) || (!before(b.key, a.key) && a.place < b.place);
    });
    for (std::size_t i = own; i < count; i += step)
      first[i] = all[i].key;
    group_barrier(of);
  }
  static constexpr std::size_t memory_required(memory_scope, std::size_t count) {
    return sycl::detail::sorting::memory_for<one>(count);
  }

private:
  std::byte *memory_;
  order before_;
};

template <class T, sorting_order Order = sorting_order::ascending, std::size_t Count = 1,
          unsigned BitsPerPass = 4>
class group_sorter : public sycl::detail::sorting::group_sorter<T, order_of<T, Order>, Count> {
  using base = sycl::detail::sorting::group_sorter<T, order_of<T, Order>, Count>;

public:
  template <std::size_t Extent>
  group_sorter(sycl::span<std::byte, Extent> scratch, const mask_of<T> mask = all_of<T>())
      : base(scratch.data(), {mask.to_ullong()}) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t items) {
    return base::memory_for_items(items);
  }
};

template <class T, class U, sorting_order Order = sorting_order::ascending, std::size_t Count = 1,
          unsigned BitsPerPass = 4>
class group_key_value_sorter
    : public sycl::detail::sorting::group_key_value_sorter<T, U, order_of<T, Order>, Count> {
  using base = sycl::detail::sorting::group_key_value_sorter<T, U, order_of<T, Order>, Count>;

public:
  template <std::size_t Extent>
  group_key_value_sorter(sycl::span<std::byte, Extent> scratch, const mask_of<T> mask = all_of<T>())
      : base(scratch.data(), {mask.to_ullong()}) {}
  static constexpr std::size_t memory_required(memory_scope, std::size_t items) {
    return base::memory_for_items(items);
  }
};

} // namespace radix_sorters

// ---- functions that take a group and a sorter, or a helper that provides memory for the default
// sorter

#define LOCKSTEP_IF(...) std::enable_if_t<__VA_ARGS__, int> = 0
#define LOCKSTEP_IF_GROUP(T) LOCKSTEP_IF(sycl::is_group_v<T>)
#define LOCKSTEP_IF_HELPER(T) LOCKSTEP_IF(!sycl::is_group_v<T>)

template <class Helper, class Pointer, class Compare = std::less<>, LOCKSTEP_IF_HELPER(Helper)>
void joint_sort(Helper by, Pointer first, Pointer last, Compare before = {}) {
  default_sorters::joint_sorter<Compare>(by.get_memory(), before)(by.get_group(), first, last);
}
template <class Group, class Pointer, class Sorter, LOCKSTEP_IF_GROUP(Group)>
void joint_sort(Group of, Pointer first, Pointer last, Sorter sorter) {
  sorter(of, first, last);
}

template <class Helper, class T, class Compare = std::less<>, LOCKSTEP_IF_HELPER(Helper)>
T sort_over_group(Helper by, T value, Compare before = {}) {
  return default_sorters::group_sorter<T, Compare>(by.get_memory(), before)(by.get_group(), value);
}
template <class Group, class T, class Sorter, LOCKSTEP_IF_GROUP(Group)>
T sort_over_group(Group of, T value, Sorter sorter) {
  return sorter(of, value);
}
template <class Helper, class T, class U, class Compare = std::less<>, LOCKSTEP_IF_HELPER(Helper)>
std::tuple<T, U> sort_key_value_over_group(Helper by, T key, U value, Compare before = {}) {
  return default_sorters::group_key_value_sorter<T, U, Compare>(by.get_memory(),
                                                                before)(by.get_group(), key, value);
}
template <class Group, class T, class U, class Sorter, LOCKSTEP_IF_GROUP(Group)>
std::tuple<T, U> sort_key_value_over_group(Group of, T key, U value, Sorter sorter) {
  return sorter(of, key, value);
}

// Sorts arrays that have the same size in each work-item.
template <class Helper, class T, std::size_t Count, class Properties = empty_properties_t,
          LOCKSTEP_IF(!sycl::is_group_v<Helper> && is_property_list_v<Properties>)>
void sort_over_group(Helper by, sycl::span<T, Count> values, Properties properties = {}) {
  default_sorters::group_sorter<T, std::less<>, Count>(by.get_memory())(by.get_group(), values,
                                                                        properties);
}
template <class Helper, class T, std::size_t Count, class Compare,
          class Properties = empty_properties_t,
          LOCKSTEP_IF(!sycl::is_group_v<Helper> && !is_property_list_v<Compare>)>
void sort_over_group(Helper by, sycl::span<T, Count> values, Compare before,
                     Properties properties = {}) {
  default_sorters::group_sorter<T, Compare, Count>(by.get_memory(), before)(by.get_group(), values,
                                                                            properties);
}
template <class Group, class T, std::size_t Count, class Sorter,
          class Properties = empty_properties_t, LOCKSTEP_IF_GROUP(Group)>
void sort_over_group(Group of, sycl::span<T, Count> values, Sorter sorter,
                     Properties properties = {}) {
  sorter(of, values, properties);
}
template <class Helper, class T, class U, std::size_t Count, class Properties = empty_properties_t,
          LOCKSTEP_IF(!sycl::is_group_v<Helper> && is_property_list_v<Properties>)>
void sort_key_value_over_group(Helper by, sycl::span<T, Count> keys, sycl::span<U, Count> values,
                               Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, std::less<>, Count>(by.get_memory())(
      by.get_group(), keys, values, properties);
}
template <class Helper, class T, class U, std::size_t Count, class Compare,
          class Properties = empty_properties_t,
          LOCKSTEP_IF(!sycl::is_group_v<Helper> && !is_property_list_v<Compare>)>
void sort_key_value_over_group(Helper by, sycl::span<T, Count> keys, sycl::span<U, Count> values,
                               Compare before, Properties properties = {}) {
  default_sorters::group_key_value_sorter<T, U, Compare, Count>(by.get_memory(), before)(
      by.get_group(), keys, values, properties);
}
template <class Group, class T, class U, std::size_t Count, class Sorter,
          class Properties = empty_properties_t, LOCKSTEP_IF_GROUP(Group)>
void sort_key_value_over_group(Group of, sycl::span<T, Count> keys, sycl::span<U, Count> values,
                               Sorter sorter, Properties properties = {}) {
  sorter(of, keys, values, properties);
}
#undef LOCKSTEP_IF
#undef LOCKSTEP_IF_GROUP
#undef LOCKSTEP_IF_HELPER

} // namespace ext::oneapi::experimental

} // namespace sycl

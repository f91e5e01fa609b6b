// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Group functions and algorithms (SYCL 2020, sections 4.17.3 and 4.17.4) for work-groups,
// sub-groups and parts of sub-groups.
#pragma once

#include "sycl/detail/collectives.hpp"
#include "sycl/detail/each_element.hpp"
#include "sycl/detail/standard.hpp"
#include "sycl/group.hpp"
#include "sycl/group_barrier.hpp"
#include "sycl/sub_group.hpp"

namespace sycl {

template <class T> struct is_group : std::is_base_of<detail::part_of_sub_group, T> {};
template <int Dimensions> struct is_group<group<Dimensions>> : std::true_type {};
template <> struct is_group<sub_group> : std::true_type {};
template <class T> inline constexpr bool is_group_v = is_group<T>::value;

namespace detail {

template <class Group> using if_group = std::enable_if_t<is_group_v<Group>, int>;
template <class Group> inline constexpr bool is_work_group = !std::is_same_v<Group, sub_group>;

// Calls `work` for this work-item's share of a sequence: every n-th element, so that neighboring
// work-items access neighboring elements.
template <class Group, class Pointer, class Work>
void for_own(const Group &of, Pointer first, Pointer last, Work work) {
  const std::ptrdiff_t count = last - first, step = of.get_local_linear_range();
  for (std::ptrdiff_t i = of.get_local_linear_id(); i < count; i += step)
    work(first[i]);
}

template <class T> inline constexpr bool is_whole = !std::is_void_v<whole_argument<T>>;

// Converts a value to another type; vec and marray element by element.
template <class To, class From> To value_as(const From &value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (is_whole<To> && is_whole<From>) {
    using element = typename To::value_type;
    return each_element([](const auto &one) { return static_cast<element>(one); }, value);
  } else {
    return static_cast<To>(value);
  }
}

// Combines two values. vec and marray are combined element by element, also by logical_and, because
// logical operators of vec return -1 for true.
template <class T, class Function> T combined(Function combine, const T &a, const T &b) {
  if constexpr (is_whole<T>) {
    using element = typename T::value_type;
    const auto by_element = element_function<Function, element>();
    return each_element(
        [=](element x, element y) { return static_cast<element>(by_element(x, y)); }, a, b);
  } else {
    return static_cast<T>(combine(a, b));
  }
}

template <class Function, class T> constexpr T identity_in_group() {
  if constexpr (is_whole<T>)
    return T(known_identity_v<element_function_type<Function, typename T::value_type>,
                              typename T::value_type>);
  else
    return known_identity_v<Function, T>;
}

template <collectives::shape Shape, class Group, class Function, class T>
T collect(const Group &of, const T &value, Function combine) {
  if constexpr (is_whole<T>) {
    using element = typename T::value_type;
    const auto by_element = element_function<Function, element>();
    return each_element([&](element one) { return collect<Shape>(of, one, by_element); }, value);
  } else if constexpr (is_part_of_sub_group<Group>) {
    return of.template collect<Shape>(value, combine);
  } else {
    using carried = collectives::carrier<T>;
    constexpr operation computed = operation_of<Function>;
    const carried result =
        collectives::compute<is_work_group<Group>, Shape, computed>(static_cast<carried>(value));
    // The first result of an exclusive scan is the identity. The carrier's identity may be outside
    // the range of T.
    if constexpr (computed == operation::min)
      return static_cast<T>(minimum<carried>()(identity_of<computed, T>(), result));
    else if constexpr (computed == operation::max)
      return static_cast<T>(maximum<carried>()(identity_of<computed, T>(), result));
    else
      return static_cast<T>(result);
  }
}

} // namespace detail

// ---- any, all, none

template <class Group, detail::if_group<Group> = 0>
bool any_of_group([[maybe_unused]] Group of, bool predicate) {
  namespace collectives = detail::collectives;
  if constexpr (detail::is_part_of_sub_group<Group>)
    return of.members_with(predicate) != 0;
  else
    return detail::is_work_group<Group> ? collectives::work_group_any(predicate) != 0
                                        : collectives::sub_group_any(predicate) != 0;
}
template <class Group, detail::if_group<Group> = 0>
bool all_of_group([[maybe_unused]] Group of, bool predicate) {
  namespace collectives = detail::collectives;
  if constexpr (detail::is_part_of_sub_group<Group>)
    return of.members_with(!predicate) == 0;
  else
    return detail::is_work_group<Group> ? collectives::work_group_all(predicate) != 0
                                        : collectives::sub_group_all(predicate) != 0;
}
template <class Group, detail::if_group<Group> = 0> bool none_of_group(Group of, bool predicate) {
  return !any_of_group(of, predicate);
}
#define LOCKSTEP_OF_GROUP(name)                                                                    \
  template <class Group, class T, class Predicate, detail::if_group<Group> = 0>                    \
  bool name(Group of, T value, Predicate predicate) {                                              \
    return name(of, static_cast<bool>(predicate(value)));                                          \
  }
LOCKSTEP_OF_GROUP(any_of_group)
LOCKSTEP_OF_GROUP(all_of_group)
LOCKSTEP_OF_GROUP(none_of_group)
#undef LOCKSTEP_OF_GROUP
template <class Group, class Pointer, class Predicate, detail::if_group<Group> = 0>
bool joint_any_of(Group of, Pointer first, Pointer last, Predicate predicate) {
  bool found = false;
  detail::for_own(of, first, last, [&](const auto &value) { found |= bool(predicate(value)); });
  return any_of_group(of, found);
}
template <class Group, class Pointer, class Predicate, detail::if_group<Group> = 0>
bool joint_all_of(Group of, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(of, first, last, [&](const auto &value) { return !predicate(value); });
}
template <class Group, class Pointer, class Predicate, detail::if_group<Group> = 0>
bool joint_none_of(Group of, Pointer first, Pointer last, Predicate predicate) {
  return !joint_any_of(of, first, last, predicate);
}

// ---- broadcasts and shuffles

template <class T> T group_broadcast(sub_group, T value, id<1> from) {
  return detail::collectives::moved(value, [&](unsigned word) {
    return detail::collectives::broadcast(word, static_cast<unsigned>(from[0]));
  });
}
template <int Dimensions, class T>
T group_broadcast(group<Dimensions>, T value, id<Dimensions> from) {
  return detail::collectives::moved(value, [&](unsigned word) {
    return detail::collectives::work_group_broadcast(
        word, from[Dimensions - 1], Dimensions > 1 ? from[Dimensions > 1 ? Dimensions - 2 : 0] : 0,
        Dimensions > 2 ? from[0] : 0);
  });
}
template <class Group, class T, detail::if_group<Group> = 0> T group_broadcast(Group of, T value) {
  return group_broadcast(of, value, typename Group::id_type());
}
template <int Dimensions, class T>
T group_broadcast(group<Dimensions> of, T value, std::size_t linear) {
  id<Dimensions> from;
  for (int d = Dimensions - 1; d > 0; --d) {
    from[d] = linear % of.get_local_range(d);
    linear /= of.get_local_range(d);
  }
  from[0] = linear;
  return group_broadcast(of, value, from);
}
template <class T> T shift_group_left(sub_group, T value, std::uint32_t delta = 1) {
  return detail::collectives::moved(
      value, [=](unsigned word) { return detail::collectives::shuffle_down(word, delta); });
}
template <class T> T shift_group_right(sub_group, T value, std::uint32_t delta = 1) {
  return detail::collectives::moved(
      value, [=](unsigned word) { return detail::collectives::shuffle_up(word, delta); });
}
template <class T> T permute_group_by_xor(sub_group, T value, std::uint32_t mask) {
  return detail::collectives::moved(
      value, [=](unsigned word) { return detail::collectives::shuffle_xor(word, mask); });
}
template <class T> T select_from_group(sub_group, T value, id<1> from) {
  return detail::collectives::moved(value, [=](unsigned word) {
    return detail::collectives::shuffle(word, static_cast<unsigned>(from[0]));
  });
}

// Reads from the member with this number. If there is no such member, the result is the caller's
// own value.
template <class Group, class T, detail::if_part<Group> = 0>
T select_from_group(Group of, T value, id<1> from) {
  return of.from_lane(value, of.lane_of(static_cast<std::uint32_t>(from[0])));
}
template <class Group, class T, detail::if_part<Group> = 0>
T group_broadcast(Group of, T value, id<1> from) {
  return select_from_group(of, value, from);
}
template <class Group, class T, detail::if_part<Group> = 0>
T shift_group_left(Group of, T value, std::uint32_t delta = 1) {
  return select_from_group(of, value, of.get_local_linear_id() + delta);
}
template <class Group, class T, detail::if_part<Group> = 0>
T shift_group_right(Group of, T value, std::uint32_t delta = 1) {
  return select_from_group(of, value, of.get_local_linear_id() - delta);
}
template <class Group, class T, detail::if_part<Group> = 0>
T permute_group_by_xor(Group of, T value, std::uint32_t mask) {
  return select_from_group(of, value, of.get_local_linear_id() ^ mask);
}

template <class T> T sub_group::shuffle(T value, id<1> from) const {
  return select_from_group(*this, value, from);
}
template <class T> T sub_group::shuffle_down(T value, std::uint32_t delta) const {
  return shift_group_left(*this, value, delta);
}
template <class T> T sub_group::shuffle_up(T value, std::uint32_t delta) const {
  return shift_group_right(*this, value, delta);
}
template <class T> T sub_group::shuffle_xor(T value, id<1> mask) const {
  return permute_group_by_xor(*this, value, static_cast<std::uint32_t>(mask[0]));
}

template <class T> T sub_group::element(T first, T second, std::uint32_t index) const {
  const std::uint32_t lanes = get_max_local_range()[0];
  const T of_first = select_from_group(*this, first, index % lanes);
  const T of_second = select_from_group(*this, second, index % lanes);
  return index < lanes ? of_first : of_second;
}
template <class T> T sub_group::shuffle(T first, T second, id<1> from) const {
  return element(first, second, static_cast<std::uint32_t>(from[0]));
}
template <class T> T sub_group::shuffle_down(T current, T next, std::uint32_t delta) const {
  return element(current, next, get_local_linear_id() + delta);
}
template <class T> T sub_group::shuffle_up(T previous, T current, std::uint32_t delta) const {
  return element(previous, current,
                 static_cast<std::uint32_t>(get_max_local_range()[0]) + get_local_linear_id() -
                     delta);
}
template <class T> T sub_group::shuffle_xor(T first, T second, id<1> mask) const {
  return element(first, second, get_local_linear_id() ^ static_cast<std::uint32_t>(mask[0]));
}

// ---- reductions and scans

template <class Group, class T, class Function, detail::if_group<Group> = 0>
T reduce_over_group(Group of, T value, Function combine) {
  return detail::collect<detail::collectives::shape::reduce>(of, value, combine);
}
template <class Group, class V, class T, class Function, detail::if_group<Group> = 0>
T reduce_over_group(Group of, V value, T start, Function combine) {
  return detail::combined(combine, start,
                          reduce_over_group(of, detail::value_as<T>(value), combine));
}
template <class Group, class T, class Function, detail::if_group<Group> = 0>
T inclusive_scan_over_group(Group of, T value, Function combine) {
  return detail::collect<detail::collectives::shape::inclusive>(of, value, combine);
}
template <class Group, class V, class Function, class T, detail::if_group<Group> = 0>
T inclusive_scan_over_group(Group of, V value, Function combine, T start) {
  return detail::combined(combine, start,
                          inclusive_scan_over_group(of, detail::value_as<T>(value), combine));
}
template <class Group, class T, class Function, detail::if_group<Group> = 0>
T exclusive_scan_over_group(Group of, T value, Function combine) {
  return detail::collect<detail::collectives::shape::exclusive>(of, value, combine);
}
template <class Group, class V, class T, class Function, detail::if_group<Group> = 0>
T exclusive_scan_over_group(Group of, V value, T start, Function combine) {
  return detail::combined(combine, start,
                          exclusive_scan_over_group(of, detail::value_as<T>(value), combine));
}

template <class Group, class Pointer, class T, class Function, detail::if_group<Group> = 0>
T joint_reduce(Group of, Pointer first, Pointer last, T start, Function combine) {
  T own = detail::identity_in_group<Function, T>();
  detail::for_own(of, first, last, [&](const auto &value) {
    own = detail::combined(combine, own, detail::value_as<T>(value));
  });
  return reduce_over_group(of, own, start, combine);
}
template <class Group, class Pointer, class Function, detail::if_group<Group> = 0>
auto joint_reduce(Group of, Pointer first, Pointer last, Function combine) {
  using value_type = typename std::iterator_traits<Pointer>::value_type;
  return joint_reduce(of, first, last, detail::identity_in_group<Function, value_type>(), combine);
}

namespace detail {

// Scans block by block, one element for each work-item. `before` is the combined value of all
// earlier blocks.
template <collectives::shape Shape, class Group, class In, class Out, class Function, class T>
Out joint_scan(Group of, In first, In last, Out result, Function combine, T before) {
  const std::ptrdiff_t count = last - first, step = of.get_local_linear_range(),
                       own = of.get_local_linear_id();
  for (std::ptrdiff_t begin = 0; begin < count; begin += step) {
    const bool is_inside = begin + own < count;
    const T value = is_inside ? value_as<T>(first[begin + own]) : identity_in_group<Function, T>();
    const T scanned = combined(combine, before, collect<Shape>(of, value, combine));
    before = combined(combine, before, reduce_over_group(of, value, combine));
    if (is_inside)
      result[begin + own] = scanned;
  }
  group_barrier(of); // makes the elements written by each work-item visible to all
  return result + count;
}

} // namespace detail

template <class Group, class In, class Out, class T, class Function, detail::if_group<Group> = 0>
Out joint_exclusive_scan(Group of, In first, In last, Out result, T start, Function combine) {
  return detail::joint_scan<detail::collectives::shape::exclusive>(of, first, last, result, combine,
                                                                   start);
}
template <class Group, class In, class Out, class Function, detail::if_group<Group> = 0>
Out joint_exclusive_scan(Group of, In first, In last, Out result, Function combine) {
  using value_type = typename std::iterator_traits<Out>::value_type;
  return joint_exclusive_scan(of, first, last, result,
                              detail::identity_in_group<Function, value_type>(), combine);
}
template <class Group, class In, class Out, class Function, class T, detail::if_group<Group> = 0>
Out joint_inclusive_scan(Group of, In first, In last, Out result, Function combine, T start) {
  return detail::joint_scan<detail::collectives::shape::inclusive>(of, first, last, result, combine,
                                                                   start);
}
template <class Group, class In, class Out, class Function, detail::if_group<Group> = 0>
Out joint_inclusive_scan(Group of, In first, In last, Out result, Function combine) {
  using value_type = typename std::iterator_traits<Out>::value_type;
  return joint_inclusive_scan(of, first, last, result, combine,
                              detail::identity_in_group<Function, value_type>());
}

} // namespace sycl

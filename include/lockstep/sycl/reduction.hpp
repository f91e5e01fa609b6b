// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions (SYCL 2020, section 4.9.2).
//
// Each work-item combines its contributions into a private value. Each group combines the values of
// its work-items into one. The group that ends last combines the groups' values with the variable:
// each of its work-items combines the values of every n-th group, n being its number of work-items.
//
// So floating-point results do not depend on timing, any type and operator works, and no group
// waits for another.
#pragma once

#include "sycl/accessor.hpp"
#include "sycl/atomic_ref.hpp"
#include "sycl/detail/blocks_of_range.hpp"
#include "sycl/detail/launch.hpp"
#include "sycl/group_functions.hpp"
#include "sycl/is_device_copyable.hpp"
#include "sycl/span.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <tuple>

namespace sycl {

namespace property::reduction {
struct initialize_to_identity : detail::property_base {};
} // namespace property::reduction

namespace detail {

// The operator and the identity of a reduction. Without an identity, a value may be missing.
template <class T, class Operation, bool HasIdentity> struct reduction_rule {
  Operation combine;
  T identity;
};
template <class T, class Operation> struct reduction_rule<T, Operation, false> {
  Operation combine;
};

// Storage for a T, which may have no default constructor. It is copied bytewise, which SYCL permits
// for device copyable types: the assignment of std::pair, for example, is not trivial.
template <class T> struct uninitialized {
  uninitialized() {}
  uninitialized(const uninitialized &other) { *this = other; }
  uninitialized &operator=(const uninitialized &other) {
    __builtin_memcpy(bytes, other.bytes, sizeof(T));
    return *this;
  }
  union {
    T value;
    unsigned char bytes[sizeof(T)];
  };
};

template <class T, bool HasIdentity> struct partial_result : uninitialized<T> {
  using uninitialized<T>::value;
  template <class Rule> void clear(const Rule &rule) { value = rule.identity; }
  template <class Rule> void add(const Rule &rule, const T &other) {
    value = static_cast<T>(rule.combine(value, other));
  }
  template <class Rule> void add(const Rule &rule, const partial_result &other) {
    add(rule, other.value);
  }
  template <class Rule> void add_to(T &to, const Rule &rule) const {
    to = static_cast<T>(rule.combine(to, value));
  }
};
template <class T> struct partial_result<T, false> : uninitialized<T> {
  using uninitialized<T>::value;
  template <class Rule> void clear(const Rule &) { is_there = false; }
  template <class Rule> void add(const Rule &rule, const T &other) {
    value = is_there ? static_cast<T>(rule.combine(value, other)) : other;
    is_there = true;
  }
  template <class Rule> void add(const Rule &rule, const partial_result &other) {
    if (other.is_there)
      add(rule, other.value);
  }
  template <class Rule> void add_to(T &to, const Rule &rule) const {
    if (is_there)
      to = static_cast<T>(rule.combine(to, value));
  }

  bool is_there;
};

struct reducer_access; // the operations on reducers that the kernel needs

} // namespace detail

template <class T, class BinaryOperation, int Dimensions, bool HasIdentity, std::size_t Extent>
class reducer;

template <class T, class BinaryOperation, bool HasIdentity>
class reducer<T, BinaryOperation, 0, HasIdentity, 1> {
  static constexpr detail::operation computed = detail::operation_of<BinaryOperation>;
  using rule_type = detail::reduction_rule<T, BinaryOperation, HasIdentity>;

public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 0;

  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  reducer &combine(const T &partial) {
    own_.add(*rule_, partial);
    return *this;
  }
  template <bool Has = HasIdentity, std::enable_if_t<Has, int> = 0> T identity() const {
    return rule_->identity;
  }

#define LOCKSTEP_COMBINE(op, name, condition)                                                      \
  template <class U = T,                                                                           \
            std::enable_if_t<computed == detail::operation::name && (condition), int> = 0>         \
  friend reducer &operator op(reducer &accumulator, const T &partial) {                            \
    return accumulator.combine(partial);                                                           \
  }
  LOCKSTEP_COMBINE(+=, add, sizeof(U) != 0)
  LOCKSTEP_COMBINE(*=, mul, sizeof(U) != 0)
  LOCKSTEP_COMBINE(&=, bit_and, std::is_integral_v<U>)
  LOCKSTEP_COMBINE(|=, bit_or, std::is_integral_v<U>)
  LOCKSTEP_COMBINE(^=, bit_xor, std::is_integral_v<U>)
#undef LOCKSTEP_COMBINE
  template <class U = T, std::enable_if_t<computed == detail::operation::add &&
                                              std::is_integral_v<U> && !std::is_same_v<U, bool>,
                                          int> = 0>
  friend reducer &operator++(reducer &accumulator) {
    return accumulator.combine(T(1));
  }
  // An extension to SYCL, because programs write histogram[i]++. The operator returns no previous
  // value.
  template <class U = T, std::enable_if_t<computed == detail::operation::add &&
                                              std::is_integral_v<U> && !std::is_same_v<U, bool>,
                                          int> = 0>
  friend void operator++(reducer &accumulator, int) {
    ++accumulator;
  }

private:
  friend detail::reducer_access;
  template <class, class, int, bool, std::size_t> friend class reducer;
  reducer() = default;
  explicit reducer(const rule_type &rule) { start(rule); }
  void start(const rule_type &rule) {
    rule_ = &rule;
    own_.clear(rule);
  }

  const rule_type *rule_;
  detail::partial_result<T, HasIdentity> own_;
};

// The reducer of a span contains one reducer for each element.
template <class T, class BinaryOperation, bool HasIdentity, std::size_t Extent>
class reducer<T, BinaryOperation, 1, HasIdentity, Extent> {
  using element = reducer<T, BinaryOperation, 0, HasIdentity, 1>;
  using rule_type = detail::reduction_rule<T, BinaryOperation, HasIdentity>;

public:
  using value_type = T;
  using binary_operation = BinaryOperation;
  static constexpr int dimensions = 1;

  reducer(const reducer &) = delete;
  reducer &operator=(const reducer &) = delete;

  element &operator[](std::size_t index) { return elements_[index]; }
  template <bool Has = HasIdentity, std::enable_if_t<Has, int> = 0> T identity() const {
    return elements_[0].identity();
  }

private:
  friend detail::reducer_access;
  explicit reducer(const rule_type &rule) {
    for (element &one : elements_)
      one.start(rule);
  }

  element elements_[Extent];
};

namespace detail {

struct reducer_access {
  template <class Reducer, class Rule> static Reducer make(const Rule &rule) {
    return Reducer(rule);
  }
  template <class T, class Operation, bool HasIdentity>
  static auto &result(reducer<T, Operation, 0, HasIdentity, 1> &of, std::size_t) {
    return of.own_;
  }
  template <class T, class Operation, bool HasIdentity, std::size_t Extent>
  static auto &result(reducer<T, Operation, 1, HasIdentity, Extent> &of, std::size_t index) {
    return of.elements_[index].own_;
  }
};

struct reduction_base {};
template <class T> using if_reduction = std::enable_if_t<std::is_base_of_v<reduction_base, T>, int>;

// Provides the address of the reduction variable.
template <class T> struct pointed_variable {
  T *memory;
  T *get() const { return memory; }
};
template <class T, int Dimensions> struct buffered_variable {
  accessor<T, Dimensions> memory;
  T *get() const { return memory.get_pointer(); }
};

// The type that sycl::reduction returns.
template <class T, class Operation, int Dimensions, bool HasIdentity, std::size_t Extent,
          class Variable>
struct reduction_of : reduction_base {
  static_assert(is_device_copyable_v<T>,
                "a reduction is of a device copyable type (SYCL 2020 section 4.9.2)");
  using reducer_type = reducer<T, Operation, Dimensions, HasIdentity, Extent>;
  using rule_type = reduction_rule<T, Operation, HasIdentity>;
  using result = partial_result<T, HasIdentity>;
  static constexpr std::size_t extent = Extent;
  static constexpr bool has_identity = HasIdentity;
  // Whether the group algorithms can compute this reduction.
  static constexpr bool is_number = HasIdentity && operation_of<Operation> != operation::none &&
                                    std::is_arithmetic_v<T> && sizeof(T) <= 8;
  static constexpr std::size_t local_bytes = is_number ? 0 : sizeof(result); // for each work-item

  reduction_of(const Variable &of, const rule_type &by, bool starts_from_identity)
      : variable(of), rule(by), is_initialized(starts_from_identity) {}

  Variable variable;
  rule_type rule;
  bool is_initialized;
};

inline bool starts_from_identity(const property_list &properties, bool has_identity) {
  const bool wanted = properties.has_property<property::reduction::initialize_to_identity>();
  if (wanted && !has_identity)
    detail::raise(errc::invalid,
                  "initialize_to_identity is given for a reduction whose identity is not known "
                  "(SYCL 2020 section 4.9.2.2)");
  return wanted;
}

template <class T, int Dimensions, std::size_t Extent, class Variable, class Operation>
auto make_reduction(const Variable &variable, const T &identity, const Operation &combine,
                    const property_list &properties) {
  return reduction_of<T, Operation, Dimensions, true, Extent, Variable>(
      variable, {combine, identity}, starts_from_identity(properties, true));
}
template <class T, int Dimensions, std::size_t Extent, class Variable, class Operation>
auto make_reduction(const Variable &variable, const Operation &combine,
                    const property_list &properties) {
  if constexpr (has_known_identity_v<Operation, T>)
    return make_reduction<T, Dimensions, Extent>(variable, known_identity_v<Operation, T>, combine,
                                                 properties);
  else
    return reduction_of<T, Operation, Dimensions, false, Extent, Variable>(
        variable, {combine}, starts_from_identity(properties, false));
}

template <class T, int Dimensions, class Allocator>
buffered_variable<T, Dimensions> variable_in(buffer<T, Dimensions, Allocator> &of, handler &group,
                                             const property_list &properties) {
  if (of.size() != 1)
    detail::raise(errc::invalid,
                  "a reduction is given a buffer of more or fewer than one element (SYCL 2020 "
                  "section 4.9.2.1)");
  if (properties.has_property<property::reduction::initialize_to_identity>())
    return {accessor<T, Dimensions>(of, group, no_init)};
  return {accessor<T, Dimensions>(of, group)};
}

// ---- the kernel

// A reduction and the memory that holds its intermediate results.
template <class Reduction> struct reduction_state {
  using result = typename Reduction::result;

  reduction_state(const Reduction &of, handler &group, std::size_t local_size, result *all_groups)
      : reduction(of), of_groups(all_groups) {
    if constexpr (!Reduction::is_number)
      of_items = local_accessor<result, 1>(range<1>(std::max<std::size_t>(local_size, 1)), group);
  }

  // All work-items of the group must call these. The leader gets the combined value.
  template <class Group>
  result combined(const Group &of, const result &own, std::size_t items) const {
    result all = own;
    if constexpr (Reduction::is_number) {
      all.value = reduce_over_group(of, all.value, reduction.rule.combine);
    } else {
      result *values = of_items.get_pointer();
      values[of.get_local_linear_id()] = all;
      group_barrier(of);
      if (of.leader())
        for (std::size_t item = 1; item < items; ++item)
          all.add(reduction.rule, values[item]);
      group_barrier(of);
    }
    return all;
  }
  template <class Group, class Reducer> void combine_group(const Group &of, Reducer &own) const {
    for (std::size_t i = 0; i < Reduction::extent; ++i) {
      const result all = combined(of, reducer_access::result(own, i), of.get_local_linear_range());
      if (of.leader())
        of_groups[of.get_group_linear_id() * Reduction::extent + i] = all;
    }
  }

  // One group calls it after all groups have combined their values.
  template <class Group> void combine_groups(const Group &of, std::size_t groups) const {
    const std::size_t items = of.get_local_linear_range();
    for (std::size_t i = 0; i < Reduction::extent; ++i) {
      result own;
      own.clear(reduction.rule);
      for (std::size_t group = of.get_local_linear_id(); group < groups; group += items)
        own.add(reduction.rule, of_groups[group * Reduction::extent + i]);
      const result all = combined(of, own, std::min(items, groups));
      if (!of.leader())
        continue;
      T &variable = reduction.variable.get()[i];
      if constexpr (Reduction::has_identity)
        if (reduction.is_initialized)
          variable = reduction.rule.identity;
      all.add_to(variable, reduction.rule);
    }
  }

  using T = typename Reduction::reducer_type::value_type;
  Reduction reduction;
  result *of_groups;
  local_accessor<result, 1> of_items;
};

// The code of a work-item: calls the function for each item that `Division` assigns to it, then
// combines.
template <int Dimensions, class Division, class Function, class... Reductions>
struct reduction_kernel {
  void operator()(const nd_item<Dimensions> &me) const { with_reducers<0>(me); }

  template <std::size_t Made, class... Reducers>
  void with_reducers(const nd_item<Dimensions> &me, Reducers &...reducers) const {
    if constexpr (Made < sizeof...(Reductions)) {
      const auto &reduction = std::get<Made>(states).reduction;
      using reducer_type = typename std::decay_t<decltype(reduction)>::reducer_type;
      reducer_type own = reducer_access::make<reducer_type>(reduction.rule);
      with_reducers<Made + 1>(me, reducers..., own);
    } else {
      division.for_own(me, [&](const auto &at) { call_kernel(function, at, reducers...); });
      combine(me.get_group(), std::index_sequence_for<Reductions...>(), reducers...);
    }
  }

  template <std::size_t... At, class... Reducers>
  void combine(const group<Dimensions> &of, std::index_sequence<At...>,
               Reducers &...reducers) const {
    (std::get<At>(states).combine_group(of, reducers), ...);
    const std::size_t groups = of.get_group_linear_range();
    const atomic_ref<std::size_t, memory_order::acq_rel, memory_scope::device> count(*ended);
    unsigned is_last = 0;
    if (of.leader() && count.fetch_add(1) + 1 == groups) {
      is_last = 1;
      count.store(0, memory_order::relaxed); // a graph may repeat the launch
    }
    if (group_broadcast(of, is_last) == 0)
      return;
    group_barrier(of);
    (std::get<At>(states).combine_groups(of, groups), ...);
  }

  Division division;
  Function function;
  std::size_t *ended; // number of groups that have ended
  std::tuple<reduction_state<Reductions>...> states;
};

template <class T>
T *launch_array(command_group_interface &group, std::size_t count, bool is_zeroed = false) {
  return static_cast<T *>(group.launch_memory(
      count * sizeof(T), std::max(alignof(T), alignof(std::max_align_t)), is_zeroed));
}

template <class Name, class Given, int Dimensions, class Division, class Function,
          class... Reductions>
void launch_reductions(handler &face, command_group_interface &group,
                       const nd_range<Dimensions> &size, const Division &division,
                       const Function &function, const Reductions &...reductions) {
  const std::size_t local = size.get_local_range().size(),
                    groups = local ? size.get_global_range().size() / local : 0;
  const reduction_kernel<Dimensions, Division, Function, Reductions...> kernel{
      division,
      function,
      launch_array<std::size_t>(group, 1, /*is_zeroed=*/true),
      {reduction_state<Reductions>(
          reductions, face, local,
          launch_array<typename Reductions::result>(group, groups * Reductions::extent))...}};
  launch<Name, nd_range_form<Dimensions>, Given>(group, kernel, shape_of(size));
}

template <class Function, class Item, class... Reducers>
inline constexpr bool is_kernel_with_reducers =
    std::is_invocable_v<const Function &, const Item &, Reducers &...> ||
    std::is_invocable_v<const Function &, const Item &, Reducers &..., kernel_handler>;

template <class Name, class Given, int Dimensions, class All, std::size_t... At>
void reduce(handler &face, command_group_interface &group, const range<Dimensions> &size,
            const All &all, std::index_sequence<At...>) {
  // A function that takes an item without offset is not called with an item that has one, as in
  // range_form.
  using function = std::decay_t<std::tuple_element_t<sizeof...(At), All>>;
  constexpr bool with_offset = is_kernel_with_reducers<
      function, item<Dimensions, true>,
      typename std::decay_t<std::tuple_element_t<At, All>>::reducer_type...>;
  // Groups of a device with few bytes of local memory are smaller if their values need much of it.
  constexpr std::size_t local_bytes =
      (std::decay_t<std::tuple_element_t<At, All>>::local_bytes + ... + 0);
  reduction_groups by = group.groups_for_reductions();
  while (by.items > 64 && by.items * local_bytes > 16384)
    by.items /= 2;
  const blocks_of_range<Dimensions, with_offset> blocks(size, by);
  launch_reductions<Name, Given>(face, group, blocks.size(), blocks, std::get<sizeof...(At)>(all),
                                 std::get<At>(all)...);
}
template <class Name, class Given, int Dimensions, class All, std::size_t... At>
void reduce(handler &face, command_group_interface &group, const nd_range<Dimensions> &size,
            const All &all, std::index_sequence<At...>) {
  launch_reductions<Name, Given>(face, group, size, items_of_nd_range<Dimensions>(),
                                 std::get<sizeof...(At)>(all), std::get<At>(all)...);
}

} // namespace detail

template <class T, int Dimensions, class Allocator, class BinaryOperation>
auto reduction(buffer<T, Dimensions, Allocator> variable, handler &group, BinaryOperation combiner,
               const property_list &properties = {}) {
  return detail::make_reduction<T, 0, 1>(detail::variable_in(variable, group, properties), combiner,
                                         properties);
}
template <class T, int Dimensions, class Allocator, class BinaryOperation>
auto reduction(buffer<T, Dimensions, Allocator> variable, handler &group,
               const std::enable_if_t<true, T> &identity, BinaryOperation combiner,
               const property_list &properties = {}) {
  return detail::make_reduction<T, 0, 1>(detail::variable_in(variable, group, properties), identity,
                                         combiner, properties);
}
template <class T, class BinaryOperation>
auto reduction(T *variable, BinaryOperation combiner, const property_list &properties = {}) {
  return detail::make_reduction<T, 0, 1>(detail::pointed_variable<T>{variable}, combiner,
                                         properties);
}
template <class T, class BinaryOperation>
auto reduction(T *variable, const std::enable_if_t<true, T> &identity, BinaryOperation combiner,
               const property_list &properties = {}) {
  return detail::make_reduction<T, 0, 1>(detail::pointed_variable<T>{variable}, identity, combiner,
                                         properties);
}
template <class T, std::size_t Extent, class BinaryOperation,
          std::enable_if_t<Extent != dynamic_extent && Extent != 0, int> = 0>
auto reduction(span<T, Extent> variables, BinaryOperation combiner,
               const property_list &properties = {}) {
  return detail::make_reduction<T, 1, Extent>(detail::pointed_variable<T>{variables.data()},
                                              combiner, properties);
}
template <class T, std::size_t Extent, class BinaryOperation,
          std::enable_if_t<Extent != dynamic_extent && Extent != 0, int> = 0>
auto reduction(span<T, Extent> variables, const std::enable_if_t<true, T> &identity,
               BinaryOperation combiner, const property_list &properties = {}) {
  return detail::make_reduction<T, 1, Extent>(detail::pointed_variable<T>{variables.data()},
                                              identity, combiner, properties);
}

} // namespace sycl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Property lists that are part of a type (extension sycl_ext_oneapi_properties). Each key has a
// number, which determines its position: lists of the same properties in any order have one type.
#pragma once

#include <type_traits>

#define SYCL_EXT_ONEAPI_PROPERTIES 1

namespace sycl::detail::property_lists {

template <int Order> struct property_key {
  static constexpr int order = Order;
};
struct run_time_property {}; // its key is its own type

template <class... Parameters> struct property_parameters {};
template <class Type, class = void> struct property_parameter {
  using value_t = Type;
};
template <class Type> struct property_parameter<Type, std::void_t<decltype(Type::value)>> {
  using value_t = Type;
  static constexpr auto value = Type::value;
};
template <class One> struct property_parameters<One> : property_parameter<One> {};

} // namespace sycl::detail::property_lists

namespace sycl::ext::oneapi::experimental {

// Properties with several parameters specialize this to name their members.
template <class Key, class... Parameters>
struct property_value : sycl::detail::property_lists::property_parameters<Parameters...> {
  using key_t = Key;
};

template <class Key, class... A, class... B>
constexpr bool operator==(property_value<Key, A...>, property_value<Key, B...>) {
  return std::is_same_v<property_value<Key, A...>, property_value<Key, B...>>;
}
template <class Key, class... A, class... B>
constexpr bool operator!=(property_value<Key, A...> a, property_value<Key, B...> b) {
  return !(a == b);
}

} // namespace sycl::ext::oneapi::experimental

namespace sycl::detail::property_lists {

using ext::oneapi::experimental::property_value;

template <class Value> struct key_of_property {
  using type = std::conditional_t<std::is_base_of_v<run_time_property, Value>, Value, void>;
};
template <class Key, class... Parameters>
struct key_of_property<property_value<Key, Parameters...>> {
  using type = Key;
};
template <class Value> using key_of = typename key_of_property<Value>::type;

template <class... Values> struct property_values {};
template <class Value, class Sorted> struct with_first;
template <class Value, class... Sorted> struct with_first<Value, property_values<Sorted...>> {
  using type = property_values<Value, Sorted...>;
};
template <class Value, class Sorted> struct with_property;
template <class Value> struct with_property<Value, property_values<>> {
  using type = property_values<Value>;
};
template <class Value, class First, class... Rest>
struct with_property<Value, property_values<First, Rest...>> {
  static_assert(key_of<Value>::order != key_of<First>::order, "a list has each property once");
  template <bool IsFirst, class = void> struct placed { // instantiates only the one that is needed
    using type = property_values<Value, First, Rest...>;
  };
  template <class Unused> struct placed<false, Unused> {
    using type =
        typename with_first<First,
                            typename with_property<Value, property_values<Rest...>>::type>::type;
  };
  using type = typename placed<(key_of<Value>::order < key_of<First>::order)>::type;
};
template <class... Values> struct sorted_properties {
  using type = property_values<>;
};
template <class First, class... Rest> struct sorted_properties<First, Rest...> {
  static_assert(!std::is_void_v<key_of<First>>,
                "a list of properties has a type that is not a property");
  using type = typename with_property<First, typename sorted_properties<Rest...>::type>::type;
};

template <class Key, class... Values> struct find_property {
  using type = void;
};
template <class Key, class First, class... Rest> struct find_property<Key, First, Rest...> {
  using type =
      typename std::conditional_t<std::is_same_v<Key, key_of<First>>, std::enable_if<true, First>,
                                  find_property<Key, Rest...>>::type;
};

template <class Value> constexpr Value pick_property() {
  return Value();
}
template <class Value, class First, class... Rest>
constexpr Value pick_property(const First &first, const Rest &...rest) {
  if constexpr (std::is_same_v<Value, First>)
    return first;
  else
    return pick_property<Value>(rest...);
}

} // namespace sycl::detail::property_lists

namespace sycl::ext::oneapi::experimental {

template <class Values> class properties;
template <class... Values>
class properties<sycl::detail::property_lists::property_values<Values...>> : private Values... {
public:
  template <class... Given>
  constexpr properties(Given... given)
      : Values(sycl::detail::property_lists::pick_property<Values>(given...))... {}

  template <class Key> static constexpr bool has_property() {
    return (std::is_same_v<Key, sycl::detail::property_lists::key_of<Values>> || ...);
  }
  template <class Key,
            std::enable_if_t<
                !std::is_base_of_v<sycl::detail::property_lists::run_time_property, Key>, int> = 0>
  static constexpr auto get_property() {
    static_assert(has_property<Key>(), "the list has no such property");
    return typename sycl::detail::property_lists::find_property<Key, Values...>::type();
  }
  template <
      class Property,
      std::enable_if_t<std::is_base_of_v<sycl::detail::property_lists::run_time_property, Property>,
                       int> = 0>
  constexpr Property get_property() const {
    static_assert(has_property<Property>(), "the list has no such property");
    return static_cast<const Property &>(*this);
  }
};
template <class... Given>
properties(Given... given)
    -> properties<typename sycl::detail::property_lists::sorted_properties<Given...>::type>;

using empty_properties_t = decltype(properties());

template <class> struct is_property_list : std::false_type {};
template <class Values> struct is_property_list<properties<Values>> : std::true_type {};
template <class List> inline constexpr bool is_property_list_v = is_property_list<List>::value;

// A run-time property is both key and value. A compile-time property has separate types for them.
template <class Type, class = void> struct is_property_key : std::false_type {};
template <class Type>
struct is_property_key<Type, std::void_t<decltype(Type::order)>>
    : std::is_base_of<sycl::detail::property_lists::property_key<Type::order>, Type> {};
template <class Type>
struct is_property_value
    : std::bool_constant<!std::is_void_v<sycl::detail::property_lists::key_of<Type>>> {};

// The properties that an object can have; each property specializes this.
template <class Key, class Object> struct is_property_key_of : std::false_type {};
template <class Value, class Object>
struct is_property_value_of : is_property_key_of<Value, Object> {};
template <class Key, class... Parameters, class Object>
struct is_property_value_of<property_value<Key, Parameters...>, Object>
    : is_property_key_of<Key, Object> {};

} // namespace sycl::ext::oneapi::experimental

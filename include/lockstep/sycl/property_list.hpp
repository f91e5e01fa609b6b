// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties (SYCL 2020, section 4.5.4). A list is short, so it is an array of owned values that is
// searched by type.
#pragma once

#include "sycl/exception.hpp"

#include <memory>
#include <type_traits>
#include <vector>

namespace sycl {

namespace detail {

struct property_base {}; // base class of every property

template <class T> inline char property_key; // its address identifies the property type T

} // namespace detail

template <class T> struct is_property : std::is_base_of<detail::property_base, T> {};
template <class T> inline constexpr bool is_property_v = is_property<T>::value;
template <class Property, class Of> struct is_property_of : is_property<Property> {};
template <class Property, class Of>
inline constexpr bool is_property_of_v = is_property_of<Property, Of>::value;

class property_list {
public:
  template <class... Properties, std::enable_if_t<(is_property_v<Properties> && ...), int> = 0>
  property_list(Properties... properties) {
    (entries_.push_back(
         {&detail::property_key<Properties>, std::make_shared<Properties>(std::move(properties))}),
     ...);
  }

  template <class Property> bool has_property() const noexcept { return find<Property>(); }
  template <class Property> Property get_property() const {
    if (const void *found = find<Property>())
      return *static_cast<const Property *>(found);
    detail::raise(errc::invalid, "the object does not have this property");
  }

private:
  struct entry {
    const void *key;
    std::shared_ptr<void> value;
  };
  template <class Property> const void *find() const noexcept {
    for (const entry &one : entries_)
      if (one.key == &detail::property_key<Property>)
        return one.value.get();
    return nullptr;
  }

  std::vector<entry> entries_;
};

namespace property {

struct no_init : detail::property_base {};

namespace queue {
struct enable_profiling : detail::property_base {};
struct in_order : detail::property_base {};
} // namespace queue

} // namespace property

inline const property::no_init no_init{};
} // namespace sycl

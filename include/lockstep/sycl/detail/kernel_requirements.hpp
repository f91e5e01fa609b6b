// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Applies kernel properties (ext/oneapi/kernel_properties/properties.hpp): wraps the kernel's form
// in further forms. The driver reads the annotations of these as it reads those of attributes
// (tools/lockstep++/kernel_attributes.h).
#pragma once

#include "sycl/detail/attribute_numbers.hpp"
#include "sycl/detail/points.hpp"
#include "sycl/exception.hpp"
#include "sycl/ext/oneapi/experimental/forward_progress.hpp"

namespace sycl::detail {

namespace experimental = ext::oneapi::experimental;

// ---- properties that the kernel function declares, and those of the launch, which take precedence

template <class Function, class = void> struct own_properties {
  using type = experimental::empty_properties_t;
};
template <class Function>
struct own_properties<Function, std::void_t<decltype(std::declval<const Function &>().get(
                                    experimental::properties_tag()))>> {
  using type =
      std::decay_t<decltype(std::declval<const Function &>().get(experimental::properties_tag()))>;
};

template <class Key, class First, class Second> constexpr auto property_of_kernel() {
  if constexpr (First::template has_property<Key>())
    return First::template get_property<Key>();
  else if constexpr (Second::template has_property<Key>())
    return Second::template get_property<Key>();
}

// ---- forms

#ifdef __SYCL_DEVICE_ONLY__
#define LOCKSTEP_REQUIRES(name, ...)                                                               \
  __attribute__((annotate("lockstep." name, numbers_of_attribute(__VA_ARGS__))))
#else
#define LOCKSTEP_REQUIRES(name, ...)
#endif
#define LOCKSTEP_FORM(name, annotation, Key, Type)                                                 \
  template <class Form, Type... Numbers> struct name {                                             \
    template <class Function>                                                                      \
    LOCKSTEP_REQUIRES(annotation, Numbers...)                                                      \
    static void call(const Function &function) {                                                   \
      Form::call(function);                                                                        \
    }                                                                                              \
  };                                                                                               \
  template <class Form, Type... Numbers>                                                           \
  name<Form, Numbers...> form_with(                                                                \
      Form,                                                                                        \
      experimental::property_value<experimental::Key, std::integral_constant<Type, Numbers>...>);
LOCKSTEP_FORM(sized_form, "reqd_work_group_size", work_group_size_key, std::size_t)
LOCKSTEP_FORM(hinted_form, "work_group_size_hint", work_group_size_hint_key, std::size_t)
LOCKSTEP_FORM(sub_group_form, "reqd_sub_group_size", sub_group_size_key, std::uint32_t)
LOCKSTEP_FORM(needing_form, "device_has", device_has_key, aspect)
#undef LOCKSTEP_FORM
#undef LOCKSTEP_REQUIRES
template <class Form, class Value> struct with_requirement {
  using type = decltype(form_with(std::declval<Form>(), std::declval<Value>()));
};
template <class Form> struct with_requirement<Form, void> {
  using type = Form;
};

// ---- barriers of all groups (use_root_sync): a counter of arrived groups, in memory of the launch

struct alignas(64) root_counter {
  std::uint64_t arrived = 0;
};

// The function that calls the barrier cannot access the kernel object. So the pointer to the
// counter is in local memory of the group.
struct root_state {
  root_counter *counter;
};
inline auto &root_state_of_group() {
#ifdef __SYCL_DEVICE_ONLY__
  static __attribute__((opencl_local)) root_state state;
#else
  static root_state state;
#endif
  return state;
}

template <class Function> struct root_synchronized {
  Function function;
  root_counter *counter;
};

template <class Form> struct root_form {
  template <class Function> static void call(const root_synchronized<Function> &kernel) {
    if (on_device::local_id(0) + on_device::local_id(1) + on_device::local_id(2) == 0)
      root_state_of_group().counter = kernel.counter;
    on_device::work_group_barrier(on_device::local_fence);
    Form::call(kernel.function);
  }
};

// All work-items of all groups must call it the same number of times. The counter only grows, so no
// barrier has to clear it first. After a launch it is a multiple of the number of groups, so a
// graph can repeat the launch.
inline void root_barrier() {
  on_device::work_group_barrier(on_device::local_fence | on_device::global_fence);
  if (on_device::local_id(0) + on_device::local_id(1) + on_device::local_id(2) == 0) {
    std::uint64_t *const arrived = &root_state_of_group().counter->arrived;
    const std::uint64_t groups =
        on_device::num_groups(0) * on_device::num_groups(1) * on_device::num_groups(2);
    const std::uint64_t before = __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
    const std::uint64_t all = before - before % groups + groups;
    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < all) {
    }
  }
  on_device::work_group_barrier(on_device::local_fence | on_device::global_fence);
}

// ---- combination of all requirements

template <class Form, class Function, class Given> struct requirements {
  using own = typename own_properties<Function>::type;
  template <class Key> using value = decltype(property_of_kernel<Key, Given, own>());
  template <class Key>
  static constexpr bool has =
      Given::template has_property<Key>() || own::template has_property<Key>();

  using sized = typename with_requirement<Form, value<experimental::work_group_size_key>>::type;
  using hinted =
      typename with_requirement<sized, value<experimental::work_group_size_hint_key>>::type;
  using sub_grouped =
      typename with_requirement<hinted, value<experimental::sub_group_size_key>>::type;
  using form = typename with_requirement<sub_grouped, value<experimental::device_has_key>>::type;

  static void check() {
    using guarantee = experimental::forward_progress_guarantee;
    if constexpr (has<experimental::work_item_progress_key> &&
                  has<experimental::sub_group_size_key>)
      if (value<experimental::work_item_progress_key>::guarantee != guarantee::weakly_parallel)
        raise(errc::feature_not_supported,
              "the kernel demands a sub-group size, so that its work-items are lanes in "
              "lock step, and that each of them makes progress by itself "
              "(sycl_ext_oneapi_forward_progress)");
  }
};

} // namespace sycl::detail

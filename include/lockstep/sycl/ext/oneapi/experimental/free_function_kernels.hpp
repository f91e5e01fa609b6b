// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Free function kernels: functions whose parameters are the kernel's arguments (extension
// sycl_ext_oneapi_free_function_kernels). A launch passes a function object that holds the
// arguments and calls the function.
#pragma once

#include "sycl/ext/oneapi/experimental/enqueue_functions.hpp"
#include "sycl/ext/oneapi/free_function_kernel_properties.hpp"
#include "sycl/kernel_bundle.hpp"

#include <tuple>
#include <utility>

#define SYCL_EXT_ONEAPI_FREE_FUNCTION_KERNELS 1

namespace sycl {

namespace ext::oneapi::experimental {

template <auto *Func> struct kernel_function_s {};
template <auto *Func> inline constexpr kernel_function_s<Func> kernel_function;

} // namespace ext::oneapi::experimental

namespace detail {

template <auto *Function> class free_function_name;

template <auto *Function, class Type> struct free_function_call;
template <auto *Function, class... Parameters>
struct free_function_call<Function, void (*)(Parameters...)> {
  std::tuple<std::decay_t<Parameters>...> arguments;

  template <class... Given> static free_function_call with(Given &&...given) {
    static_assert(std::is_invocable_v<decltype(Function), Given...>,
                  "these are not arguments of the kernel");
    return {{std::forward<Given>(given)...}};
  }
  template <std::size_t... Indices> void call(std::index_sequence<Indices...>) const {
    Function(std::get<Indices>(arguments)...);
  }
  void operator()() const { call(std::index_sequence_for<Parameters...>()); }
  template <int Dimensions> void operator()(nd_item<Dimensions>) const {
    call(std::index_sequence_for<Parameters...>());
  }

  // Offset and size of each argument. The object's memory is not initialized and only its addresses
  // are used.
  template <std::size_t... Indices>
  static std::vector<parameter_place> places(std::index_sequence<Indices...>) {
    alignas(free_function_call) unsigned char memory[sizeof(free_function_call)];
    const auto &object = reinterpret_cast<const free_function_call &>(memory);
    auto place = [&](const auto &argument) {
      return parameter_place{
          std::size_t(reinterpret_cast<const unsigned char *>(std::addressof(argument)) - memory),
          std::is_empty_v<std::decay_t<decltype(argument)>> ? 0 : sizeof argument};
    };
    return {place(std::get<Indices>(object.arguments))...};
  }
  static std::vector<parameter_place> places() {
    return places(std::index_sequence_for<Parameters...>());
  }
};
template <auto *Function>
using call_of = free_function_call<Function, std::decay_t<decltype(Function)>>;

template <auto *Function> constexpr void check_is_kernel() {
  static_assert(ext::oneapi::experimental::is_kernel_v<Function>,
                "the function is not declared with nd_range_kernel or single_task_kernel "
                "(sycl_ext_oneapi_free_function_kernels)");
}

// Returns the id of the kernel; instantiates the kernel even if the program never launches it.
template <auto *Function> kernel_id id_of_function() {
  check_is_kernel<Function>();
  using name = free_function_name<Function>;
  if constexpr (ext::oneapi::experimental::is_single_task_kernel_v<Function>)
    (void)&kernel_entry<name, single_task_form, call_of<Function>>;
  else if constexpr (ext::oneapi::experimental::is_nd_range_kernel_v<Function, 1>)
    (void)&kernel_entry<name, nd_range_form<1>, call_of<Function>>;
  else if constexpr (ext::oneapi::experimental::is_nd_range_kernel_v<Function, 2>)
    (void)&kernel_entry<name, nd_range_form<2>, call_of<Function>>;
  else
    (void)&kernel_entry<name, nd_range_form<3>, call_of<Function>>;
  const kernel_id id = sycl::get_kernel_id<name>();
  pointer_access::of(id)->set_parameters(call_of<Function>::places());
  return id;
}

} // namespace detail

template <auto *Func>
struct is_device_copyable<detail::free_function_call<Func, std::decay_t<decltype(Func)>>>
    : std::true_type {}; // the parameters are device copyable

namespace ext::oneapi::experimental {

// ---- launches

template <auto *Func, class... Args>
std::enable_if_t<is_single_task_kernel_v<Func>> single_task(handler &in, kernel_function_s<Func>,
                                                            Args &&...args) {
  in.single_task<sycl::detail::free_function_name<Func>>(
      sycl::detail::call_of<Func>::with(std::forward<Args>(args)...));
}
template <auto *Func, class... Args>
std::enable_if_t<is_single_task_kernel_v<Func>> single_task(queue in, kernel_function_s<Func> what,
                                                            Args &&...args) {
  in.submit([&](handler &group) { single_task(group, what, std::forward<Args>(args)...); });
}

template <auto *Func, int Dimensions, class... Args>
std::enable_if_t<is_nd_range_kernel_v<Func, Dimensions>>
nd_launch(handler &in, nd_range<Dimensions> size, kernel_function_s<Func>, Args &&...args) {
  in.parallel_for<sycl::detail::free_function_name<Func>>(
      size, sycl::detail::call_of<Func>::with(std::forward<Args>(args)...));
}
template <auto *Func, int Dimensions, class... Args>
std::enable_if_t<is_nd_range_kernel_v<Func, Dimensions>>
nd_launch(queue in, nd_range<Dimensions> size, kernel_function_s<Func> what, Args &&...args) {
  in.submit([&](handler &group) { nd_launch(group, size, what, std::forward<Args>(args)...); });
}
template <auto *Func, int Dimensions, class Properties, class... Args>
std::enable_if_t<is_nd_range_kernel_v<Func, Dimensions>>
nd_launch(handler &in, launch_config<nd_range<Dimensions>, Properties> how, kernel_function_s<Func>,
          Args &&...args) {
  // The kernel name includes the properties, because each set of properties makes a separate
  // kernel.
  in.parallel_for<std::conditional_t<
      std::is_same_v<Properties, empty_properties_t>, sycl::detail::free_function_name<Func>,
      std::pair<sycl::detail::free_function_name<Func> *, Properties>>>(
      how.lockstep_range(), how.lockstep_properties(),
      sycl::detail::call_of<Func>::with(std::forward<Args>(args)...));
}
template <auto *Func, int Dimensions, class Properties, class... Args>
std::enable_if_t<is_nd_range_kernel_v<Func, Dimensions>>
nd_launch(queue in, launch_config<nd_range<Dimensions>, Properties> how,
          kernel_function_s<Func> what, Args &&...args) {
  in.submit([&](handler &group) { nd_launch(group, how, what, std::forward<Args>(args)...); });
}

// ---- bundles

template <auto *Func> kernel_id get_kernel_id() {
  return sycl::detail::id_of_function<Func>();
}
template <auto *Func, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in) {
  return sycl::get_kernel_bundle<State>(in, {get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State>
kernel_bundle<State> get_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return sycl::get_kernel_bundle<State>(in, devices, {get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State> bool has_kernel_bundle(const context &in) {
  return sycl::has_kernel_bundle<State>(in, {get_kernel_id<Func>()});
}
template <auto *Func, bundle_state State>
bool has_kernel_bundle(const context &in, const std::vector<device> &devices) {
  return sycl::has_kernel_bundle<State>(in, devices, {get_kernel_id<Func>()});
}
template <auto *Func> bool is_compatible(const device &on) {
  return sycl::is_compatible({get_kernel_id<Func>()}, on);
}

} // namespace ext::oneapi::experimental
} // namespace sycl

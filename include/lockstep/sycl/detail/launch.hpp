// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels: calls a function object on the device for each form of parallel_for, and launches it
// from the host.
//
// The kernel's entry point receives the bytes of the function object, not the object. A type that
// is not trivially copyable would be passed as a pointer to the host's stack. The device must not
// count references: owning members of accessors only reserve space there (host_only.hpp).
#pragma once

#include "sycl/detail/image.hpp"
#include "sycl/detail/kernel_requirements.hpp"
#include "sycl/detail/points.hpp"
#include "sycl/exception.hpp"
#include "sycl/item.hpp"
#include "sycl/nd_item.hpp"
#include "sycl/specialization_id.hpp"

#include <type_traits>

// The device image of this source. lockstep++ binds this name to an internal constant.
extern "C" __attribute__((visibility("hidden"))) const sycl::detail::image __lockstep_image;

namespace sycl::detail {

template <class Function> struct alignas(Function) function_bytes {
  unsigned char bytes[sizeof(Function)];
};

// ---- forms: the code of a work-item, which calls the kernel function

struct single_task_form {
  template <class Function> static void call(const Function &function) { call_kernel(function); }
};

template <int Dimensions> struct range_form {
  template <class Function> static void call(const Function &function) {
    // A function that takes an item without offset is not called with an item that has one.
    constexpr bool with_offset = is_kernel_of<Function, item<Dimensions, true>>;
    call_kernel(function, make::object<item<Dimensions, with_offset>>(
                              on_device::global_id_point<Dimensions>(),
                              on_device::global_size_point<Dimensions>(),
                              on_device::global_offset_point<Dimensions>()));
  }
};

template <int Dimensions> struct nd_range_form {
  template <class Function> static void call(const Function &function) {
    call_kernel(function, make::object<nd_item<Dimensions>>());
  }
};

template <int Dimensions, bool IsOpen> struct work_group_form {
  template <class Function> static void call(const Function &function) {
    on_device::group_scope();
    call_kernel(function, make::object<group<Dimensions>>(IsOpen));
  }
};

// ---- names

class unnamed_kernel; // default template argument
template <class Form, class Function> class unnamed;

template <class Name, class Form, class Function>
using name_of_kernel =
    std::conditional_t<std::is_same_v<Name, unnamed_kernel>, unnamed<Form, Function>, Name>;
// The compiler accepts only classes as kernel names; programs also use bool and similar types.
template <class Name> class named;
template <class Name>
using class_for_name = std::conditional_t<std::is_class_v<Name>, Name, named<Name>>;

// A kernel is identified by image and name, because unnamed kernels in static functions of two
// sources have the same name.
template <class Name> const kernel_reference &kernel_named() {
  static const kernel_reference kernel{&__lockstep_image,
                                       __builtin_sycl_unique_stable_name(class_for_name<Name>)};
  return kernel;
}

// ---- entry and launch

template <class Name, class Form, class Function>
[[clang::sycl_kernel_entry_point(Name)]] void kernel_entry(function_bytes<Function> bytes) {
  Form::call(reinterpret_cast<const Function &>(bytes));
}

template <class Name, class Form, class Function>
void launch_as(command_group_interface &group, const Function &function,
               const launch_shape &shape) {
  using kernel_name = name_of_kernel<Name, Form, Function>;
  (void)&kernel_entry<class_for_name<kernel_name>, Form, Function>; // for the device compiler
  group.launch(kernel_named<kernel_name>(), &function, sizeof function, shape);
}

// `Given` is the type of the launch properties.
template <class Name, class Form, class Given = experimental::empty_properties_t, class Function>
void launch(command_group_interface &group, const Function &function, const launch_shape &shape) {
  using required = requirements<Form, Function, Given>;
  required::check();
  if constexpr (required::template has<experimental::use_root_sync_key>) {
    const root_synchronized<Function> kernel{
        function, static_cast<root_counter *>(group.launch_memory(
                      sizeof(root_counter), alignof(root_counter), /*is_zeroed=*/true))};
    launch_as<Name, root_form<typename required::form>>(group, kernel, shape);
  } else {
    launch_as<Name, typename required::form>(group, function, shape);
  }
}

template <int Dimensions> launch_shape shape_of(const range<Dimensions> &size) {
  launch_shape shape;
  shape.dimensions = Dimensions;
  for (int d = 0; d < Dimensions; ++d)
    shape.global[d] = size[d];
  return shape;
}

template <int Dimensions>
launch_shape shape_of(const range<Dimensions> &size, const id<Dimensions> &offset) {
  launch_shape shape = shape_of(size);
  for (int d = 0; d < Dimensions; ++d)
    shape.offset[d] = offset[d];
  return shape;
}

struct offset_of {
  template <int Dimensions> static const id<Dimensions> &nd(const nd_range<Dimensions> &size) {
    return size.offset_;
  }
};

// A local range with this value in each dimension lets the library choose
// (sycl_ext_oneapi_auto_local_range).
constexpr std::size_t chosen_local_size = ~std::size_t(0);

template <int Dimensions> range<Dimensions> chosen_local_range() {
  range<Dimensions> all{};
  for (int d = 0; d < Dimensions; ++d)
    all[d] = chosen_local_size;
  return all;
}

template <int Dimensions> launch_shape shape_of(const nd_range<Dimensions> &size) {
  launch_shape shape = shape_of(size.get_global_range(), offset_of::nd(size));
  if (size.get_local_range() == chosen_local_range<Dimensions>())
    return shape;
  for (int d = 0; d < Dimensions; ++d)
    shape.local[d] = size.get_local_range()[d];
  if (size.get_global_range().size() != 0 && size.get_local_range().size() == 0)
    raise(errc::nd_range, "a local range has no work-items (SYCL 2020 section 4.9.4.2.2)");
  return shape;
}

// The launch shape of parallel_for_work_group.
template <int Dimensions>
launch_shape shape_of_groups(const range<Dimensions> &groups, const range<Dimensions> &size) {
  launch_shape shape = shape_of(groups * size);
  for (int d = 0; d < Dimensions; ++d)
    shape.local[d] = size[d];
  return shape;
}

// The group size if the program leaves it open: rows of 16 for the lanes, and enough of them to
// hide the latency of arithmetic.
template <int Dimensions> range<Dimensions> size_of_groups() {
  if constexpr (Dimensions == 1)
    return {64};
  else if constexpr (Dimensions == 2)
    return {4, 16};
  else
    return {2, 2, 16};
}

} // namespace sycl::detail

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The header of SYCL 1.2.1: namespace cl::sycl, with the names that SYCL 2020 has removed (SYCL
// 1.2.1, sections 3.2 and 4.9.2). Deprecated: include <sycl/sycl.hpp> instead.
#pragma once

#include <sycl/sycl.hpp>

#include <sycl/backend/opencl.hpp> // SYCL 1.2.1 has the types of CL/cl.h
#include <sycl/detail/exception_classes.hpp>
#include <sycl/image_1_2_1.hpp>
#include <sycl/program.hpp>

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace sycl {

template <class T, class Allocator = std::allocator<T>>
using vector_class [[deprecated("std::vector")]] = std::vector<T, Allocator>;
using string_class [[deprecated("std::string")]] = std::string;
template <class Signature>
using function_class [[deprecated("std::function")]] = std::function<Signature>;
using mutex_class [[deprecated("std::mutex")]] = std::mutex;
template <class T, class Deleter = std::default_delete<T>>
using unique_ptr_class [[deprecated("std::unique_ptr")]] = std::unique_ptr<T, Deleter>;
template <class T> using shared_ptr_class [[deprecated("std::shared_ptr")]] = std::shared_ptr<T>;
template <class T> using weak_ptr_class [[deprecated("std::weak_ptr")]] = std::weak_ptr<T>;
template <class T> using hash_class [[deprecated("std::hash")]] = std::hash<T>;
using exception_ptr_class [[deprecated("std::exception_ptr")]] = std::exception_ptr;
using exception_ptr [[deprecated("std::exception_ptr")]] = std::exception_ptr;

// Scalar types and vectors of them.
using schar = signed char;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using ulong = unsigned long;
using longlong = long long;
using ulonglong = unsigned long long;
#define LOCKSTEP_VECTORS(type)                                                                     \
  using type##2 [[deprecated("of SYCL 1.2.1: vec")]] = vec<type, 2>;                               \
  using type##3 [[deprecated("of SYCL 1.2.1: vec")]] = vec<type, 3>;                               \
  using type##4 [[deprecated("of SYCL 1.2.1: vec")]] = vec<type, 4>;                               \
  using type##8 [[deprecated("of SYCL 1.2.1: vec")]] = vec<type, 8>;                               \
  using type##16 [[deprecated("of SYCL 1.2.1: vec")]] = vec<type, 16>;
LOCKSTEP_VECTORS(schar)
LOCKSTEP_VECTORS(longlong)
LOCKSTEP_VECTORS(ulonglong)
#undef LOCKSTEP_VECTORS

using runtime_error [[deprecated("sycl::exception and its code()")]] = detail::runtime_error;
using device_error [[deprecated("sycl::exception and its code()")]] = detail::device_error;
using kernel_error [[deprecated("errc::kernel")]] = detail::kernel_error;
using accessor_error [[deprecated("errc::accessor")]] = detail::accessor_error;
using nd_range_error [[deprecated("errc::nd_range")]] = detail::nd_range_error;
using event_error [[deprecated("errc::event")]] = detail::event_error;
using invalid_parameter_error [[deprecated("errc::invalid")]] = detail::invalid_parameter_error;
using compile_program_error [[deprecated("errc::build")]] = detail::compile_program_error;
using link_program_error [[deprecated("errc::build")]] = detail::link_program_error;
using invalid_object_error [[deprecated("errc::invalid")]] = detail::invalid_object_error;
using memory_allocation_error [[deprecated("errc::memory_allocation")]] =
    detail::memory_allocation_error;
using platform_error [[deprecated("errc::platform")]] = detail::platform_error;
using profiling_error [[deprecated("errc::profiling")]] = detail::profiling_error;
using feature_not_supported [[deprecated("errc::feature_not_supported")]] =
    detail::feature_not_supported;

using program [[deprecated("kernel_bundle")]] = detail::program;
using sampler [[deprecated("sampled_image has one")]] = detail::sampler;
template <int Dimensions = 2, class Allocator = image_allocator>
using image [[deprecated("unsampled_image and sampled_image")]] =
    detail::image_of_any_format<Dimensions, Allocator>;

// Names from DPC++ before SYCL 2020.
using ext::oneapi::group_local_memory;
using ext::oneapi::group_local_memory_for_overwrite;
using ext::oneapi::experimental::this_group;
using ext::oneapi::experimental::this_id;
using ext::oneapi::experimental::this_item;
using ext::oneapi::experimental::this_nd_item;
using ext::oneapi::experimental::this_sub_group;
namespace ONEAPI {
using ext::oneapi::experimental::this_sub_group;
}

} // namespace sycl

namespace cl {
namespace sycl = ::sycl;
}

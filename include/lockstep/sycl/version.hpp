// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Macros that describe the implementation (SYCL 2020, section 5.6), in addition to
// SYCL_LANGUAGE_VERSION and __SYCL_DEVICE_ONLY__, which clang defines.
#pragma once

#ifndef SYCL_LANGUAGE_VERSION
#error "SYCL sources are compiled by lockstep++ (or with -fsycl)"
#endif

#define SYCL_IMPLEMENTATION_LOCKSTEP 1
// Programs written for DPC++ test these to choose names. The names of this version exist as far as
// docs/conformance.md states.
#define __LIBSYCL_MAJOR_VERSION 8
#define __LIBSYCL_MINOR_VERSION 0
#define __LIBSYCL_PATCH_VERSION 0
#define __SYCL_COMPILER_VERSION 20241001 // the date of that version
#define SYCL_DEVICE_COPYABLE 1           // the program's is_device_copyable is honored

// Functions for kernels of other sources (section 5.10.1). The driver converts this annotation to
// clang's own attribute, which clang rejects in some positions where the macro is permitted.
#define SYCL_EXTERNAL __attribute__((annotate("lockstep.external")))

// Supported Khronos extensions.
#define SYCL_KHR_DEFAULT_CONTEXT 1
#define SYCL_KHR_DYNAMIC_ADDRSPACE_CAST 1
#define SYCL_KHR_FREE_FUNCTION_COMMANDS 1
#define SYCL_KHR_GROUP_INTERFACE 1
#define SYCL_KHR_MAX_WORK_GROUP_QUERIES 1
#define SYCL_KHR_QUEUE_EMPTY_QUERY 1
#define SYCL_KHR_QUEUE_FLUSH 1
#define SYCL_KHR_SPLIT_HEADERS 1
#define SYCL_KHR_STATIC_ADDRSPACE_CAST 1
#define SYCL_KHR_WORK_ITEM_QUERIES 1

// Small oneAPI extensions whose members are in handler and queue. The other extensions define their
// macros in their own headers.
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1

// What the implementation is (SYCL 2020, section 5.6): macros, beside SYCL_LANGUAGE_VERSION and __SYCL_DEVICE_ONLY__, which
// clang defines.
#pragma once

#ifndef SYCL_LANGUAGE_VERSION
#error "SYCL sources are compiled by lockstep++ (or with -fsycl)"
#endif

#define SYCL_IMPLEMENTATION_LOCKSTEP 1
// By which programs written for DPC++ choose names. The names of this version are here, as far as docs/conformance.md says.
#define __LIBSYCL_MAJOR_VERSION 8
#define __LIBSYCL_MINOR_VERSION 0
#define __LIBSYCL_PATCH_VERSION 0
#define SYCL_DEVICE_COPYABLE 1 // is_device_copyable is what programs say it is

// Functions for kernels of other sources (section 5.10.1). The driver makes clang's own attribute of it, which is refused
// at some places where the macro may stand.
#define SYCL_EXTERNAL __attribute__((annotate("lockstep.external")))

// Extensions of the specification that are there.
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

// Small extensions of oneAPI, whose members stand in handler and queue; the others say so in their own headers.
#define SYCL_EXT_ONEAPI_DEFAULT_CONTEXT 1
#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_MEMCPY2D 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1

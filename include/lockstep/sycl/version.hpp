// What the implementation is (SYCL 2020, section 5.6): macros, beside SYCL_LANGUAGE_VERSION and __SYCL_DEVICE_ONLY__, which
// clang defines.
#pragma once

#ifndef SYCL_LANGUAGE_VERSION
#error "SYCL sources are compiled by lockstep++ (or with -fsycl)"
#endif

#define SYCL_IMPLEMENTATION_LOCKSTEP 1

// Functions for kernels of other sources (section 5.10.1). The driver makes clang's own attribute of it, which is refused
// at some places where the macro may stand.
#define SYCL_EXTERNAL __attribute__((annotate("lockstep.external")))

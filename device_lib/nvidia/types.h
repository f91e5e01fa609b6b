// Types and attributes of the device library's parts for NVIDIA GPUs. Tests compile some for the
// host, which has one address space.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

#define INLINE __attribute__((always_inline))
#define CONVERGENT __attribute__((convergent, always_inline))
#ifdef __NVPTX__
#define LOCAL __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#else
#define LOCAL
#define GLOBAL
#endif

// What the device library's parts for NVIDIA GPUs share.
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned u32;
typedef unsigned long long u64;

#define INLINE __attribute__((always_inline))
#define CONVERGENT __attribute__((convergent, always_inline))
#define LOCAL __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))
#define SREG(name) (u32) __nvvm_read_ptx_sreg_##name()

INLINE static u32 items(void) {
  return SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z);
}
INLINE static u32 item(void) {
  return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}

// What the device library's parts for NVIDIA GPUs share.
#pragma once

#include "device_lib/nvidia/types.h"

#define SREG(name) (u32) __nvvm_read_ptx_sreg_##name()

INLINE static u32 items(void) {
  return SREG(ntid_x) * SREG(ntid_y) * SREG(ntid_z);
}
INLINE static u32 item(void) {
  return (SREG(tid_z) * SREG(ntid_y) + SREG(tid_y)) * SREG(ntid_x) + SREG(tid_x);
}

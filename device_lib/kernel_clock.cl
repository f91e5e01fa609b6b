// cl_khr_kernel_clock. The processor's time stamp counter runs at one rate on all cores, so it
// serves as the clock of all scopes.
#include "device_lib/lockstep_builtins.h"

#define CLOCK(scope)                                                                               \
  BUILTIN ulong clock_read_##scope(void) {                                                         \
    return __builtin_readcyclecounter();                                                           \
  }                                                                                                \
  BUILTIN uint2 clock_read_hilo_##scope(void) {                                                    \
    return as_uint2(clock_read_##scope());                                                         \
  }
CLOCK(device)
CLOCK(work_group)
CLOCK(sub_group)

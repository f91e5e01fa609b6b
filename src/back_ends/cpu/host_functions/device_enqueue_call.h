// The function that kernels with device-side enqueue call (device_enqueue_abi.h).
#pragma once

#include "abi/device_enqueue_abi.h"

extern "C" __attribute__((visibility("default"))) int64_t lockstep_device_enqueue(
    const lockstep::compiler::LaunchInfo *launch, const lockstep::compiler::GroupInfo *group,
    uint32_t call, const lockstep::compiler::EnqueueWords *words);

// The functions that machine code with bounds checks calls (memory_check_abi.h). Without a checker
// every access is in bounds.
#pragma once

#include "abi/memory_check_abi.h"

#include <cstdint>

extern "C" {
__attribute__((visibility("default"))) uint64_t
lockstep_check_extent(const lockstep::compiler::LaunchInfo *, lockstep::compiler::MemoryExtent what,
                      uint32_t argument);
__attribute__((visibility("default"))) uint64_t
lockstep_check_object(const lockstep::compiler::LaunchInfo *, lockstep::compiler::MemoryExtent what,
                      const void *address);
__attribute__((visibility("default"))) uint64_t
lockstep_check_written(const lockstep::compiler::LaunchInfo *, const void *address, uint64_t size);
__attribute__((visibility("default"))) void
lockstep_check_outside(const lockstep::compiler::LaunchInfo *,
                       const lockstep::compiler::GroupInfo *, lockstep::compiler::CheckSite *,
                       const void *address, int64_t stride, uint64_t lanes, uint64_t first_item,
                       uint64_t size);
}

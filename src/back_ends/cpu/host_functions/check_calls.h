// The functions that checked machine code calls (check_abi.h). Without a checker they do nothing.
#pragma once

#include "abi/check_abi.h"

#include <cstdint>

extern "C" {
__attribute__((visibility("default"))) void
lockstep_check_access(const lockstep::compiler::LaunchInfo *, const lockstep::compiler::GroupInfo *,
                      lockstep::compiler::CheckSite *, const void *address, int64_t stride,
                      uint64_t lanes, uint64_t first_item, uint64_t intervals);
__attribute__((visibility("default"))) uint64_t
lockstep_check_atomic(const lockstep::compiler::LaunchInfo *, const lockstep::compiler::GroupInfo *,
                      lockstep::compiler::CheckSite *, void *address, uint64_t lanes,
                      uint64_t first_item, uint64_t intervals, uint64_t operand, uint64_t expected);
__attribute__((visibility("default"))) void
lockstep_check_fence(const lockstep::compiler::LaunchInfo *, const lockstep::compiler::GroupInfo *,
                     lockstep::compiler::CheckSite *, uint64_t lanes, uint64_t first_item,
                     uint64_t intervals);
__attribute__((visibility("default"))) void
lockstep_check_copy(const lockstep::compiler::LaunchInfo *, const lockstep::compiler::GroupInfo *,
                    lockstep::compiler::CheckSite *, const void *address, uint64_t row,
                    uint64_t rows, uint64_t row_pitch, uint64_t slices, uint64_t slice_pitch,
                    uint64_t lanes, uint64_t first_item, uint64_t intervals);
__attribute__((visibility("default"))) void
lockstep_check_choice(const lockstep::compiler::LaunchInfo *, const lockstep::compiler::GroupInfo *,
                      lockstep::compiler::CheckSite *, uint64_t chosen, uint64_t lanes,
                      uint64_t first_item, uint64_t intervals);
__attribute__((visibility("default"))) uint64_t
lockstep_check_footprint(const lockstep::compiler::LaunchInfo *, uint32_t number,
                         lockstep::compiler::FootprintKind kind, uint32_t unit, const void *origin);
__attribute__((visibility("default"))) void
lockstep_check_packets(const lockstep::compiler::LaunchInfo *,
                       const lockstep::compiler::GroupInfo *, lockstep::compiler::CheckSite *,
                       const void *pipe, uint64_t first, uint64_t count, uint64_t item,
                       uint64_t intervals);
}

#include "back_ends/cpu/host_functions/check_calls.h"

#include "abi/memory_check_abi.h"

using lockstep::compiler::check_hooks;
using lockstep::compiler::CheckSite;
using lockstep::compiler::FootprintKind;
using lockstep::compiler::GroupInfo;
using lockstep::compiler::LaunchInfo;
using lockstep::compiler::memory_check_hooks;

void lockstep_check_access(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                           const void *address, int64_t stride, uint64_t lanes, uint64_t first_item,
                           uint64_t intervals) {
  if (lanes && check_hooks.access)
    check_hooks.access(launch, group, site, address, stride, lanes, first_item, intervals);
}

// If no lane is active, the address is arbitrary.
uint64_t lockstep_check_atomic(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                               void *address, uint64_t lanes, uint64_t first_item,
                               uint64_t intervals, uint64_t operand, uint64_t expected) {
  if (!lanes || !check_hooks.atomic)
    return 0;
  return check_hooks.atomic(launch, group, site, address, lanes, first_item, intervals, operand,
                            expected);
}

void lockstep_check_fence(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                          uint64_t lanes, uint64_t first_item, uint64_t intervals) {
  if (lanes && check_hooks.fence)
    check_hooks.fence(launch, group, site, lanes, first_item, intervals);
}

void lockstep_check_copy(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                         const void *address, uint64_t row, uint64_t rows, uint64_t row_pitch,
                         uint64_t slices, uint64_t slice_pitch, uint64_t lanes, uint64_t first_item,
                         uint64_t intervals) {
  if (lanes && check_hooks.copy)
    check_hooks.copy(launch, group, site, address, {row, rows, row_pitch, slices, slice_pitch},
                     lanes, first_item, intervals);
}

void lockstep_check_choice(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                           uint64_t chosen, uint64_t lanes, uint64_t first_item,
                           uint64_t intervals) {
  if (is_undefined(site->kind)) {
    if ((lanes & chosen) && memory_check_hooks.undefined)
      memory_check_hooks.undefined(launch, group, site, lanes & chosen, first_item);
    return;
  }
  if (lanes && check_hooks.choice)
    check_hooks.choice(launch, group, site, chosen, lanes, first_item, intervals);
}

uint64_t lockstep_check_footprint(const LaunchInfo *launch, uint32_t number, FootprintKind kind,
                                  uint32_t unit, const void *origin) {
  return check_hooks.footprint ? check_hooks.footprint(launch, number, kind, unit, origin) : 0;
}

void lockstep_check_packets(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                            const void *pipe, uint64_t first, uint64_t count, uint64_t item,
                            uint64_t intervals) {
  if (check_hooks.packets)
    check_hooks.packets(launch, group, site, pipe, first, count, item, intervals);
}

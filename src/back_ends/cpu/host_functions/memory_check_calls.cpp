#include "back_ends/cpu/host_functions/memory_check_calls.h"

using lockstep::compiler::CheckSite;
using lockstep::compiler::GroupInfo;
using lockstep::compiler::LaunchInfo;
using lockstep::compiler::memory_check_hooks;
using lockstep::compiler::MemoryExtent;

namespace {

uint64_t of_unknown(MemoryExtent what) {
  return what == MemoryExtent::size ? lockstep::compiler::unbounded : 0;
}

} // namespace

uint64_t lockstep_check_extent(const LaunchInfo *launch, MemoryExtent what, uint32_t argument) {
  return memory_check_hooks.extent ? memory_check_hooks.extent(launch, what, argument)
                                   : of_unknown(what);
}

uint64_t lockstep_check_object(const LaunchInfo *launch, MemoryExtent what, const void *address) {
  return memory_check_hooks.object ? memory_check_hooks.object(launch, what, address)
                                   : of_unknown(what);
}

uint64_t lockstep_check_written(const LaunchInfo *launch, const void *address, uint64_t size) {
  return memory_check_hooks.written ? memory_check_hooks.written(launch, address, size) : 0;
}

void lockstep_check_outside(const LaunchInfo *launch, const GroupInfo *group, CheckSite *site,
                            const void *address, int64_t stride, uint64_t lanes,
                            uint64_t first_item, uint64_t size) {
  if (lanes && memory_check_hooks.outside)
    memory_check_hooks.outside(launch, group, site, address, stride, lanes, first_item, size);
}

#include "runtime/check/report/work_item_ids.h"

#include "abi/launch_abi.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace lockstep::runtime {

WorkItemIds ids_of(const compiler::LaunchInfo &launch, std::span<const uint64_t, 3> group,
                   uint64_t item) {
  WorkItemIds ids;
  for (unsigned d = 0; d != 3; ++d) {
    ids.group[d] = group[d];
    const uint64_t first = group[d] * launch.local_size[d],
                   size = std::min(launch.local_size[d], launch.global_size[d] - first);
    ids.local[d] = item % size;
    item /= size;
    ids.global[d] = launch.global_offset[d] + first + ids.local[d];
  }
  return ids;
}

WorkItemIds ids_of(const compiler::LaunchInfo &launch, uint64_t group, uint64_t item) {
  std::array<uint64_t, 3> ids;
  for (unsigned d = 0; d != 3; ++d) {
    ids[d] = group % launch.num_groups[d];
    group /= launch.num_groups[d];
  }
  return ids_of(launch, ids, item);
}

std::string ids_text(const std::array<uint64_t, 3> &all, unsigned dimensions, bool is_sycl) {
  if (dimensions == 1)
    return std::to_string(all[0]);
  std::array<uint64_t, 3> ids = all;
  if (is_sycl)
    std::reverse(ids.begin(), ids.begin() + dimensions);
  return fmt::format("({})", fmt::join(std::span(ids).first(dimensions), ", "));
}

} // namespace lockstep::runtime

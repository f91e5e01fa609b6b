#include "runtime/launch/cpu/kernel/local_size.h"

#include <algorithm>
#include <tuple>

namespace lockstep::runtime {
namespace {

using Size = std::array<uint64_t, 3>;

uint64_t product(const Size &size) {
  return size[0] * size[1] * size[2];
}

bool is_given(const std::array<uint32_t, 3> &size) {
  return size[0] != 0;
}

bool divides(const std::array<uint32_t, 3> &local, const Size &global) {
  for (int d = 0; d < 3; ++d)
    if (global[d] % local[d] != 0)
      return false;
  return true;
}

bool fits(const Size &local, const LocalSizeLimits &limits) {
  for (int d = 0; d < 3; ++d)
    if (local[d] > limits.max_item_sizes[d])
      return false;
  return product(local) <= limits.max_group_size;
}

// The largest size up to `most` that divides `global`, a multiple of `preferred` if one exists.
uint64_t largest_divisor(uint64_t global, uint64_t most, uint64_t preferred) {
  most = std::min(most, global);
  if (global % preferred == 0)
    for (uint64_t size = most / preferred * preferred; size >= preferred; size -= preferred)
      if (global % size == 0)
        return size;
  for (uint64_t size = most; size > 1; --size)
    if (global % size == 0)
      return size;
  return 1;
}

// If all divisors up to `most` are smaller than a sub-group, a larger group is better than more
// groups: it fills lanes, and a group of one work-item costs as much as one of sixteen. A prime
// beyond `limit` still gets groups of 1, since its groups must be equal.
uint64_t divisor_for_lanes(uint64_t global, uint64_t most, uint64_t limit, uint64_t preferred) {
  uint64_t divisor = largest_divisor(global, most, preferred);
  if (divisor >= preferred || most < preferred)
    return divisor;
  for (uint64_t size = most + 1; size <= std::min(limit, global); ++size)
    if (global % size == 0)
      return size;
  return divisor;
}

// Few lanes are idle in a row of this length.
bool fills_lanes(uint64_t row, uint64_t preferred) {
  const uint64_t lanes = (row + preferred - 1) / preferred * preferred;
  return 8 * row >= 7 * lanes;
}

// If edge groups are allowed: a divisor if it is large enough (no edge groups), else the largest
// multiple of `preferred`. `has_rows`: each row of the launch would have an edge group, so a smaller
// divisor is better, too, and a smaller multiple if few work-items are in edge groups then.
uint64_t largest_good(uint64_t global, uint64_t most, uint64_t preferred, bool has_rows) {
  most = std::min(most, global);
  uint64_t divisor = largest_divisor(global, most, preferred);
  bool is_multiple = divisor % preferred == 0;
  if (2 * divisor >= most && (is_multiple || most < preferred))
    return divisor;
  if (has_rows && 4 * divisor >= most && fills_lanes(divisor, preferred))
    return divisor;
  if (most < preferred)
    return most;
  uint64_t size = most / preferred * preferred;
  while (has_rows && size >= 2 * preferred && global % size * 16 > global)
    size = size / 2 / preferred * preferred;
  return size;
}

// True if a whole row leaves few lanes idle, although its length is not a multiple of the sub-group
// size.
bool is_good_row(uint64_t global, uint64_t most, uint64_t preferred) {
  return global <= most && global % preferred != 0 && fills_lanes(global, preferred);
}

} // namespace

Size prefer_finished(const Size &usual, std::span<const std::array<uint32_t, 3>> finished,
                     const compiler::KernelInfo &kernel, const LaunchGeometry &geometry) {
  Size global{1, 1, 1};
  for (uint32_t d = 0; d < geometry.work_dim; ++d)
    global[d] = geometry.global_size[d];
  Size best = usual;
  std::tuple<bool, uint64_t, uint64_t> best_value{};
  for (const auto &size : finished) {
    const Size local{size[0], size[1], size[2]};
    if (local == usual)
      return usual;
    const bool has_edges = !divides(size, global);
    const bool fits = local[0] <= global[0] && local[1] <= global[1] && local[2] <= global[2] &&
                      product(local) <= product(usual);
    const std::tuple value{!has_edges, product(local), local[0]};
    if (fits && !(has_edges && kernel.uniform_work_group_size) && value > best_value)
      std::tie(best, best_value) = std::tuple(local, value);
  }
  return best;
}

uint64_t largest_group(const compiler::KernelInfo &kernel, const LocalSizeLimits &limits) {
  uint64_t fitting = limits.stack_bytes / std::max<uint64_t>(kernel.private_memory_size, 1);
  if (fitting > limits.sub_group_size) // unused lanes of a sub-group have private memory, too
    fitting -= fitting % limits.sub_group_size;
  return std::clamp<uint64_t>(fitting, 1, limits.max_group_size);
}

Size choose_local_size(const compiler::KernelInfo &kernel, const LaunchGeometry &geometry,
                       const LocalSizeLimits &device_limits) {
  LocalSizeLimits limits = device_limits;
  limits.max_group_size = largest_group(kernel, device_limits);
  if (is_given(kernel.reqd_work_group_size))
    return {kernel.reqd_work_group_size[0], kernel.reqd_work_group_size[1],
            kernel.reqd_work_group_size[2]};
  Size global{1, 1, 1};
  for (uint32_t d = 0; d < geometry.work_dim; ++d)
    global[d] = std::max<uint64_t>(1, geometry.global_size[d]);
  if (const auto &hint = kernel.work_group_size_hint; is_given(hint)) {
    Size local{hint[0], hint[1], hint[2]};
    if (fits(local, limits) && divides(hint, global))
      return local;
  }

  constexpr uint64_t usual_items = 256, groups_per_worker = 4;
  // from this number of work-items on, larger groups do not hurt
  constexpr uint64_t plenty = uint64_t{1} << 22;
  // Floating point, because dimensions may exceed 2^32 and the product must not overflow.
  const double total = double(global[0]) * double(global[1]) * double(global[2]);
  const double per_group = total / double(groups_per_worker * std::max(1u, limits.workers));
  uint64_t budget = total >= double(plenty) ? limits.many_items : usual_items;
  if (per_group < double(budget)) // a full sub-group is better than more groups
    budget = std::max<uint64_t>(uint64_t(per_group), limits.sub_group_size);
  budget = std::clamp<uint64_t>(budget, 1, limits.max_group_size);

  // The code for edge groups works for any size and would need the stack of the largest group.
  const bool no_edges =
      kernel.uniform_work_group_size || limits.max_group_size < device_limits.max_group_size;
  // A row of a square fills a line of the cache with numbers of 32 bits.
  const uint64_t width = std::max<uint64_t>(limits.sub_group_size, 16);
  const bool is_square = limits.prefers_squares && global[1] >= width;
  Size local{1, 1, 1};
  for (uint32_t d = 0; d < geometry.work_dim; ++d) {
    uint64_t most = std::min(budget / product(local), limits.max_item_sizes[d]);
    if (d == 0 && is_square)
      most = std::min(most, width);
    uint64_t preferred = d == 0 ? limits.sub_group_size : 1;
    uint64_t limit = std::min(limits.max_group_size / product(local), limits.max_item_sizes[d]);
    if (d == 0 && is_good_row(global[d], most, preferred))
      local[d] = global[d];
    else
      local[d] =
          no_edges ? divisor_for_lanes(global[d], most, limit, preferred)
                   : largest_good(global[d], most, preferred, d == 0 && global[1] * global[2] != 1);
    if (d == 0 && local[d] > preferred && local[d] % preferred != 0)
      break; // a larger y would make sub-groups span two rows
  }
  return local;
}

} // namespace lockstep::runtime

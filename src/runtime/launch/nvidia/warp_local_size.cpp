#include "runtime/launch/nvidia/warp_local_size.h"

namespace lockstep::runtime {

std::optional<std::array<uint64_t, 3>>
local_size_for_warps(const std::array<uint32_t, 2> &warp_shape, const LaunchGeometry &geometry) {
  const auto [x, y] = warp_shape;
  if (warp_shape == row_of_warp || geometry.global_size[0] % x != 0)
    return std::nullopt;
  for (uint64_t rows = 256 / x; rows >= y; rows /= 2)
    if (geometry.global_size[1] % rows == 0)
      return std::array<uint64_t, 3>{x, rows, 1};
  return std::nullopt;
}

} // namespace lockstep::runtime

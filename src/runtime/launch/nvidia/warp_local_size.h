// The local size of a launch whose kernel wants its warps in another arrangement than rows.
#pragma once

#include "runtime/device/kernel.h"

#include <array>
#include <cstdint>
#include <optional>

namespace lockstep::runtime {

inline constexpr std::array<uint32_t, 2> row_of_warp = {32, 1};

// 256 work-items, or fewer, in groups of equal size whose warps have the shape. Nullopt: the shape is
// a row, or no such size divides the global size.
std::optional<std::array<uint64_t, 3>>
local_size_for_warps(const std::array<uint32_t, 2> &warp_shape, const LaunchGeometry &geometry);

} // namespace lockstep::runtime

// The ids of a work-item: its group's, and its own in the group and in the launch.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace lockstep::compiler {
struct LaunchInfo;
} // namespace lockstep::compiler

namespace lockstep::runtime {

struct WorkItemIds {
  std::array<uint64_t, 3> group{}, local{}, global{};
};

// `item`: its linear number in its group, which may be smaller at the edge of the launch.
WorkItemIds ids_of(const compiler::LaunchInfo &launch, std::span<const uint64_t, 3> group,
                   uint64_t item);
// By the linear number of its group.
WorkItemIds ids_of(const compiler::LaunchInfo &launch, uint64_t group, uint64_t item);

// "(3, 0)", "3". SYCL's last dimension is the contiguous one.
std::string ids_text(const std::array<uint64_t, 3> &ids, unsigned dimensions, bool is_sycl = false);

} // namespace lockstep::runtime

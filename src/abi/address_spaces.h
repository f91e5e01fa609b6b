// The address spaces of kernel IR, as clang numbers them for spir64.
#pragma once

namespace lockstep::compiler {

inline constexpr unsigned private_space = 0, global_space = 1, constant_space = 2, local_space = 3,
                          generic_space = 4;

// Spaces other than the generic one are disjoint. On a device, constant memory is global memory.
constexpr bool may_overlap(unsigned one, unsigned other) {
  auto physical = [](unsigned space) { return space == constant_space ? global_space : space; };
  return one == generic_space || other == generic_space || physical(one) == physical(other);
}

} // namespace lockstep::compiler

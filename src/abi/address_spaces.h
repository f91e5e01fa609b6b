// The address spaces of kernel IR, as clang numbers them for spir64.
#pragma once

namespace lockstep::compiler {

inline constexpr unsigned private_space = 0, global_space = 1, constant_space = 2, local_space = 3,
                          generic_space = 4;

} // namespace lockstep::compiler

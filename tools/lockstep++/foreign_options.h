// Options that clang does not know: those of lockstep++, and those of other SYCL compilers (DPC++,
// icpx).
//
// An option with an equivalent here is translated to it. An option that cannot change the results
// of a program is dropped. A request that has no effect causes a warning. A request whose omission
// would change the program causes an error.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::driver {

using Arguments = std::vector<std::string>;

struct UserOptions {
  Arguments arguments;             // options that clang knows
  Arguments for_device;            // -Xsycl-target-frontend
  uint32_t default_sub_group = 0;  // -fsycl-default-sub-group-size; 0: the compiler chooses
  bool has_unnamed_kernels = true; // -f[no-]sycl-unnamed-lambda
  // --aot: processors for which kernels are compiled with the program; empty: none
  Arguments aot_processors;
  // --aot-local-size, the contiguous dimension first; empty: the usual ones
  std::vector<std::array<uint32_t, 3>> aot_local_sizes;
  std::vector<std::string> warnings, errors;
};

// `given` does not contain the program's name.
UserOptions read_foreign_options(const Arguments &given);

} // namespace lockstep::driver

// Options of other SYCL compilers (DPC++, icpx), which clang does not know.
//
// An option whose meaning exists here becomes that. One that cannot change what a program computes is dropped. The user
// gets a warning where something is left undone, and an error where the program would not be what was asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::driver {

using Arguments = std::vector<std::string>;

struct UserOptions {
  Arguments arguments;             // that clang knows
  Arguments for_device;            // -Xsycl-target-frontend
  uint32_t default_sub_group = 0;  // -fsycl-default-sub-group-size; 0: the compiler chooses
  bool has_unnamed_kernels = true; // -f[no-]sycl-unnamed-lambda
  std::vector<std::string> warnings, errors;
};

// `given`: without the program's name.
UserOptions read_foreign_options(const Arguments &given);

} // namespace lockstep::driver

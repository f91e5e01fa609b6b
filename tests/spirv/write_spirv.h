// Writes kernel IR as SPIR-V with LLVM's back end, for tests of the reader. The back end has faults;
// mend_kernel_ir.h works around those that a rewrite of the input avoids.
#pragma once

#include <string>
#include <string_view>

namespace lockstep::test {

struct WrittenSpirv {
  std::string words; // empty: the back end cannot write the module
  std::string error;
};

// `bitcode` is kernel IR of the spir64 flavor, as OpenCL C is compiled to. `version` is "1.4".
//
// Each call runs in a process of its own, made by fork(): the back end crashes on some modules, and
// its static variables make a second module in the same process wrong.
WrittenSpirv write_spirv(std::string_view bitcode, const std::string &version);

} // namespace lockstep::test

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

// `bitcode` is kernel IR of the spir64 flavor, as OpenCL C is compiled to. `version` is "1.4". A
// crash of the back end becomes an error.
WrittenSpirv write_spirv(std::string_view bitcode, const std::string &version);

} // namespace lockstep::test

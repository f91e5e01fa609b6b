#include "front_ends/common/language_rules.h"

namespace lockstep::compiler {

const LanguageRules &rules_of(SourceLanguage language) {
  static constexpr LanguageRules opencl_c = {"OpenCL C has no recursion (6.11, restrictions)",
                                             " (OpenCL C 6.11)"};
  static constexpr LanguageRules kernel_ir = {"kernels have no recursion", " in kernels"};
  static constexpr LanguageRules spirv = {
      "SPIR-V kernels have no recursion (OpenCL SPIR-V environment, validation rules)",
      " in SPIR-V"};
  switch (language) {
  case SourceLanguage::opencl_c:
    return opencl_c;
  case SourceLanguage::spirv:
    return spirv;
  case SourceLanguage::kernel_ir:
    break;
  }
  return kernel_ir;
}

} // namespace lockstep::compiler

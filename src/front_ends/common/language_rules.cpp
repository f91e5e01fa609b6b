#include "front_ends/common/language_rules.h"

namespace lockstep::compiler {

const LanguageRules &rules_of(SourceLanguage language) {
  static constexpr LanguageRules opencl_c = {"OpenCL C has no recursion (6.11, restrictions)",
                                             " (OpenCL C 6.11)"};
  static constexpr LanguageRules kernel_ir = {"kernels have no recursion", " in kernels"};
  return language == SourceLanguage::opencl_c ? opencl_c : kernel_ir;
}

} // namespace lockstep::compiler

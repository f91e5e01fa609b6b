// What the language of a kernel's source forbids and LLVM IR does not: the sentences of the build log, each with the
// section of the language's specification.
#pragma once

#include "compiler/kernel_module.h"

namespace lockstep::compiler {

struct LanguageRules {
  const char *no_recursion; // follows "the function f calls itself, directly or through others; "
  const char *no_indirect_calls; // follows "a call through a pointer is not supported"
};

const LanguageRules &rules_of(SourceLanguage language);

} // namespace lockstep::compiler

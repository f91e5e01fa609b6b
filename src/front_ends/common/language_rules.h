// Restrictions of the source language that LLVM IR does not have. Each is a sentence of the build
// log with the section of the language's specification.
#pragma once

#include "kernel_ir/kernel_module.h"

namespace lockstep::compiler {

struct LanguageRules {
  const char *no_recursion; // follows "the function f calls itself, directly or through others; "
  const char *no_indirect_calls; // follows "a call through a pointer is not supported"
};

const LanguageRules &rules_of(SourceLanguage language);

} // namespace lockstep::compiler

// Emits functions that are `inline` without `extern`.
//
// In C99 (6.7.4) another translation unit defines such a function, and clang emits code only where
// the definition is inlined. OpenCL programs have no other translation unit, and users expect the
// function to link, as on other platforms. The function therefore becomes internal to its program,
// as if it were `static inline`. Two linked programs may each have one of the same name. An
// `inline` kernel is an ordinary kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace clang {
class ASTConsumer;
} // namespace clang
namespace llvm {
class Module;
} // namespace llvm

namespace lockstep::compiler {

using InlineDefinitions = std::vector<std::string>; // symbols

// Must run before the consumer that generates code, which then emits each called function.
std::unique_ptr<clang::ASTConsumer> keep_inline_definitions(InlineDefinitions &found);

// Runs on the generated module; gives the functions internal linkage.
void make_internal(llvm::Module &module, const InlineDefinitions &found);

} // namespace lockstep::compiler

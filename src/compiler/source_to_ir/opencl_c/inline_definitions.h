// Functions that are `inline` without `extern`.
//
// C99 (6.7.4) lets such a definition stand for a function that another translation unit defines, and clang makes
// code of it only where that is inlined. OpenCL programs have no other translation unit: users expect the function
// to link, as it does elsewhere. So it becomes a function of its program alone, as if it were `static inline`, and two
// programs that are linked may each have one of the same name. A kernel that is `inline` is one like any other.
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

// Before the consumer that makes code, which then makes code of each that is called.
std::unique_ptr<clang::ASTConsumer> keep_inline_definitions(InlineDefinitions &found);

// Once there is code: no other program sees them.
void make_internal(llvm::Module &module, const InlineDefinitions &found);

} // namespace lockstep::compiler

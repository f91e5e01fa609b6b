// Workaround for wrong constants of `a || b` and `a && b` of vectors.
//
// When clang 22 evaluates them itself (initializers of constants and of arrays), a true element
// becomes 1 instead of -1 (OpenCL C 6.4.7). This rewrites them to `(a != 0) | (b != 0)`, which
// clang evaluates correctly, before code generation.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

// The consumer must run before the one that generates code.
std::unique_ptr<clang::ASTConsumer> fix_vector_logic(clang::CompilerInstance &compiler);

} // namespace lockstep::compiler

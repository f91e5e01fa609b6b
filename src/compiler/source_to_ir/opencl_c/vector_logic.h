// Mends `a || b` and `a && b` of vectors before clang makes code of them.
//
// Where clang 22 evaluates them itself (initialisers of constants and of arrays), an element that is
// true becomes 1, and not -1 (OpenCL C 6.4.7). They become `(a != 0) | (b != 0)`, which it gets
// right.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
class CompilerInstance;
} // namespace clang

namespace lockstep::compiler {

// Before the consumer that makes code.
std::unique_ptr<clang::ASTConsumer> mend_vector_logic(clang::CompilerInstance &compiler);

} // namespace lockstep::compiler

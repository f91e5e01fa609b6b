// Workaround for samplers of functions that blocks capture, `const sampler_t s = CLK_FILTER_NEAREST
// | ...;`.
//
// clang 22 treats a const variable as a constant, and reaches an llvm_unreachable when it evaluates
// a sampler. The consumer removes the const, so that the sampler is captured like any other
// variable. A program cannot assign to a sampler in any case.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace lockstep::compiler {

// The consumer must run before the one that generates code.
std::unique_ptr<clang::ASTConsumer> fix_captured_samplers();

} // namespace lockstep::compiler

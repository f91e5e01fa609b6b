// Samplers of functions that blocks capture, `const sampler_t s = CLK_FILTER_NEAREST | ...;`.
//
// clang 22 takes a const variable for a constant, and stops at a sampler (an unreachable place where it evaluates
// constants). As variables that are not const they are captured like any other; nobody can assign to a sampler anyway.
#pragma once

#include <memory>

namespace clang {
class ASTConsumer;
} // namespace clang

namespace lockstep::compiler {

// Before the consumer that makes code.
std::unique_ptr<clang::ASTConsumer> mend_captured_samplers();

} // namespace lockstep::compiler

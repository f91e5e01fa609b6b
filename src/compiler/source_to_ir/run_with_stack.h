// clang and LLVM recurse over what they are given: a source with ten thousand nested brackets needs
// a stack that the caller's thread does not have. Work runs here on a thread of its own with a
// stack that grows with the input.
#pragma once

#include <cstddef>
#include <functional>

namespace lockstep::compiler {

// Runs `work` and waits for it. If no such thread can be made, a smaller stack is tried, at last
// the caller's own.
void run_with_stack(size_t stack_size, const std::function<void()> &work);

} // namespace lockstep::compiler

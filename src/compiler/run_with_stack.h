// clang and LLVM recurse over what they are given: a source with ten thousand nested brackets needs
// a stack that the caller's thread does not have. Work runs here on a thread of its own with a
// stack that grows with the input.
#pragma once

#include "compiler/guarded.h"

#include <cstddef>
#include <functional>

namespace lockstep::compiler {

// Runs `work` and waits for it. If no such thread can be made, a smaller stack is tried, at last
// the caller's own.
void run_with_stack(size_t stack_size, const std::function<void()> &work);

// A base, and room for each byte of the input to be one more level of nesting.
size_t stack_for(size_t input_size);

// Runs `work`, which returns a Result<T>, with a stack fit for the input; a crash of LLVM in it is an error (guarded.h).
template <class Work> auto on_big_stack(size_t input_size, const std::string &doing, Work work) {
  std::optional<decltype(work())> result;
  run_with_stack(stack_for(input_size), [&] { result = guarded_result(doing, work); });
  return std::move(*result);
}

} // namespace lockstep::compiler

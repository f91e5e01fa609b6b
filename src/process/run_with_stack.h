// Runs work on a separate thread whose stack grows with the input. clang and LLVM recurse over
// their input: a source with ten thousand nested brackets needs more stack than the caller's thread
// has.
#pragma once

#include "process/crash_guard.h"

#include <cstddef>
#include <functional>

namespace lockstep::compiler {

// Runs `work` and waits for it. If the thread cannot be created, tries a smaller stack, and finally
// the caller's own.
void run_with_stack(size_t stack_size, const std::function<void()> &work);

// A base, plus enough for each byte of the input to be another level of nesting.
size_t stack_for(size_t input_size);

// Runs `work`, which returns a Result<T>, with a stack that suits the input. A crash of LLVM
// becomes an error (crash_guard.h).
template <class Work> auto on_big_stack(size_t input_size, const std::string &doing, Work work) {
  std::optional<decltype(work())> result;
  run_with_stack(stack_for(input_size), [&] { result = guarded_result(doing, work); });
  return std::move(*result);
}

} // namespace lockstep::compiler

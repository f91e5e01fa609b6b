// Runs a piece of the compiler so that a crash of LLVM or clang in it is an error of that
// compilation instead of the end of the process, which is the program of somebody else.
//
// LLVM ends the process in three ways: report_fatal_error, a fault (an assertion of a release build
// is undefined behaviour), and an allocation that fails. All three leave `work` by a jump: what it
// had allocated is lost, and locks that it held stay locked. The first two are bugs, so that is
// better than losing the program's state; a fault inside malloc may still hang a later allocation.
// abort() is not caught: the C library calls it when its own state is broken.
#pragma once

#include "support/result.h"

#include <functional>

namespace lockstep::compiler {

// `doing` is what the error says: "compiling the kernel k". ErrorKind::internal if `work` crashed,
// ErrorKind::out_of_host_memory if memory ran out. May be nested and called from several threads.
Result<void> guarded(const std::string &doing, const std::function<void()> &work);

// The same for work that returns a Result<T>.
template <class Work> auto guarded_result(const std::string &doing, Work work) -> decltype(work()) {
  std::optional<decltype(work())> result;
  auto ended = guarded(doing, [&] { result.emplace(work()); });
  if (!ended)
    return ended.take_error();
  return std::move(*result);
}

} // namespace lockstep::compiler

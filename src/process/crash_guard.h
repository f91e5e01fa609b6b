// Runs a part of the compiler such that a crash of LLVM or clang becomes an error of that
// compilation. Otherwise it would end the process, which is the user's program.
//
// LLVM ends the process in three ways: report_fatal_error, a fault (a failed assertion of a release
// build is undefined behavior), and a failed allocation. All three leave `work` by a jump: memory
// that it allocated leaks, and locks that it held stay locked. The first two are bugs, so this is
// better than losing the program's state. A fault inside malloc may still hang a later allocation.
// abort() is not caught: the C library calls it when its own state is corrupt.
#pragma once

#include "support/result.h"

#include <functional>

namespace lockstep::compiler {

// `doing` describes the work in the error: "compiling the kernel k". ErrorKind::internal if `work`
// crashed, ErrorKind::out_of_host_memory if memory ran out. May be nested and called from several
// threads.
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

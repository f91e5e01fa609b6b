// What fork() does to the library (docs/process_life.md).
//
// A child of fork() has the memory of its parent and one thread. Locks of other threads stay locked there, and what these
// threads were changing stays half changed. So the child uses none of its parent's mutable state: every object that
// leaked() marks with AfterFork::make_again is made again at its next use, and the hooks below reset the rest.
#pragma once

#include <atomic>

namespace lockstep {

// How many calls of fork() led from the process that loaded the library to this one. Objects remember the generation
// that they were made in: one of another generation belongs to an ancestor and must not be used.
namespace detail {
extern constinit std::atomic<unsigned> generation;
[[noreturn]] void end_child();
} // namespace detail
inline unsigned fork_generation() {
  return detail::generation.load(std::memory_order_relaxed);
}

// Calls `hook` in every child from now on, once however often it was given, in the thread that called fork(). It must
// not allocate, lock or throw: it resets constant-initialised variables and those of the thread.
void in_forked_child(void (*hook)());

// The same as a constant of a file: `const ForkHook reset([] { ... });`
struct ForkHook {
  explicit ForkHook(void (*hook)()) { in_forked_child(hook); }
};

// Calls a function of the program in a thread of ours. If the function calls fork(), the child's only thread returns here,
// to a stack and state that belong to its parent: it has nothing left to do, and the child ends as if by exit(0).
template <class Function> void call_program(Function &&function) {
  const unsigned generation = fork_generation();
  function();
  if (generation != fork_generation()) [[unlikely]]
    detail::end_child();
}

// A descriptor that means nothing to a child, and is closed there.
void close_in_forked_child(int file);

} // namespace lockstep

// Handling of fork() (docs/process_life.md).
//
// A child of fork() has the memory of its parent, but only one thread. Locks of other threads stay
// locked in the child, and data that those threads were changing stays inconsistent. The child
// therefore uses none of its parent's mutable state. Every object that leaked() marks with
// AfterFork::make_again is created again at its next use, and the hooks below reset the rest.
#pragma once

#include <atomic>

namespace lockstep {

// The number of fork() calls between the process that loaded the library and this one. Objects
// record the generation in which they were created. An object of another generation belongs to an
// ancestor and must not be used.
namespace detail {
extern constinit std::atomic<unsigned> generation;
[[noreturn]] void end_child();
} // namespace detail
inline unsigned fork_generation() {
  return detail::generation.load(std::memory_order_relaxed);
}

// Calls `hook` in every future child, in the thread that called fork(). A hook that is registered
// repeatedly is called once. It must not allocate, lock or throw: it resets constant-initialized
// variables and thread_local ones.
void in_forked_child(void (*hook)());

// The same as a namespace-scope constant: `const ForkHook reset([] { ... });`
struct ForkHook {
  explicit ForkHook(void (*hook)()) { in_forked_child(hook); }
};

// Calls a function of the program in a thread of Lockstep. If the function calls fork(), the
// child's only thread returns here, to a stack and state of its parent. The child has nothing left
// to do and ends as if by exit(0).
template <class Function> void call_program(Function &&function) {
  const unsigned generation = fork_generation();
  function();
  if (generation != fork_generation()) [[unlikely]]
    detail::end_child();
}

// Registers a descriptor that is useless in a child; the child closes it.
void close_in_forked_child(int file);

} // namespace lockstep

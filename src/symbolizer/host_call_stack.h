// Walks a call stack, given a copy of a thread's registers and of the innermost part of its stack.
//
// A signal handler must not walk the stack itself, since that allocates and takes locks. The
// handler makes the copy, and another thread walks it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::compiler {

struct StackCopy {
  static constexpr std::size_t register_count = 33;
  uintptr_t pc = 0;
  std::array<uintptr_t, register_count> registers{}; // by DWARF register number
  uintptr_t begin = 0;                               // address of the first byte that was copied
  std::span<const std::byte> bytes;
};

// Async-signal-safe. `machine`: the third argument of a signal handler.
void copy_registers(const void *machine, StackCopy &to);

// Code addresses: `pc`, then the return addresses, as far as the copy and the unwind information
// reach.
std::vector<const void *> walk(const StackCopy &stack, std::size_t most);

} // namespace lockstep::compiler

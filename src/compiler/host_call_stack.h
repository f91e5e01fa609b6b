// Who has called whom, from a copy of a thread's registers and of the innermost part of its stack.
//
// A signal handler must not walk the stack itself: that allocates and takes locks. It copies, and another thread walks.
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
  std::array<uintptr_t, register_count> registers{}; // by the numbers of DWARF
  uintptr_t begin = 0;                               // address of the first byte that was copied
  std::span<const std::byte> bytes;
};

// Async-signal-safe. `machine`: the third argument of a signal handler.
void copy_registers(const void *machine, StackCopy &to);

// Addresses of code: `pc`, then the addresses to which the functions return, as far as the copy and unwind information reach.
std::vector<const void *> walk(const StackCopy &stack, std::size_t most);

} // namespace lockstep::compiler

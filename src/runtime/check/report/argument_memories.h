// The memory that a launch reaches by each pointer argument, and by pointers in structure
// arguments.
#pragma once

#include "abi/assumptions.h"
#include "kernel_ir/kernel_info.h"
#include "runtime/check/report/launch_numbers.h"
#include "runtime/memory/access.h"

#include <cstdint>
#include <optional>
#include <span>

namespace lockstep::runtime {

class ArgumentMemories {
public:
  ArgumentMemories(std::span<const compiler::ArgumentUse> uses, const compiler::KernelInfo &kernel,
                   const LaunchNumbers &numbers, std::span<const Access> accesses)
      : uses_(uses), kernel_(kernel), numbers_(numbers), accesses_(accesses) {}

  // A bit per ArgumentUse::number of arguments that overlap another one, if at least one of the two
  // is written.
  uint64_t overlapping() const;

private:
  struct Memory {
    Wide address = 0;                      // the value of the pointer
    std::optional<WideRange> all{};        // first byte and end; nothing: unknown
    bool is_null = false, is_plain = true; // plain: offsets are relative to the address
  };
  Memory memory_of(const compiler::ArgumentUse &use) const;
  std::optional<WideRange> reach_of(const compiler::ArgumentUse &use, const Memory &memory) const;

  std::span<const compiler::ArgumentUse> uses_;
  const compiler::KernelInfo &kernel_;
  const LaunchNumbers &numbers_;
  std::span<const Access> accesses_;
};

} // namespace lockstep::runtime

// The memory that a launch reaches by each pointer among its arguments, and in those that are structures.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "compiler/suppositions.h"
#include "runtime/check/launch_numbers.h"
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

  // ArgumentUse::number, by bits, of those that share bytes with another, if one of both writes.
  uint64_t overlapping() const;

private:
  struct Memory {
    Wide address = 0;                      // what the pointer is
    std::optional<WideRange> all{};        // first byte and end; nothing: not known
    bool is_null = false, is_plain = true; // plain: offsets count from the address
  };
  Memory memory_of(const compiler::ArgumentUse &use) const;
  std::optional<WideRange> reach_of(const compiler::ArgumentUse &use, const Memory &memory) const;

  std::span<const compiler::ArgumentUse> uses_;
  const compiler::KernelInfo &kernel_;
  const LaunchNumbers &numbers_;
  std::span<const Access> accesses_;
};

} // namespace lockstep::runtime

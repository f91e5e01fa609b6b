// Names the memory that a kernel reads (argument, program-scope variable, local memory) and formats
// the values in it by their type. If the type is unknown, the text says less.
#pragma once

#include "runtime/launch/cpu/diagnostics/wait_summary.h"
#include "runtime/launch/cpu/resumable/resumable_launch.h"

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::runtime {

class MemoryNames {
public:
  explicit MemoryNames(const ResumableLaunch &launch);

  struct Named {
    std::string memory; // "byte 4 of the buffer of 64 bytes that is argument 0 'flag'"
    std::string value;  // "0"
  };
  Named of(const WaitSummary::Read &read) const;

private:
  struct Thing {
    std::string name;
    std::string type; // element type; empty: unknown
  };
  Thing local_memory(uint64_t offset) const;
  Thing buffer(const std::byte *address, const KernelMemory &memory) const;

  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
};

// `bits` formatted as a number of that type; they are zero-extended.
std::string value_text(uint64_t bits, uint32_t size, const std::string &type);

} // namespace lockstep::runtime

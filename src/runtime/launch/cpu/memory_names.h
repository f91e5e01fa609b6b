// What a kernel calls the memory that it reads: argument, program-scope variable, local memory; and
// the values in it, as the type that the kernel gives them. Where that is not certain, it says less.
#pragma once

#include "runtime/launch/cpu/resumable_launch.h"
#include "runtime/launch/cpu/wait_summary.h"

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
    std::string type; // of an element; empty: not known
  };
  Thing local_memory(uint64_t offset) const;
  Thing buffer(const std::byte *address, const KernelMemory &memory) const;

  const ResumableLaunch &launch_;
  const ResumableLaunch::View view_;
};

// As a number of that type; the bits are as they were read, zero-extended.
std::string value_text(uint64_t bits, uint32_t size, const std::string &type);

} // namespace lockstep::runtime

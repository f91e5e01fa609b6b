// Evaluates the launch-time assumptions of compiled code (abi/assumptions.h).
#pragma once

#include "abi/assumptions.h"
#include "abi/launch_abi.h"
#include "kernel_ir/kernel_info.h"
#include "runtime/memory/access.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

class Launch;

// Returns the failed assumptions as in Specialization::failed_assumptions. `launch` has its sizes
// and arguments; `local_sizes` has the bytes of each argument in local memory, by index.
uint64_t failed_assumptions(const compiler::Assumptions &all, const compiler::KernelInfo &kernel,
                            const compiler::LaunchInfo &launch, std::span<const Access> accesses,
                            std::span<const uint64_t> local_sizes);

// Source places that have accessed bytes of a memory in one way (NumberedSites), each with the range
// of bytes.
struct AccessingSite {
  uint16_t number = 0;
  std::size_t begin = 0, end = 0;
};
using AccessingSites = std::shared_ptr<const std::vector<AccessingSite>>;

// What a launch does with one of its memories, as far as the compiler knows.
struct ReachedBytes {
  const Access *access = nullptr;
  std::size_t begin = 0, end = 0; // in the memory
  bool writes = false;
  bool is_atomic = false;  // or its kernel can communicate with a concurrent one otherwise
  bool is_exact = false;   // all of these bytes; otherwise possibly only some
  AccessingSites places{}; // null: unknown
};
// `all`: null if nothing is known.
std::vector<ReachedBytes> reached_bytes(const compiler::Assumptions *all,
                                        const compiler::KernelInfo &kernel,
                                        const compiler::LaunchInfo &launch,
                                        std::span<const Access> accesses);

// The bytes of its memories that a launch reached. Without checked code: the ranges of accesses().
std::vector<ReachedBytes> reached_by(const Launch &launch);

} // namespace lockstep::runtime

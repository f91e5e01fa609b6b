// Does what checked code supposes of a launch hold (compiler/suppositions.h)?
#pragma once

#include "compiler/kernel_ir/kernel_info.h"
#include "compiler/launch_abi.h"
#include "compiler/suppositions.h"
#include "runtime/memory/access.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lockstep::runtime {

// Specialisation::refused_suppositions. `launch` with its sizes and arguments, `accesses` as the launch has them.
// `local_sizes`: bytes of each argument in local memory, by its index.
uint64_t refused_suppositions(const compiler::Suppositions &all, const compiler::KernelInfo &kernel,
                              const compiler::LaunchInfo &launch, std::span<const Access> accesses,
                              std::span<const uint64_t> local_sizes);

// Places of the source that have touched bytes of a memory in one way (CheckPlaces), each between its first and its last byte.
struct TouchingPlace {
  uint16_t number = 0;
  std::size_t begin = 0, end = 0;
};
using TouchingPlaces = std::shared_ptr<const std::vector<TouchingPlace>>;

// What a launch does with one of its memories, as far as its code tells.
struct ReachedBytes {
  const Access *access = nullptr;
  std::size_t begin = 0, end = 0; // in the memory
  bool writes = false;
  bool is_atomic = false;  // or its kernel has other ways to talk to one that runs meanwhile
  bool is_exact = false;   // all of the bytes; else some of them, perhaps
  TouchingPlaces places{}; // null: they are not known
};
// `all`: null where nothing is known.
std::vector<ReachedBytes> reached_bytes(const compiler::Suppositions *all,
                                        const compiler::KernelInfo &kernel,
                                        const compiler::LaunchInfo &launch,
                                        std::span<const Access> accesses);

} // namespace lockstep::runtime

// What the scheduler of waiting groups (resumable_run.h) must know of a launch, and what it says to
// it.
#pragma once

#include "compiler/compile.h"
#include "runtime/memory/allocations.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::runtime {

struct Fault;
class GroupOrder;

// Memory that a kernel sees: a memory object, an allocation, the host's.
struct KernelMemory {
  const std::byte *begin = nullptr;
  std::size_t size = 0;         // 0: not known, it is the host's
  bool is_host_visible = false; // the host may write it while the kernel runs
  // References of all commands that are not settled, and of parts of it; no less than there are.
  unsigned users = ~0u;
  std::optional<AllocationKind> kind{}; // of an allocation
};

class ResumableLaunch {
public:
  struct View {
    const compiler::LaunchInfo *launch = nullptr;
    const compiler::KernelInfo *kernel = nullptr;
    const compiler::KernelCode *inner = nullptr, *edge = nullptr; // edge may be null
    const GroupOrder *order = nullptr;
    uint64_t groups = 0, items = 0; // items of a whole group
    uint64_t local_memory_bytes = 0;
    uint64_t local_planes = 0; // from there on it begins as 0; 0: all as it was
  };

  virtual ~ResumableLaunch() = default;
  virtual View view() const = 0;
  // Fills in id and size of a group; returns the code for it.
  virtual const compiler::KernelCode &set_group(uint64_t number,
                                                compiler::GroupInfo &group) const = 0;
  // The memory object that holds the address; nothing if none is known.
  virtual std::optional<KernelMemory> memory_at(const void *) const { return std::nullopt; }
  // For the error after a fault (fault_place.h).
  virtual std::string place_of(const Fault &) const { return ""; }
};

} // namespace lockstep::runtime

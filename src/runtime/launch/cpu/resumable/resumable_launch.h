// Interface between a launch and the scheduler of its waiting groups (resumable_run.h).
#pragma once

#include "driver/compile.h"
#include "runtime/launch/cpu/resumable/worker_limit.h"
#include "runtime/memory/allocations.h"
#include "runtime/observers/launch_observer.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace lockstep::runtime {

struct Fault;
class GroupOrder;

// Memory that a kernel can access: a memory object, an allocation, or host memory.
struct KernelMemory {
  const std::byte *begin = nullptr;
  std::size_t size = 0;         // 0: unknown, because it is host memory
  bool is_host_visible = false; // the host may write it while the kernel runs
  // An upper bound of the references by unsettled commands, and by views of its parts.
  unsigned users = ~0u;
  std::optional<AllocationKind> kind{}; // kind of the allocation, if it is one
};

class ResumableLaunch {
public:
  struct View {
    const compiler::LaunchInfo *launch = nullptr;
    LaunchObserver *observer = LaunchObserver::none().get();
    const compiler::KernelInfo *kernel = nullptr;
    const compiler::KernelCode *inner = nullptr, *edge = nullptr; // edge may be null
    const GroupOrder *order = nullptr;
    uint64_t groups = 0, items = 0; // items: work-items of a whole group
    uint64_t local_memory_bytes = 0;
    // offset from which it is zeroed at the start of a group; 0: it is not zeroed
    uint64_t local_shadow_bytes = 0;
    WorkerLimit::Memory *worker_limit = nullptr; // of earlier launches of this code
  };

  virtual ~ResumableLaunch() = default;
  virtual View view() const = 0;
  // Fills in id and size of a group; returns the code for it.
  virtual const compiler::KernelCode &set_group(uint64_t number,
                                                compiler::GroupInfo &group) const = 0;
  // The memory object that contains the address; nothing if it is unknown.
  virtual std::optional<KernelMemory> memory_at(const void *) const { return std::nullopt; }
  // Describes the address of a fault for the error message (fault_place.h).
  virtual std::string place_of(const Fault &) const { return ""; }
};

} // namespace lockstep::runtime

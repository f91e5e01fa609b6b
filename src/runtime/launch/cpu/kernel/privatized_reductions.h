// Privatized reductions: copies that a worker updates instead of an argument's memory
// (abi/privatized_reductions.h).
//
// If the code of a launch requests copies, each worker gets its own argument block with the
// addresses of its copies. They are initialized with the neutral element (0 of a sum) at the
// worker's first work-group of the launch. When the worker runs no more groups, it adds them to the
// memory: by atomics, since other workers do so at the same time, and kernels of other queues may
// read. No state of a run is stored here, so several runs of a launch may overlap.
#pragma once

#include "driver/compile.h"
#include "runtime/memory/access.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

class PrivatizedReductions {
public:
  // Memory for the copies of one worker, used for any launch; grows on demand.
  class Memory {
  public:
    Memory() = default;
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

  private:
    friend class PrivatizedReductions;
    Result<std::byte *> at_least(std::size_t size);
    std::byte *bytes_ = nullptr;
    std::size_t size_ = 0;
    bool is_in_use_ = false; // used by the launch that the worker runs now
  };

  struct Size {
    uint64_t items = 0, workers = 0;
  };

  // Returns the arguments, a bit each, for which this launch makes no copies. Reasons: the memory
  // is reachable by another argument, by an address or on the host; or adding up the copies would
  // take longer than direct updates.
  static uint64_t unprivatized(std::span<const compiler::PrivatizedReduction> wanted,
                               std::span<const Access> accesses, Size size);

  // Makes copies for all of `wanted`.
  void set(std::span<const compiler::PrivatizedReduction> wanted,
           const compiler::KernelInfo &kernel, std::span<const Access> accesses);
  bool any() const { return !copies_.empty(); }

  // Returns the launch with an argument block that points to the worker's copies in `memory`.
  Result<const compiler::LaunchInfo *> begin(Memory &memory,
                                             const compiler::LaunchInfo &launch) const;
  // The worker runs no more groups: adds its copies to the memory. The copies of a failed run are
  // discarded.
  void end(Memory &memory, bool has_failed) const;

private:
  struct Copy {
    compiler::PrivatizedReduction what;
    std::size_t argument_offset, offset; // in the argument block; in the worker's memory
    std::byte *memory;
    std::size_t elements;
  };

  std::vector<Copy> copies_;
  std::size_t block_size_ = 0, bytes_ = 0; // size of the argument block; total size
};

} // namespace lockstep::runtime

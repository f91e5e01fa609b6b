// Privatized reductions: copies that a worker updates instead of the memory behind a pointer that
// the launch passes (abi/privatized_reductions.h).
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
#include <optional>
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

  // What the launch passes to the kernel. The argument block has the addresses of its memory.
  struct Passed {
    const compiler::KernelInfo &kernel;
    const std::byte *block;
    std::span<const Access> accesses;
  };

  // Returns the bits of the pointers (PrivatizedReduction::bit) for which this launch makes no
  // copies. Reasons: the kernel may reach the memory by another pointer; the host may look at it
  // meanwhile; or adding up the copies would take longer than direct updates.
  static uint64_t unprivatized(std::span<const compiler::PrivatizedReduction> wanted,
                               const Passed &passed, Size size);

  // Copies that serve two codes of a launch, for its whole groups and for those at its edges.
  // Nothing: the codes update different memory.
  static std::optional<std::vector<compiler::PrivatizedReduction>>
  of_both(std::span<const compiler::PrivatizedReduction> whole,
          std::span<const compiler::PrivatizedReduction> edge);

  // Makes copies for all of `wanted`.
  void set(std::span<const compiler::PrivatizedReduction> wanted, const Passed &passed);
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
    std::size_t place, offset; // of the pointer, in the argument block; in the worker's memory
    std::ptrdiff_t begin;      // of the memory, in bytes from the pointer
    std::byte *memory;
    std::size_t elements;
  };

  std::vector<Copy> copies_;
  std::size_t block_size_ = 0, bytes_ = 0; // size of the argument block; total size
};

} // namespace lockstep::runtime

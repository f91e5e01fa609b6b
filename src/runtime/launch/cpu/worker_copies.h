// Copies that a worker updates in place of the memory of an argument (compiler/worker_copies.h).
//
// A launch whose code wants copies is given to each worker with a block of arguments of its own, in which the addresses are
// those of the copies. They begin as what changes nothing (0 of a sum) with the worker's first work-group of the launch, and
// get to the memory when it finds no more of them: by atomics, since others do the same at that time, and kernels of other
// queues may look. Nothing here belongs to a run of the launch, so it may run several times at once.
#pragma once

#include "compiler/compile.h"
#include "runtime/memory/access.h"
#include "support/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::runtime {

class WorkerCopies {
public:
  // What the copies of one worker are kept in, whatever it launches; grown when a launch needs more.
  class Memory {
  public:
    Memory() = default;
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

  private:
    friend class WorkerCopies;
    Result<std::byte *> at_least(std::size_t size);
    std::byte *bytes_ = nullptr;
    std::size_t size_ = 0;
    bool is_in_use_ = false; // by the launch that the worker runs
  };

  struct Size {
    uint64_t items = 0, workers = 0;
  };

  // Of which of these arguments this launch makes no copies, a bit each: those whose memory somebody may reach in another
  // way, by another argument, by an address or on the host; and those that it would take longer to add up than to
  // update at once.
  static uint64_t refused(std::span<const compiler::WorkerCopy> wanted,
                          std::span<const Access> accesses, Size size);

  // Copies of all of these.
  void set(std::span<const compiler::WorkerCopy> wanted, const compiler::KernelInfo &kernel,
           std::span<const Access> accesses);
  bool any() const { return !copies_.empty(); }

  // The launch as a worker sees it that has its copies in `memory`.
  Result<const compiler::LaunchInfo *> begin(Memory &memory,
                                             const compiler::LaunchInfo &launch) const;
  // It runs no more of it. What a run that failed has counted is forgotten.
  void end(Memory &memory, bool has_failed) const;

private:
  struct Copy {
    compiler::WorkerCopy what;
    std::size_t argument_offset, offset; // in the block of arguments, in the worker's memory
    std::byte *memory;
    std::size_t elements;
  };

  std::vector<Copy> copies_;
  std::size_t block_size_ = 0, bytes_ = 0; // of the arguments, of all
};

} // namespace lockstep::runtime

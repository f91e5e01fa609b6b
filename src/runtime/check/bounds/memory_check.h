// Memory check of one launch (abi/memory_check_abi.h): provides the extents and shadow memory of
// its arguments' memory and of the object at an address. Reports each access out of bounds, and
// each use of undefined bits.
//
// A pointer that is not an argument is looked up among the memory given to the launch, then among
// allocations that are shared by address. Other pointers may point to host memory, which kernels
// may access anywhere. Of these only the first page, and freed memory that is retained
// (released_memory.h), are out of bounds.
#pragma once

#include "abi/memory_check_abi.h"
#include "runtime/check/report/findings.h"
#include "runtime/device/launch_names.h"
#include "runtime/memory/access.h"
#include "support/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace lockstep::compiler {
struct KernelInfo;
struct LaunchInfo;
struct GroupInfo;
} // namespace lockstep::compiler

namespace lockstep::runtime {

class MemoryCheck {
public:
  // Null: the launch is not checked. `local_sizes`: LaunchArguments::local_sizes. `local_shadow_bytes`:
  // size of local memory, and of each of the two areas of shadow memory after it (memory_check_abi.h).
  // Kernel and launch must outlive the result.
  static std::unique_ptr<MemoryCheck> of(const compiler::KernelInfo &kernel,
                                         const compiler::LaunchInfo &launch,
                                         std::span<const Access> accesses,
                                         std::span<const uint64_t> local_sizes,
                                         uint64_t local_shadow_bytes);
  MemoryCheck(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
              std::span<const Access> accesses, std::span<const uint64_t> local_sizes,
              uint64_t local_shadow_bytes);

  // An error if memory that the launch accesses has no shadow memory, as far as known so far.
  Result<void> has_shadow() const;

private:
  friend struct MemoryCheckCalls;
  struct Extent {
    uint64_t lead = 0, size = compiler::unbounded, shadow = 0;
    uint64_t of(compiler::MemoryExtent what) const {
      switch (what) {
      case compiler::MemoryExtent::lead:
        return lead;
      case compiler::MemoryExtent::size:
        return size;
      case compiler::MemoryExtent::bits:
        return shadow;
      case compiler::MemoryExtent::computed_bits:
        break;
      }
      return 0;
    }
  };
  struct Outside { // one work-item's access
    const compiler::GroupInfo &group;
    const compiler::CheckSite &site;
    uint64_t address, variable_size, item;
  };
  Extent at(const void *address) const;
  Extent extent_of(std::size_t argument, std::span<const Access> accesses,
                   std::span<const uint64_t> local_sizes) const;
  uint64_t pointer_in(const compiler::LaunchInfo &launch, std::size_t argument) const;
  uint64_t pointer_in(std::size_t argument) const { return pointer_in(launch_, argument); }
  // Offset from this thread's private copy of the argument's memory to the shared original.
  uint64_t from_copy(const compiler::LaunchInfo &launch, std::size_t argument) const;
  // For an address in a private copy: the distance to its shadow bits. 0: not in a private copy.
  uint64_t shadow_from_copy(const compiler::LaunchInfo &launch, const void *address) const;
  uint64_t local_shadow(compiler::MemoryExtent what) const {
    return what == compiler::MemoryExtent::bits ? local_shadow_bytes_ : 2 * local_shadow_bytes_;
  }
  void record_shadow_of(const void *address) const;
  void report_undefined(const Outside &where) const;
  void report(const Outside &outside) const;
  std::optional<SharedMemory> captured_memory(const Outside &outside) const;
  std::string memory_text(const Outside &outside, std::string &headline) const;
  FindingLocation place_of(const Outside &outside, const char *what) const;

  const compiler::KernelInfo &kernel_;
  const compiler::LaunchInfo &launch_;
  const std::span<const Access> accesses_;
  const uint64_t local_shadow_bytes_;
  // Size of an object without the shadow memory that it needs; 0: none
  mutable std::atomic<std::size_t> without_shadow_ = 0;
  bool is_reported_ = true;     // otherwise undefined values are tracked, but not reported
  std::vector<Extent> extents_; // by argument
  struct Range {
    uint64_t begin, size;
  };
  std::vector<Range> ranges_; // of memory given to the launch
};

// Called before the first kernel runs.
void start_memory_check_if_wanted();

} // namespace lockstep::runtime

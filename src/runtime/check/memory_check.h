// The check of one launch for what machine code keeps out of (compiler/memory_check_abi.h): how large the memory of its
// arguments is, what lies where a pointer points, and a report for each access that was out of bounds.
//
// A pointer that the launch was not given as an argument is looked up among what it was given, and among the allocations
// that are shared by address.
// Others may be memory of the host, which kernels may use wherever it is; so nothing is beyond them but the first page,
// and what was freed and is kept for that (released_memory.h).
#pragma once

#include "compiler/memory_check_abi.h"
#include "runtime/check/findings.h"
#include "runtime/check/words_of_sycl.h"
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
  // Null: this launch is not checked. `local_sizes`: LaunchArguments::local_sizes; `local_planes`: size of each of the two
  // planes behind local memory, and of that (memory_check_abi.h). Kernel and launch must outlive it.
  static std::unique_ptr<MemoryCheck> of(const compiler::KernelInfo &kernel,
                                         const compiler::LaunchInfo &launch,
                                         std::span<const Access> accesses,
                                         std::span<const uint64_t> local_sizes,
                                         uint64_t local_planes);
  MemoryCheck(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch,
              std::span<const Access> accesses, std::span<const uint64_t> local_sizes,
              uint64_t local_planes);

  // An error if what it touches has no plane of undefined bits, as far as that is known by now.
  Result<void> has_planes() const;

private:
  friend struct MemoryCheckCalls;
  struct Extent {
    uint64_t lead = 0, size = compiler::unbounded, plane = 0;
    uint64_t of(compiler::MemoryExtent what) const {
      switch (what) {
      case compiler::MemoryExtent::lead:
        return lead;
      case compiler::MemoryExtent::size:
        return size;
      case compiler::MemoryExtent::bits:
        return plane;
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
  // Bytes from what an argument points to for who runs `launch` to what it points to for all.
  uint64_t from_copy(const compiler::LaunchInfo &launch, std::size_t argument) const;
  // Of what lies at an address in such a copy: how far away its bits are; 0: it is none.
  uint64_t plane_from_copy(const compiler::LaunchInfo &launch, const void *address) const;
  uint64_t local_plane(compiler::MemoryExtent what) const {
    return what == compiler::MemoryExtent::bits ? local_planes_ : 2 * local_planes_;
  }
  void note_plane_of(const void *address) const;
  void report_undefined(const Outside &where) const;
  void report(const Outside &outside) const;
  std::optional<SharedMemory> captured_memory(const Outside &outside) const;
  std::string memory_text(const Outside &outside, std::string &headline) const;
  FindingPlace place_of(const Outside &outside, const char *what) const;

  const compiler::KernelInfo &kernel_;
  const compiler::LaunchInfo &launch_;
  const std::span<const Access> accesses_;
  const uint64_t local_planes_;
  mutable std::atomic<std::size_t> without_plane_ = 0; // size of an object that it needs one of
  bool is_told_ = true;                                // else undefined values are followed only
  std::vector<Extent> extents_;                        // by argument
  struct Range {
    uint64_t begin, size;
  };
  std::vector<Range> ranges_; // of memory that it was given
};

// Before the first kernel runs.
void start_memory_check_if_wanted();

} // namespace lockstep::runtime

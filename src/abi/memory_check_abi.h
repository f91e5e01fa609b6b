// Interface between machine code that checks bounds or tracks undefined values and the checker
// (src/runtime/check/bounds/memory_check.h). It applies to kernels compiled with
// CodeOptions::check_memory or check_undefined.
//
// The code compares offsets with sizes itself and omits accesses that are out of bounds. It queries
// what only the launch knows: the size of the memory that an argument, or a pointer of other
// origin, points to.
#pragma once

#include "abi/check_abi.h"

#include <cstdint>

namespace lockstep::compiler {

// What a query returns. Distances are multiples of 256; shadow_of_hosts is added for memory that the
// host program can write at any time.
enum class MemoryExtent : uint32_t {
  lead,          // offset of the pointer in its allocation
  size,          // size of the allocation, in bytes
  bits,          // distance from each address to its shadow bits; 0: all bytes are defined
  computed_bits, // the same for shadow bits of local memory: a 1 in each byte that was computed
};

// In place of an argument's index: all local memory of a group.
inline constexpr uint32_t local_memory_of_group = ~uint32_t{0};

// Size of memory that the checker does not know, so that no access is out of its bounds.
inline constexpr uint64_t unbounded = ~uint64_t{0};

// Flag in a distance to shadow bits: before the code uses an undefined bit of such memory, it must
// call `written`.
inline constexpr uint64_t shadow_of_hosts = 128;

struct MemoryCheckHooks {
  // Queries the memory that an argument, by its index, points to.
  uint64_t (*extent)(const LaunchInfo *, MemoryExtent what, uint32_t argument) = nullptr;
  // Queries the memory at an address.
  uint64_t (*object)(const LaunchInfo *, MemoryExtent what, const void *address) = nullptr;
  // Reports lanes whose access is out of bounds and is omitted; parameters as CheckHooks::access.
  // `size` is 0, or the size of a variable; addresses are offsets in the variable then.
  void (*outside)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
                  int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t size) = nullptr;
  // Reports that an undefined value decides something, or is written, in these lanes.
  void (*undefined)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t lanes,
                    uint64_t first_item) = nullptr;
  // Updates the shadow bits of these bytes from what the program has written. Returns the same as
  // `object` with MemoryExtent::bits.
  uint64_t (*written)(const LaunchInfo *, const void *address, uint64_t size) = nullptr;
};
inline MemoryCheckHooks memory_check_hooks; // set before the first kernel runs

} // namespace lockstep::compiler

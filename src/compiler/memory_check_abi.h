// The border between machine code that keeps within bounds, or follows undefined values, and the checker
// (src/runtime/check/memory_check.h): what a kernel that was compiled with CodeOptions::check_memory or check_undefined
// asks and tells.
//
// The code compares offsets with sizes itself, and makes no access that is out of bounds. It asks for what only the launch
// knows: how large the memory is that an argument points to, or a pointer that comes from elsewhere.
#pragma once

#include "compiler/check_abi.h"

#include <cstdint>

namespace lockstep::compiler {

// `lead`: bytes from the memory's beginning to the pointer that is asked for; `size`: bytes of all of it. Of memory of which
// undefined bits are known: bytes from each place to where it is written down which of its bits are defined, and, of local
// memory, which of the others were computed (a 1 in each byte); multiples of 256, but for memory that the program can write at
// any time: then so many bytes more (plane_of_hosts). 0: it is not, all is defined.
enum class MemoryExtent : uint32_t { lead, size, bits, computed_bits };

// In place of an argument's index: of all local memory of a group.
inline constexpr uint32_t local_memory_of_group = ~uint32_t{0};

// Nothing is known of it, so nothing is beyond it.
inline constexpr uint64_t unbounded = ~uint64_t{0};

// Where bits of such memory are not defined, the code asks `written` before it believes it.
inline constexpr uint64_t plane_of_hosts = 128;

struct MemoryCheckHooks {
  // Of what an argument, by its index, points to.
  uint64_t (*extent)(const LaunchInfo *, MemoryExtent what, uint32_t argument) = nullptr;
  // Of what lies at an address.
  uint64_t (*object)(const LaunchInfo *, MemoryExtent what, const void *address) = nullptr;
  // Lanes whose access is not made, as CheckHooks::access. `size` is 0, or that of a variable; the addresses are offsets
  // in it then.
  void (*outside)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
                  int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t size) = nullptr;
  // An undefined value decides something, or is written, in the lanes of these bits.
  void (*undefined)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t lanes,
                    uint64_t first_item) = nullptr;
  // Looks for what the program has written of these bytes, and puts it down; what `object` gives for their bits.
  uint64_t (*written)(const LaunchInfo *, const void *address, uint64_t size) = nullptr;
};
inline MemoryCheckHooks memory_check_hooks; // set before the first kernel runs

} // namespace lockstep::compiler

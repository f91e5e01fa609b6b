// Pointers that a function object has captured (argument 0 of SYCL kernels), as code that tracks
// undefined values uses them. Memory that the kernel only reads through such a pointer needs no
// tracking if all of it is defined and the launch does not write it.
// Specialization::defined_members names these pointers.
//
// The compiler finds the pointers (undefined/used_members.h); only the launch knows where they
// point (runtime/launch/cpu/kernel/kernel_launch.h).
#pragma once

#include <cstdint>

namespace lockstep::compiler {

struct PointerMembers {
  // A bit for each eight bytes of the object; pointers beyond the last bit are not tracked.
  uint64_t only_read = 0;
  uint64_t written = 0;         // the kernel may write through them
  bool writes_elsewhere = true; // it may also write through other pointers
  bool operator==(const PointerMembers &) const = default;
};

inline constexpr int64_t bytes_of_member = 8, most_members = 64;

} // namespace lockstep::compiler

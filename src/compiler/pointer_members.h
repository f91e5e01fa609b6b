// Pointers that a function object has captured (argument 0, as SYCL's kernels have it), as code that follows undefined values
// uses them: memory by which it only reads need not be followed, if all of it is defined and the launch does not write it
// (Specialisation::defined_members). The compiler finds them (ir_to_workgroup/check/used_members.h); where they point to, the launch
// knows alone (runtime/launch/cpu/kernel_launch.h).
#pragma once

#include <cstdint>

namespace lockstep::compiler {

struct PointerMembers {
  // A bit for each eight bytes of the object; pointers behind these have none.
  uint64_t only_read = 0;
  uint64_t written = 0;         // the kernel may write by them
  bool writes_elsewhere = true; // or by other pointers than these, those of accesses() aside
  bool operator==(const PointerMembers &) const = default;
};

inline constexpr int64_t bytes_of_member = 8, most_members = 64;

} // namespace lockstep::compiler

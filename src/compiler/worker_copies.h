// Arguments that a kernel only updates: counters, histograms, sums.
//
// Where a kernel does nothing with the memory of an argument but relaxed atomic updates whose results nobody looks at, each
// worker may update a copy of its own, by plain operations, and add the copy to the memory when it has no more work
// (docs/decisions/0016-worker-copies.md). The compiler finds such arguments
// (ir_to_workgroup/arguments/worker_copies.h); the launch decides whether it makes copies
// (runtime/launch/cpu/worker_copies.h), and asks for other code where it does not.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

// A difference is a sum, of what is taken away. The numbers stand in the disk cache.
enum class UpdateOperation : uint32_t {
  add,
  bit_and,
  bit_or,
  bit_xor,
  signed_min,
  signed_max,
  unsigned_min,
  unsigned_max,
  float_add,
  float_min, // a NaN changes nothing
  float_max,
};

struct WorkerCopy {
  uint32_t argument = 0;
  UpdateOperation operation = UpdateOperation::add;
  uint32_t element_size = 4; // bytes, 4 or 8; all updates are of one size
  bool operator==(const WorkerCopy &) const = default;
};

// Of Specialisation::refused_copies.
inline constexpr uint64_t all_copies = ~uint64_t{0};
inline constexpr uint32_t most_copied_arguments = 64; // arguments behind these have no bit there

// In the flags of a barrier of kernel IR, beside CLK_*_MEM_FENCE: its fences are for more than the group
// (device_lib/lockstep_builtins.h).
inline constexpr uint32_t barrier_for_device = 0x80000000;

// Metadata of the updates of such arguments, with the argument's number; without it, an update of the copy is atomic.
inline constexpr char worker_copy_metadata[] = "lockstep.worker.copy";

} // namespace lockstep::compiler

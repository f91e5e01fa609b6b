// Privatized reductions: arguments that a kernel only updates, such as counters, histograms, sums.
//
// A kernel may access the memory of an argument only by relaxed atomic updates whose results are
// unused. Each worker may then update a private copy with plain operations. The worker adds its
// copy to the memory when it has no more work (docs/decisions/0016-worker-copies.md).
//
// The compiler finds such arguments (arguments/privatized_reductions.h). The launch decides whether
// it makes copies (runtime/launch/cpu/kernel/privatized_reductions.h), and requests other code if
// it does not.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

// A subtraction counts as `add` of the negated operand. The disk cache stores these numbers.
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
  multiply,
  float_multiply,
};

struct PrivatizedReduction {
  uint32_t argument = 0;
  UpdateOperation operation = UpdateOperation::add;
  uint32_t element_size = 4; // bytes, 4 or 8; all updates have the same size
  bool operator==(const PrivatizedReduction &) const = default;
};

// Values and limit of Specialization::unprivatized_arguments.
inline constexpr uint64_t all_copies = ~uint64_t{0};
// Arguments beyond this number have no bit there.
inline constexpr uint32_t most_privatized_arguments = 64;

// In the flags of a barrier of kernel IR, beside CLK_*_MEM_FENCE: the scope of its fences is wider
// than the group (device_lib/lockstep_builtins.h).
inline constexpr uint32_t barrier_for_device = 0x80000000;

// Metadata on the updates of such arguments, with the argument's number. An update of the copy
// without it stays atomic.
inline constexpr char privatized_metadata[] = "lockstep.privatized";

} // namespace lockstep::compiler

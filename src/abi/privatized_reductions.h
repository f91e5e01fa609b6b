// Privatized reductions: pointers through which a kernel only updates, such as counters,
// histograms, sums.
//
// A kernel may access the memory behind a pointer only by relaxed atomic updates whose results are
// unused. Each worker may then update a private copy with plain operations. The worker adds its
// copy to the memory when it has no more work (docs/decisions/0016-worker-copies.md). The pointer
// is an argument, or a member of a struct argument, as SYCL's pointers and accessors are.
//
// The compiler finds such pointers (arguments/privatized_reductions.h). The launch decides whether
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
  static constexpr int32_t is_argument = -1;

  uint32_t argument = 0;
  // Bytes from the beginning of a struct argument to the pointer; is_argument: the argument is the
  // pointer.
  int32_t member = is_argument;
  UpdateOperation operation = UpdateOperation::add;
  uint32_t element_size = 4; // bytes, 4 or 8; all updates have the same size
  // All updates are of bytes begin to end - 1 from the pointer; begin == end: not known.
  int64_t begin = 0, end = 0;
  // No update has a scope that includes the host.
  bool is_hidden_from_host = false;
  // The kernel also uses pointers that it finds in memory, which may point anywhere.
  bool has_found_pointers = false;

  // The offset of the pointer in the argument.
  uint32_t place() const { return member < 0 ? 0 : uint32_t(member); }
  // The bit of Specialization::unprivatized_arguments. Two pointers may have the same one: then
  // the launch privatizes both or neither.
  uint32_t bit() const { return argument + place() / 8; }
  // True if both are of the same pointer and updates, perhaps of other bytes.
  bool is_like(const PrivatizedReduction &other) const {
    return argument == other.argument && member == other.member && operation == other.operation &&
           element_size == other.element_size;
  }
  bool operator==(const PrivatizedReduction &) const = default;
};

// Values and limit of Specialization::unprivatized_arguments.
inline constexpr uint64_t all_copies = ~uint64_t{0};
// Pointers with a higher bit are not privatized.
inline constexpr uint32_t most_privatized_arguments = 64;

// In the flags of a barrier of kernel IR, beside CLK_*_MEM_FENCE: the scope of its fences is wider
// than the group (device_lib/lockstep_builtins.h).
inline constexpr uint32_t barrier_for_device = 0x80000000;

// Metadata on such updates, with the argument's number and the member's byte, or -1. An update of
// the copy without it stays atomic.
inline constexpr char privatized_metadata[] = "lockstep.privatized";

} // namespace lockstep::compiler

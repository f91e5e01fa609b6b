// Interface between checked machine code and the checker (src/runtime/check): how a kernel compiled
// with CodeOptions::check reports its accesses.
//
// The code calls host_functions/check_calls.h, which forward to the functions in check_hooks.
// Accesses are reported before they are made. Atomics of kernels that synchronize through them are
// the exception: the checker makes these itself, because an atomic and the vector clock of its
// object must change together.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lockstep::compiler {

struct LaunchInfo;
struct GroupInfo;

enum class AccessKind : uint32_t {
  read,
  write,
  atomic_read,
  atomic_write,
  atomic_update,
  fence,
  sub_group_barrier,
  copy_read, // by an async copy, from its call until a work-item has waited for it
  copy_write,
  wait_for_copies,
  arrival,  // at a barrier, copy or collective that possibly not all work-items reach
  choice,   // a branch whose edges lead to different group operations
  argument, // of a group operation; the value takes the place of the address
  sub_group_argument,
  // Event of the async copy that is reported next; must be the same in all work-items.
  copy_event,
  awaited_event,    // event of the wait that is reported next
  packets_to_write, // a reservation in a pipe: from here on the packets belong to this work-item
  packets_to_read,
  // A commit; a later write or read of the packets by another work-item is an error.
  packets_written,
  packets_read,
  undefined_branch, // a branch on an undefined value
  undefined_address,
  undefined_collective,
  undefined_store // a store of a computed undefined value to global memory
};
constexpr bool is_copy(AccessKind kind) {
  return kind == AccessKind::copy_read || kind == AccessKind::copy_write;
}
constexpr bool is_undefined(AccessKind kind) {
  return kind >= AccessKind::undefined_branch;
}
constexpr bool is_reservation(AccessKind kind) {
  return kind == AccessKind::packets_to_write || kind == AccessKind::packets_to_read;
}
constexpr bool is_argument(AccessKind kind) {
  return kind >= AccessKind::argument && kind <= AccessKind::awaited_event;
}
enum class CheckOrder : uint32_t { relaxed, acquire, release, acq_rel, seq_cst };
// As memory_scope of OpenCL C; `device` for atomics of OpenCL C 1.x and for the SVM scope.
enum class CheckScope : uint32_t { work_item, sub_group, work_group, device };

constexpr bool acquires(CheckOrder order) {
  return order == CheckOrder::acquire || order >= CheckOrder::acq_rel;
}
constexpr bool releases(CheckOrder order) {
  return order == CheckOrder::release || order >= CheckOrder::acq_rel;
}

// In the order of llvm::AtomicRMWInst::BinOp, as far as LLVM has them.
enum class AtomicOperation : uint32_t {
  exchange,
  add,
  subtract,
  bit_and,
  bit_nand,
  bit_or,
  bit_xor,
  maximum,
  minimum,
  unsigned_maximum,
  unsigned_minimum,
  add_floats,
  subtract_floats,
  maximum_of_floats,
  minimum_of_floats,
  compare_and_swap,
  multiply,
  multiply_floats
};
// What is known about the value.
// - in_group, always (writes): every concurrent writer stores the same value.
// - guess_of_swap (reads): the value is only the expected operand of a compare-and-swap, which
//   detects a stale value.
// - conflicts_only_with_atomics (atomics): all accesses that may conflict are atomics, so they are
//   not compared.
// - has_no_conflict: it conflicts with no access of its own launch and is reported only for the
//   comparison with other commands.
enum class SameValue : uint32_t {
  unknown,
  in_group,
  always,
  guess_of_swap,
  conflicts_only_with_atomics,
  has_no_conflict
};

// Whether the accessed numbers are floating-point numbers, for reports.
enum class NumberType : uint32_t { integer, floating_point };
// A plain access that is half of a read-modify-write of its element: a store of what was computed
// from the element's old value, or decided by it, and the load of that value.
enum class UpdateKind : uint32_t {
  none,
  add,
  subtract,
  bit_and,
  bit_or,
  bit_xor,
  minimum,
  maximum,
  other
};

// How a command accesses memory, for the comparison of commands. All accesses of a kernel that
// synchronizes count as atomic.
enum class FootprintKind : uint32_t { reads, writes, atomically_reads, atomically_writes };
// Number of a map of footprint marks (CheckHooks::footprint). All variants of the code of one launch,
// for whole groups and for groups at its edges, use the same numbers.
struct FootprintMapNumber {
  static constexpr uint32_t most_arguments = 32;
  static constexpr uint32_t end_of(std::size_t arguments) {
    return uint32_t(arguments < most_arguments ? arguments : most_arguments) * 8;
  }
  static constexpr uint32_t of(uint32_t argument, FootprintKind kind, uint32_t unit) {
    return argument * 8 + static_cast<uint32_t>(kind) * 2 + (unit == 1);
  }
  static constexpr uint32_t argument_of(uint32_t number) { return number / 8; }
};

// A source location that accesses memory, in the data of the machine code (common/check_sites.cpp
// writes it by offset).
struct CheckSite {
  static constexpr int32_t no_argument = -1;
  uint32_t number; // assigned by the checker; 0 at first
  uint32_t line, column;
  uint32_t size; // bytes
  AccessKind kind;
  CheckOrder order;   // of a fence or an atomic; of a compare-and-swap: on success
  CheckOrder failure; // of a compare-and-swap: on failure
  CheckScope scope;
  uint32_t address_space;    // as in kernel IR
  AtomicOperation operation; // of an atomic update
  // Fence: 1 local, 2 global memory, as CLK_*_MEM_FENCE. Atomic: the same bits if the kernel has
  // fences. weak_stores is added if some of its atomic stores do not release everything that
  // another of its releases does. Sub-group barrier: not 0 if all lanes must reach it.
  static constexpr uint32_t weak_stores = 4;
  uint32_t fences;
  int32_t argument; // of the kernel, through which the memory is reached
  SameValue same_value;
  // What orders accesses in the kernel, besides barriers of its groups.
  static constexpr uint32_t by_nothing_else = 0, by_sub_group_barriers = 1, by_atomics = 2,
                            by_narrow_atomics =
                                3, // by fences and atomics, some narrower than the device
      by_sub_group_atomics = 4;    // and not all with work-group scope
  uint32_t synchronizes;           // the highest of them
  bool is_ordered_by_atomics() const { return synchronizes >= by_atomics; }
  // In `barriers`, in place of the flags of a barrier: a relaxed atomic; a fence narrower than the
  // device, with its scope added.
  static constexpr unsigned relaxed_atomic = 8, narrow_fence = 16;
  // Not 0: the code marks the footprint of this access (footprint_marks.h), so the access is not
  // reported for the comparison of commands.
  uint32_t is_marked;
  FootprintKind footprint_kind() const {
    switch (kind) {
    case AccessKind::read:
    case AccessKind::copy_read:
      return is_ordered_by_atomics() ? FootprintKind::atomically_reads : FootprintKind::reads;
    case AccessKind::write:
    case AccessKind::copy_write:
      return is_ordered_by_atomics() ? FootprintKind::atomically_writes : FootprintKind::writes;
    case AccessKind::atomic_read:
      return FootprintKind::atomically_reads;
    default:
      return FootprintKind::atomically_writes;
    }
  }
  // Byte of argument 0, a function object, where the pointer is, plus one; 0: not a member.
  uint32_t member;
  NumberType number_type;
  UpdateKind update;
  uint32_t loop; // a number of the outermost loop around the access; 0: none
  uint32_t reserved;
  const char *file;
  const char *text; // of that line
  // Name of a variable; empty: not known. For undefined values: names in quotes, "'#16'" for memory
  // that is read through the pointer at byte 16 of the function object.
  const char *object;
  // The barriers of the kernel, each as "LINE:FLAGS;". Also its narrow fences, and its relaxed
  // atomics if it has no other atomics.
  const char *barriers;
  const char *directory; // that `file` is relative to; empty: unknown
};
static_assert(offsetof(CheckSite, file) == 80 && sizeof(CheckSite) == 120);

// Barrier epochs of a work-item. Its fields count barriers with CLK_GLOBAL_MEM_FENCE and barriers
// with CLK_LOCAL_MEM_FENCE; calls of async copies, waits for them and fences between them; and
// barriers that are also fences with device scope.
//
// Each field wraps around. Epochs are compared for equality only: if a work-item passes exactly 2^n
// barriers between two reported accesses, a field of n bits wraps and the accesses look unordered.
struct Intervals {
  static constexpr uint64_t global_step = 1, local_step = uint64_t(1) << 20,
                            copy_step = uint64_t(1) << 40, wait_step = uint64_t(1) << 48,
                            copy_fence_step = uint64_t(1) << 52, device_step = uint64_t(1) << 56;
  static constexpr uint64_t field = local_step - 1, // of the first two
      copy_field = (wait_step / copy_step) - 1, wait_field = (copy_fence_step / wait_step) - 1,
                            copy_fence_field = (device_step / copy_fence_step) - 1;
  // The highest bit of each field but the last. A step adds below this bit, so that no carry
  // reaches the next field and counts as a barrier of another kind.
  static constexpr uint64_t highest =
      (local_step | copy_step | wait_step | copy_fence_step | device_step) >> 1;
  static constexpr uint64_t after(uint64_t before, uint64_t step) {
    return ((before & ~highest) + step) ^ (before & highest);
  }
};

// Bytes that one side of a group copy accesses.
struct CopyShape {
  uint64_t row, rows, row_pitch, slices, slice_pitch;
  bool operator==(const CopyShape &) const = default;
};

// Value of `stride`, the distance of the lanes' addresses in bytes: `address` points to an array of
// addresses instead.
inline constexpr int64_t any_addresses = INT64_MIN;

// Functions that the checker provides. The work-item of lane l has the linear local id `first_item`
// + l; bits of `lanes` select the lanes that make the access.
struct CheckHooks {
  void (*access)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
                 int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t intervals) = nullptr;
  // Makes the access and returns the value that it read. Loads may have several bits in `lanes`;
  // all lanes read the same value.
  uint64_t (*atomic)(const LaunchInfo *, const GroupInfo *, CheckSite *, void *address,
                     uint64_t lanes, uint64_t first_item, uint64_t intervals, uint64_t operand,
                     uint64_t expected) = nullptr;
  void (*fence)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t lanes,
                uint64_t first_item, uint64_t intervals) = nullptr;
  void (*copy)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
               const CopyShape &shape, uint64_t lanes, uint64_t first_item,
               uint64_t intervals) = nullptr;
  // `chosen`: lanes where the condition holds.
  void (*choice)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t chosen,
                 uint64_t lanes, uint64_t first_item, uint64_t intervals) = nullptr;
  // Returns the location of the footprint marks for memory from `origin` on. The map has one mark
  // for each `unit` bytes, 4 or 1. Unit 4: the address of the mark of `origin`. Unit 1: the
  // distance from a byte to its mark. 0: no marks are wanted.
  uint64_t (*footprint)(const LaunchInfo *, uint32_t number, FootprintKind kind, uint32_t unit,
                        const void *origin) = nullptr;
  // Operation of work-item `item` on `count` packets of a pipe (src/runtime/memory/pipe.h), from
  // ticket `first` on.
  void (*packets)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *pipe,
                  uint64_t first, uint64_t count, uint64_t item, uint64_t intervals) = nullptr;
};
inline CheckHooks check_hooks; // set before the first kernel runs

} // namespace lockstep::compiler

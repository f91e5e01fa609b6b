// The border between checked machine code and the checker (src/runtime/check): what each access of a kernel that was
// compiled with CodeOptions::check tells.
//
// Code calls host_functions/check_calls.h, which pass on to whoever has set check_hooks. All of it is told before the
// access is made, but for atomics of kernels that synchronise by them: those are made by the checker itself, since an
// atomic and the clock of its object must change as one.
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
  copy_read, // by an async copy, from its call until somebody has waited for it
  copy_write,
  wait_for_copies,
  arrival, // at a barrier, copy or collective, of which it is not known that all work-items get there
  choice,   // between two that are not the same
  argument, // of a group operation; the value is where others have an address
  sub_group_argument,
  copy_event,       // of the async copy that is told of next, in the same way
  awaited_event,    // of the wait that comes
  packets_to_write, // a reservation in a pipe: nobody else has these packets from here on
  packets_to_read,
  packets_written, // a commit: it uses what others have written or read, as nobody of them may do so later
  packets_read,
  undefined_branch, // what an undefined value decides
  undefined_address,
  undefined_collective,
  undefined_store // one that was computed, to global memory
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
// As memory_scope of OpenCL C; `device` for atomics of OpenCL C 1.x and the SVM scope.
enum class CheckScope : uint32_t { work_item, sub_group, work_group, device };

constexpr bool acquires(CheckOrder order) {
  return order == CheckOrder::acquire || order >= CheckOrder::acq_rel;
}
constexpr bool releases(CheckOrder order) {
  return order == CheckOrder::release || order >= CheckOrder::acq_rel;
}

// In the order of llvm::AtomicRMWInst::BinOp.
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
  compare_and_swap
};
// Who else writes here, writes the same. Of a read: it is what a swap expects, which finds out if that was wrong. Of an
// atomic: all others here are atomics that it may meet, so it is not compared. Or it meets none of its launch at all, and is
// told of for other commands.
enum class SameValue : uint32_t {
  unknown,
  in_group,
  always,
  guess_of_swap,
  met_by_atomics,
  meets_none
};

// In what way memory was touched, as commands are compared by it. Atomically is also what a kernel does that synchronises.
enum class TouchWay : uint32_t { reads, writes, atomically_reads, atomically_writes };
// Of a plane of marks (CheckHooks::plane). The codes of one launch, of whole groups and of those at its edges, have the same ones.
struct TouchPlaneNumber {
  static constexpr uint32_t most_arguments = 32;
  static constexpr uint32_t end_of(std::size_t arguments) {
    return uint32_t(arguments < most_arguments ? arguments : most_arguments) * 8;
  }
  static constexpr uint32_t of(uint32_t argument, TouchWay way, uint32_t unit) {
    return argument * 8 + static_cast<uint32_t>(way) * 2 + (unit == 1);
  }
  static constexpr uint32_t argument_of(uint32_t number) { return number / 8; }
};

// A place of the source that accesses memory, in the data of the machine code (ir_to_workgroup/check/check_sites.cpp
// writes it by offset).
struct CheckSite {
  static constexpr int32_t no_argument = -1;
  uint32_t number; // the checker's, 0 at first
  uint32_t line, column;
  uint32_t size; // bytes
  AccessKind kind;
  CheckOrder order;   // of a fence or an atomic; of a compare-and-swap: if it succeeds
  CheckOrder failure; // of a compare-and-swap that does not
  CheckScope scope;
  uint32_t address_space;    // as in kernel IR
  AtomicOperation operation; // of an atomic update
  // Of a fence: 1 local, 2 global memory, as CLK_*_MEM_FENCE. Of an atomic: these if the kernel has fences, and whether it has
  // atomic stores that do not release all that another release does. Of a sub-group's barrier: not 0 if all of its lanes
  // have to get there.
  static constexpr uint32_t weak_stores = 4;
  uint32_t fences;
  int32_t argument; // of the kernel, by which it is reached
  SameValue same_value;
  // What the kernel has, beside barriers of its groups, that orders accesses.
  static constexpr uint32_t by_nothing_else = 0, by_sub_group_barriers = 1, by_atomics = 2,
                            by_narrow_atomics = 3, // by fences and atomics, not all for the device
      by_sub_group_atomics = 4;                    // nor for the work-group
  uint32_t synchronises;                           // the highest of them
  bool is_ordered_by_atomics() const { return synchronises >= by_atomics; }
  // Instead of the flags of a barrier; of a fence that is not for the device, with its scope.
  static constexpr unsigned relaxed_atomic = 8, narrow_fence = 16;
  // What it touches is marked by the code (touch_marks.h): commands need not be told.
  uint32_t is_marked;
  TouchWay touch_way() const {
    switch (kind) {
    case AccessKind::read:
    case AccessKind::copy_read:
      return is_ordered_by_atomics() ? TouchWay::atomically_reads : TouchWay::reads;
    case AccessKind::write:
    case AccessKind::copy_write:
      return is_ordered_by_atomics() ? TouchWay::atomically_writes : TouchWay::writes;
    case AccessKind::atomic_read:
      return TouchWay::atomically_reads;
    default:
      return TouchWay::atomically_writes;
    }
  }
  uint32_t
      member; // one more than at which byte of argument 0, a function object, the pointer stands; 0: it does not
  const char *file;
  const char *text; // of that line
  // Name of a variable; empty: not known. Of undefined values: names in quotes, "'#16'" for what is read by the pointer at byte 16
  // of the function object.
  const char *object;
  const char *
      barriers; // of the kernel, as "LINE:FLAGS;" each; relaxed atomics if it has no others, narrow fences
};
static_assert(offsetof(CheckSite, file) == 64 && sizeof(CheckSite) == 96);

// What a work-item has passed, each in some bits that begin anew when they are full: barriers with CLK_GLOBAL_MEM_FENCE,
// barriers with CLK_LOCAL_MEM_FENCE, calls of async copies, waits for them, fences between them, and barriers that are
// fences for the whole device as well. Only whether it is another number than before counts, so that as many as fit, passed with
// nothing told between, are none.
struct Intervals {
  static constexpr uint64_t global_step = 1, local_step = uint64_t(1) << 20,
                            copy_step = uint64_t(1) << 40, wait_step = uint64_t(1) << 48,
                            copy_fence_step = uint64_t(1) << 52, device_step = uint64_t(1) << 56;
  static constexpr uint64_t field = local_step - 1, // of the first two
      copy_field = (wait_step / copy_step) - 1, wait_field = (copy_fence_step / wait_step) - 1,
                            copy_fence_field = (device_step / copy_fence_step) - 1;
  // The highest bit of each but the last. A step adds to what is below, so that none is carried on from there: the next one's
  // would have been passed then.
  static constexpr uint64_t highest =
      (local_step | copy_step | wait_step | copy_fence_step | device_step) >> 1;
  static constexpr uint64_t after(uint64_t before, uint64_t step) {
    return ((before & ~highest) + step) ^ (before & highest);
  }
};

// What one side of a group copy touches, in bytes.
struct CopyShape {
  uint64_t row, rows, row_pitch, slices, slice_pitch;
  bool operator==(const CopyShape &) const = default;
};

// `stride` of the addresses of the lanes, in bytes; or this: `address` is of an array of addresses.
inline constexpr int64_t any_addresses = INT64_MIN;

// The work-item of lane l is `first_item` + l, by its linear local id; those of bits in `lanes` do it.
struct CheckHooks {
  void (*access)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
                 int64_t stride, uint64_t lanes, uint64_t first_item, uint64_t intervals) = nullptr;
  // Makes the access and returns what it read. For loads `lanes` may be several, which all read that.
  uint64_t (*atomic)(const LaunchInfo *, const GroupInfo *, CheckSite *, void *address,
                     uint64_t lanes, uint64_t first_item, uint64_t intervals, uint64_t operand,
                     uint64_t expected) = nullptr;
  void (*fence)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t lanes,
                uint64_t first_item, uint64_t intervals) = nullptr;
  void (*copy)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *address,
               const CopyShape &shape, uint64_t lanes, uint64_t first_item,
               uint64_t intervals) = nullptr;
  // `chosen`: those for whom the condition holds.
  void (*choice)(const LaunchInfo *, const GroupInfo *, CheckSite *, uint64_t chosen,
                 uint64_t lanes, uint64_t first_item, uint64_t intervals) = nullptr;
  // Where marks are put of what is touched from `origin` on, one for so many bytes as `unit`, 4 or 1, by its
  // number. Of 4: where that of `origin` is. Of 1: how far a mark is from what it is of. 0: nowhere.
  uint64_t (*plane)(const LaunchInfo *, uint32_t number, TouchWay way, uint32_t unit,
                    const void *origin) = nullptr;
  // What is done with `count` packets of a pipe (src/runtime/memory/pipe.h) from this ticket on.
  void (*packets)(const LaunchInfo *, const GroupInfo *, CheckSite *, const void *pipe,
                  uint64_t first, uint64_t count, uint64_t item, uint64_t intervals) = nullptr;
};
inline CheckHooks check_hooks; // set before the first kernel runs

} // namespace lockstep::compiler

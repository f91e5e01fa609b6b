// Assumptions (launch-time preconditions) of checked code: if they hold, the accesses without a
// check cannot conflict.
//
// The compiler records the assumptions (races/disjoint_accesses.h). Each launch verifies them
// (runtime/check/assumptions/assumptions.h). If one fails, the launch uses code that was compiled
// without it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::compiler {

// A number that the launch knows, or that differs between its work-items.
enum class LaunchNumber : uint32_t {
  argument, // a scalar argument of the kernel, by its index
  global_size,
  local_size, // as enqueued
  num_groups,
  global_offset,
  image,  // `index`: argument; the word at byte `shift` of its descriptor
  member, // a scalar at this byte of an argument that is a structure
  // The following differ between work-items; ids are by dimension.
  local_id,
  group_id,
  counter,  // iteration number of a loop: DistinctAddresses::counters
  quotient, // DistinctAddresses::divisions
};

struct LaunchAtom {
  LaunchNumber number = LaunchNumber::argument;
  uint32_t index = 0;          // argument, dimension, counter or division
  uint32_t shift = 0;          // the number is divided by two this many times
  uint32_t byte = 0, size = 0; // of a member
  bool differs() const { return number >= LaunchNumber::local_id; }
  auto operator<=>(const LaunchAtom &) const = default;
};

struct LaunchTerm {
  int64_t factor = 1;
  std::vector<LaunchAtom> atoms{}; // sorted
  bool operator==(const LaunchTerm &) const = default;
};
using LaunchSum = std::vector<LaunchTerm>;

// The sum fits: it equals the value that the kernel computes in `bits` bits.
struct FittingSum {
  LaunchSum sum{};
  int64_t bits = 64;
  bool is_signed = true;
  bool operator==(const FittingSum &) const = default;
};

// Integer division, rounded down; `x % y` is `x - y * (x / y)`. It equals the kernel's division if
// the dividend is not negative and fits in `bits` bits, and the divisor is not 0.
struct Division {
  LaunchSum dividend{}, divisor{};
  int64_t bits = 64;
  bool is_by_power_of_two = false; // `x & (y - 1)` is a remainder only then
  bool operator==(const Division &) const = default;
};

// A work-item that makes the accesses satisfies `sum` < `bound`. This holds only if `sum` equals
// the kernel's value, signed or unsigned as `is_signed` says; otherwise the guard says nothing.
struct Guard {
  LaunchSum sum{}, bound{};
  int64_t bits = 64;
  bool is_signed = true;
  std::vector<FittingSum> fitting{};
  bool operator==(const Guard &) const = default;
};

struct AccessAddress {
  LaunchSum offset{}; // bytes, in its argument or variable
  int64_t size = 0;
  bool operator==(const AccessAddress &) const = default;
};

// Assumes that no two work-items access the same byte.
struct DistinctAddresses {
  uint32_t number = 0;   // number of this assumption in the kernel
  int64_t argument = -1; // whose memory is accessed; -1: a variable
  std::vector<FittingSum> fitting{};
  bool is_of_one_item = false;       // one work-item of each group makes the accesses
  std::vector<LaunchSum> counters{}; // trip count of each loop; an empty sum: any number
  std::vector<int64_t> steps{};      // divisors of the counters, rounded down; empty: 1
  bool are_bounds = false;           // `counters` are upper bounds of the trip counts
  std::vector<AccessAddress> places{};
  std::vector<Division> divisions{}; // each after the divisions that it uses
  std::vector<Guard> guards{};       // of all places
  bool operator==(const DistinctAddresses &) const = default;
};

// Assumes that two async copies of a group access disjoint bytes of one memory. The second range
// begins `distance` bytes behind the first.
struct DisjointRanges {
  uint32_t number = 0; // number of this assumption in the kernel
  LaunchSum distance{}, first{}, second{};
  std::vector<FittingSum> fitting{};
};

// Accesses to global memory through one pointer: an argument, or a member of an argument that is a
// structure (a function object of SYCL).
struct ArgumentUse {
  int64_t argument = 0;
  bool writes = false;
  bool is_atomic = false; // all accesses are atomic, with device scope
  int64_t byte = -1;      // of the member; -1: the pointer is the argument
  uint32_t number = 0;    // number of this assumption; it fails if the range overlaps another
  // All accesses are between the first and the last of these places; none: anywhere in the memory.
  DistinctAddresses reach{};
};

// A condition, over launch parameters and work-item ids, under which an access executes.
struct AccessCondition {
  enum Kind : uint32_t { is_positive, is_zero, is_not_zero };
  Kind kind = is_positive;
  LaunchSum sum{};
  std::vector<FittingSum> fitting{}; // exactly: unsigned values must not be negative
  bool operator==(const AccessCondition &) const = default;
};

// A loop variable that has, over all work-items, each integer from the least start to the bound:
// `for (i = get_global_id(0); i < n; i += get_global_size(0))`. The launch verifies that the starts
// are contiguous, and at least as many as the step is long. A sum contains the variable as the atom
// `counter` with this number.
struct Sweep {
  uint32_t counter = 0;
  LaunchSum start{}, step{}, bound{}; // bound: the variable is less
  std::vector<FittingSum> fitting{};  // exactly
  bool operator==(const Sweep &) const = default;
};

// An entry of the must-access set. All work-items that satisfy the conditions access this address
// in each iteration of the loops, and this instruction accesses no other address. The code
// therefore has no footprint mark for it (races/must_accesses.h).
struct MustAccess {
  uint32_t number = 0;             // number in the kernel; entries of one pointer share it
  int64_t argument = 0, byte = -1; // as ArgumentUse
  uint32_t kind = 0;               // FootprintKind
  AccessAddress place{};
  std::vector<FittingSum> fitting{}, of_iterations{}; // exactly
  std::vector<LaunchSum>
      counters{}; // as DistinctAddresses; an empty sum: the loop is not counted here
  std::vector<int64_t> steps{};
  std::vector<AccessCondition> conditions{};
  std::vector<Sweep> sweeps{}; // their counters have an empty sum
  bool operator==(const MustAccess &) const = default;
};

// Assumes that an access of all work-items that satisfy the guards is within its memory, so the
// code does not compare it with the size.
struct InBoundsAccess {
  int64_t size = 0;           // size of a variable; 0: the launch knows the size of `argument`
  DistinctAddresses places{}; // sums must fit exactly; each counter covers all iterations
  bool operator==(const InBoundsAccess &) const = default;
};

struct Assumptions {
  std::vector<ArgumentUse> arguments{};
  // Also assumes that memory written through one argument does not overlap another.
  bool are_disjoint = false;
  std::vector<DistinctAddresses> unequal{};
  std::vector<DisjointRanges> ranges{};
  std::vector<MustAccess> must_accesses{}; // where commands are compared
  // Only where bounds are checked; numbered downward from the last number.
  std::vector<InBoundsAccess> in_bounds{};
  // Facts, not assumptions. `synchronizes`: the kernel has atomics or fences that order other
  // accesses. `uses_others`: it accesses global memory by addresses that are not arguments.
  bool synchronizes = false, uses_others = false;
  bool are_none() const {
    return arguments.empty() && unequal.empty() && ranges.empty() && must_accesses.empty() &&
           in_bounds.empty() && !synchronizes;
  }
};

// Each assumption has a number. Specialization has a bit for each number whose assumption fails.
inline constexpr uint32_t most_assumptions = 64;

// Serialized for the disk cache.
std::vector<int64_t> words_of(const Assumptions &assumptions);
Assumptions assumptions_of(std::span<const int64_t> words);

} // namespace lockstep::compiler

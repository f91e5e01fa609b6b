// What checked code supposes of a launch. If it holds, accesses that have no check cannot meet. The compiler writes it
// down (ir_to_workgroup/check/apart_accesses.h), the launch looks whether it is so (runtime/check/suppositions.h), and
// takes code that supposes nothing if it is not.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace lockstep::compiler {

// A number that the launch knows, or that differs between its work-items.
enum class LaunchNumber : uint32_t {
  argument, // of the kernel, a scalar: by its index
  global_size,
  local_size, // as enqueued
  num_groups,
  global_offset,
  image,  // `index`: argument; what is at byte `shift` of its descriptor
  member, // of an argument that is a structure: a scalar at this byte
  // From here on, by dimension, those that differ.
  local_id,
  group_id,
  counter,  // rounds of a loop: UnequalPlaces::counters
  quotient, // UnequalPlaces::divisions
};

struct LaunchAtom {
  LaunchNumber number = LaunchNumber::argument;
  uint32_t index = 0;          // argument, dimension, counter or division
  uint32_t shift = 0;          // it is divided by two so often
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

// The sum is the value that the kernel computes in so many bits.
struct FittingSum {
  LaunchSum sum{};
  int64_t bits = 64;
  bool is_signed = true;
  bool operator==(const FittingSum &) const = default;
};

// Whole numbers, rounded down; `x % y` is `x - y * (x / y)`. It stands for the kernel's if the dividend is not negative and
// has no more than so many bits, and the divisor is not 0.
struct Division {
  LaunchSum dividend{}, divisor{};
  int64_t bits = 64;
  bool is_by_power_of_two = false; // `x & (y - 1)` is a remainder only then
  bool operator==(const Division &) const = default;
};

// Who makes the accesses, has a sum below the bound; if the sum is the kernel's value, without a sign or with one. Else it
// says nothing.
struct Guard {
  LaunchSum sum{}, bound{};
  int64_t bits = 64;
  bool is_signed = true;
  std::vector<FittingSum> fitting{};
  bool operator==(const Guard &) const = default;
};

struct AccessPlace {
  LaunchSum offset{}; // bytes, in its argument or variable
  int64_t size = 0;
  bool operator==(const AccessPlace &) const = default;
};

// No two work-items are at the same byte.
struct UnequalPlaces {
  uint32_t number = 0;   // among those of the kernel
  int64_t argument = -1; // of which memory; -1: a variable
  std::vector<FittingSum> fitting{};
  bool is_of_one_item = false;       // of each group
  std::vector<LaunchSum> counters{}; // the rounds of each loop; without a term: any number
  std::vector<int64_t> steps{};      // by which each of these is divided, rounded down; none: by 1
  bool are_bounds = false;           // some may have fewer
  std::vector<AccessPlace> places{};
  std::vector<Division> divisions{}; // each after those that are in it
  std::vector<Guard> guards{};       // of all places
  bool operator==(const UnequalPlaces &) const = default;
};

// Bytes of two copies of a group, in one memory: the second begins so far behind the first.
struct ApartRanges {
  uint32_t number = 0; // among those of the kernel, UnequalPlaces included
  LaunchSum distance{}, first{}, second{};
  std::vector<FittingSum> fitting{};
};

// Of global memory, by one pointer: an argument, or a member of one that is a structure (a function object of SYCL).
struct ArgumentUse {
  int64_t argument = 0;
  bool writes = false;
  bool is_atomic = false; // all accesses are, for the whole device
  int64_t byte = -1;      // of the member; -1: it is the argument
  uint32_t number = 0;    // among those of the kernel: refused if it overlaps another
  UnequalPlaces
      reach{}; // all accesses lie from the first of these places to the last; none: anywhere in its memory
};

// By this, an access hangs on numbers of the launch and of its work-item.
struct TouchCondition {
  enum Kind : uint32_t { is_positive, is_zero, is_not_zero };
  Kind kind = is_positive;
  LaunchSum sum{};
  std::vector<FittingSum> fitting{}; // exactly: what has no sign is not negative either
  bool operator==(const TouchCondition &) const = default;
};

// All work-items that fulfil the conditions touch this place, in each round of the loops, and no other by this access. So there is no
// mark of it in the code (ir_to_workgroup/check/certain_touches.h).
struct CertainTouch {
  uint32_t number = 0;             // among those of the kernel; those of one pointer have the same
  int64_t argument = 0, byte = -1; // as ArgumentUse
  uint32_t way = 0;                // TouchWay
  AccessPlace place{};
  std::vector<FittingSum> fitting{}, of_rounds{}; // exactly
  std::vector<LaunchSum> counters{}; // as UnequalPlaces; without a term: not counted here
  std::vector<int64_t> steps{};
  std::vector<TouchCondition> conditions{};
  bool operator==(const CertainTouch &) const = default;
};

// An access of all work-items that fulfil the guards lies inside of its memory: there is no comparison with its size.
struct InsidePlaces {
  int64_t size = 0;       // of a variable; 0: of `argument`, as the launch has it
  UnequalPlaces places{}; // what must fit is exactly so; each counter is of all rounds
  bool operator==(const InsidePlaces &) const = default;
};

struct Suppositions {
  std::vector<ArgumentUse> arguments{};
  bool are_apart = false; // and what one of them writes is no other's
  std::vector<UnequalPlaces> unequal{};
  std::vector<ApartRanges> ranges{};
  std::vector<CertainTouch> touches{}; // where commands are looked at
  std::vector<InsidePlaces> inside{};  // where bounds are; numbered from the last number down
  // Told beside: it has atomics or fences that order others; it uses global memory by addresses that are no arguments.
  bool synchronises = false, uses_others = false;
  bool are_none() const {
    return arguments.empty() && unequal.empty() && ranges.empty() && touches.empty() &&
           inside.empty() && !synchronises;
  }
};

// Each has a number, of which a launch refuses some (Specialisation::refused_suppositions, by bits).
inline constexpr uint32_t most_suppositions = 64;

// As the cache keeps them.
std::vector<int64_t> words_of(const Suppositions &suppositions);
Suppositions suppositions_of(std::span<const int64_t> words);

} // namespace lockstep::compiler

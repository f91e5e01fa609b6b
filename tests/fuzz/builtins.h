// Table of builtin functions and of operators in forms that operations.h lacks. The generator, the
// printer and the interpreter all read it.
//
// Every row has exactly one right result. Where the specification leaves something open (the sign
// of a zero, the treatment of NaN), guards on the arguments or on the result hide it.
#pragma once

#include "value.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::fuzz {

// Input of one lane: the element of the base type, whether the operation is scalar, and the bits of
// the arguments.
struct Lane {
  Elem elem;
  bool scalar;
  uint64_t a, b, c;
};

// Transformation of an argument before the call. Each guard is a helper function of the printed
// program.
enum class Guard : uint8_t {
  none,
  finite,   // floats: |x| < 1e6
  nonzero,  // floats: finite, and 1 in place of 0
  tame,     // floats: finite, at most 99.75
  positive, // floats: tame, and not negative
  small,    // floats: an integer of at most 64 (halves: 8): a few products and sums are exact
  divisor,  // integers: neither 0 nor -1
  narrow,   // integers: 24 bits
  exponent, // int: -200 to 200
  opaque,   // any value; hides from clang that it is constant
};

struct Builtin {
  const char *name;
  // Result, then arguments. T: the base type; S: its element as a scalar; I, U: the signed and
  // unsigned integer of its size; J: int with as many lanes; j, u: scalar int, uint; L: a
  // comparison's result; B: int, a truth value; H: half as wide, same sign; h: the same, unsigned;
  // d: int or uint, with the signedness of T; x: T with the other signedness.
  const char *types;
  std::vector<Guard> guards; // of the arguments; arguments without an entry have no guard
  uint16_t domain;           // the permitted base types T: BaseDomain
  enum Form : uint8_t { call, infix, prefix, ternary, helper, field, guard } form;
  uint64_t (*lane)(const Lane &);
  // The result of a float function is cleaned (operations.h), or its zero gets the sign +.
  bool cleaned = false, plus_zero = false;
  // The result is the same when the compiler may assume that no NaN, infinity or -0 occurs.
  bool fast = false;
  enum Needs : uint8_t { nothing, opencl_3, bit_operations, dot_products } needs = nothing;
  Value (*whole)(Type result, std::span<const Value> arguments) = nullptr; // instead of `lane`
};

// Bits of the permitted base types T.
enum BaseDomain : uint16_t {
  narrow_integers = 1, // 8 and 16 bits
  int_32 = 2,
  long_64 = 4,
  float_32 = 8,
  float_64 = 16,
  signed_types = 32,   // only these
  unsigned_types = 64, // only these
  vector_types = 128,  // only these
  float_16 = 256,
};

const std::vector<Builtin> &builtins();

bool in_domain(const Builtin &builtin, Type base);
int builtin_number(std::string_view name); // of the first row with that name
// The type that a letter of `types` denotes for this base type; empty if no such type exists.
std::optional<Type> type_of(char letter, Type base);
// The builtins that return `result`, by number, and the base types with which they do so.
struct Choice {
  int builtin;
  std::vector<Type> bases;
};
const std::vector<Choice> &choices(Type result);

Value evaluate_builtin(const Builtin &builtin, Type base, Type result,
                       std::span<const Value> arguments);
constexpr double largest_small(Elem e) {
  return e == Elem::f16 ? 8 : 64;
}
uint64_t guarded(Guard guard, Elem elem, uint64_t v);
// The guard that keeps a conversion in range.
Guard conversion_guard(Elem from, Elem to, bool saturate);

} // namespace lockstep::fuzz

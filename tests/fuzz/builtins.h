// Builtin functions, and operators in forms that operations.h does not have: a table of what the
// generator, the printer and the interpreter need. All have exactly one right result; where the
// specification leaves something open (the sign of a zero, what happens to NaN), the arguments or
// the result are guarded so that it cannot be seen.
#pragma once

#include "value.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::fuzz {

// One lane: the base type's element, whether all is scalar, and the bits of the arguments.
struct Lane {
  Elem elem;
  bool scalar;
  uint64_t a, b, c;
};

// How an argument is made before the function sees it; each is a helper of the printed program.
enum class Guard : uint8_t {
  none,
  finite,   // floats: |x| < 1e6
  nonzero,  // floats: finite, and 1 instead of 0
  tame,     // floats: finite, at most 99.75
  positive, // floats: tame, and not negative
  small,    // floats: an integer of at most 64 (halves: 8): a few products and sums are exact
  divisor,  // integers: neither 0 nor -1
  narrow,   // integers: 24 bits
  exponent, // int: -200 to 200
  opaque,   // anything, of which clang does not know that it is constant
};

struct Builtin {
  const char *name;
  // Result, then arguments. T: the base type; S: its element as a scalar; I, U: the signed and
  // unsigned integer of its size; J: int, as many; j, u: int, uint, one; L: a comparison's result;
  // B: int, a truth value; H: half as wide, same sign; h: the same, unsigned; d: int or uint, as T
  // is; x: T with the other sign.
  const char *types;
  std::vector<Guard> guards; // of the arguments; missing ones are none
  uint16_t domain;           // of T
  enum Form : uint8_t { call, infix, prefix, ternary, helper, field, guard } form;
  uint64_t (*lane)(const Lane &);
  // The result of a float function is cleaned, or its zero gets the sign +.
  bool cleaned = false, plus_zero = false;
  // Means the same when the compiler may assume that there is no NaN, infinity or -0.
  bool fast = false;
  enum Needs : uint8_t { nothing, opencl_3, bit_operations, dot_products } needs = nothing;
  Value (*whole)(Type result, std::span<const Value> arguments) = nullptr; // instead of `lane`
};

// Of T; bits.
enum BaseDomain : uint16_t {
  narrow_integers = 1, // 8 and 16 bits
  int_32 = 2,
  long_64 = 4,
  float_32 = 8,
  float_64 = 16,
  signed_types = 32,   // only
  unsigned_types = 64, // only
  vector_types = 128,  // only
  float_16 = 256,
};

const std::vector<Builtin> &builtins();

bool in_domain(const Builtin &builtin, Type base);
int builtin_number(std::string_view name); // the first of that name
// The type that a letter of `types` stands for; none if there is no such type.
std::optional<Type> type_of(char letter, Type base);
// The builtins that give `result`, by number, and the base types with which they do.
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
// What keeps a conversion in range.
Guard conversion_guard(Elem from, Elem to, bool saturate);

} // namespace lockstep::fuzz

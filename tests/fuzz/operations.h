// Table of the operations of expressions. Each row has the data that the generator, the printer and
// the interpreter need.
#pragma once

#include "value.h"

#include <span>

namespace lockstep::fuzz {

// In the order of the table in operations.cpp.
enum class Op : uint8_t {
  add,
  subtract,
  multiply,
  bit_and,
  bit_or,
  bit_xor,
  shift_left,
  shift_right,
  divide, // by (b & 63) + 1, so never by 0 and never INT_MIN / -1
  modulo,
  guarded_divide, // unsigned scalars: b == 0 ? a : a / b
  negate,
  bit_not,
  less,
  less_equal,
  equal,
  not_equal, // scalar: 0 or 1 as int; vector: 0 or -1 as the signed integer of that size
  logical_and,
  logical_or,
  logical_not, // scalars, int
  min,
  max,
  add_sat,
  sub_sat,
  hadd,
  rhadd,
  abs,
  abs_diff,
  mul_hi,
  rotate,
  clz,
  popcount,
  clamp, // between the smaller and the larger of two values
  bitselect,
  select, // vectors: the sign bit of c chooses b over a
  fma,
  fabs,
  floor,
  ceil,
  trunc,
  rint,
  copysign,
  clean, // floats: x if |x| < 1e6, else 1 (also for NaN)
  any,
  all, // vectors of signed integers -> int
};
inline constexpr int op_count = int(Op::all) + 1;

enum Domain : uint8_t {
  integers = 1,
  floats = 2,
  unsigned_only = 4,
  scalars_only = 8,
  vectors_only = 16
};

enum class ResultOf : uint8_t { operand, comparison, unsigned_form, scalar_int };

struct OpInfo {
  Op op;
  const char *text; // the operator's or function's name
  uint8_t arity;
  uint8_t domain;
  ResultOf result;
  bool infix;
};

const OpInfo &info(Op op);

// The result type of `op` on operands of this type (`select`: the type of the values, not of the
// mask).
Type result_type(Op op, Type operand);

// All operands have the same type, including the counts of shifts and rotates. The only exception
// is the mask of `select`.
Value evaluate(Op op, Type result, std::span<const Value> operands);

// The bits of a NaN are unspecified, so floats are cleaned before their bits become visible.
uint64_t clean(Elem elem, uint64_t v);

enum class AtomicOp : uint8_t { add, min, max, bit_and, bit_or, bit_xor };
inline constexpr int atomic_op_count = 6;
const char *name(AtomicOp op); // "add", "min", ..., "xor"
uint64_t apply(AtomicOp op, Elem elem, uint64_t old, uint64_t operand);

} // namespace lockstep::fuzz

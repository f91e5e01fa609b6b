// All numbers by which the compiler decides whether to transform code. No other file of
// src/compiler defines one (scripts/check/thresholds.py): a pass derives its limits from these,
// from the target model, or asks cost_model.h.
//
// Change a number here only with measurements: benchmarks/compile_time/compare_code.py lists the
// kernels whose machine code changes, and benchmarks/cliffs/cliffs.py the optimizations that stop.
#pragma once

#include <cstdint>

namespace lockstep::compiler {

// Sizes.
namespace limits {

// Operations that a recursive search follows back from a value. Such a search visits a value once
// for each path to it, so its time doubles with each operation.
inline constexpr unsigned search_depth = 8;
// Values, blocks or accesses that a linear search visits. Typical kernels need a handful.
inline constexpr unsigned search_steps = 64;
// Terms of a sum. No address that a person has written has as many.
inline constexpr unsigned sum_terms = 16;
// Accesses, addresses or barriers of a kernel that are compared in pairs.
inline constexpr unsigned compared_accesses = 256;
// Uniform branches whose edges a proof looks at separately: up to 2^3 proofs. A loop that ends at
// one barrier has one.
inline constexpr unsigned decided_branches = 3;

// Instructions of straight code, or of a loop, whose values still fit in registers after the code
// is duplicated. A region of fewer instructions is not worth a loop or a call of its own.
inline constexpr unsigned small_code = 128;
// Instructions of code after it is repeated. Compile time grows faster than linearly beyond.
inline constexpr unsigned repeated_code = 1024;
// How many times as large code may become where the transformation saves a pass through memory.
inline constexpr unsigned code_growth = 4;
// Vector instructions of a function that LLVM compiles in three seconds on a slow machine (Xeon,
// 2.3 GHz).
inline constexpr uint64_t code_in_seconds = 30'000;
// Lanes for which code is repeated, rather than a loop over lanes emitted.
inline constexpr unsigned lanes_in_line = 16;
// Words that are copied one by one, rather than in a loop.
inline constexpr unsigned words_in_line = 32;
// Instructions that cost about as much as storing a value and loading it again.
inline constexpr unsigned recomputed_code = 8;

// Chains of multiply-adds that hide the latency of each other: 4 cycles, in two units.
inline constexpr unsigned chains_at_once = 8;
// Elements per lane of one wide access. With more, a gather is cheaper.
inline constexpr unsigned elements_per_lane = 8;
// Cache lines in a row that are read as fast as a linear walk through memory.
inline constexpr unsigned linear_lines = 16;
// Instructions of IR in which the processor looks ahead. In a histogram's loop, about two of them
// are one machine instruction, and up to some 500 machine instructions are in flight.
inline constexpr unsigned instructions_in_flight = 256;
// Instructions of IR until memory responds: 300 to 400 cycles of two machine instructions each.
inline constexpr unsigned memory_latency = 2000;
// Iterations by which a prefetch is ahead of its load.
inline constexpr unsigned prefetches_ahead = 8;

} // namespace limits

// Costs in cycles, as far as LLVM's TargetTransformInfo does not know them (cost_model.h).
namespace costs {

// Several instructions execute at a time.
inline constexpr double scalar_instruction = 0.5, vector_instruction = 1;
// One lane of a gather or scatter. On Zen 5, an element takes two to three cycles, and about as
// long where the processor has no gather. TargetTransformInfo says 18 cycles for 16 lanes.
inline constexpr double gathered_lane = 2;
// A jump that the processor does not predict. TargetTransformInfo assumes that it predicts all.
inline constexpr double mispredicted_jump = 20;
// A test whether any lane is active, with a branch.
inline constexpr double lane_test = 3;
// One element of a math function that is a call.
inline constexpr double math_call = 20;
// An estimate that is not exact decides only if it differs by this factor.
inline constexpr double margin = 1.25;

} // namespace costs

} // namespace lockstep::compiler

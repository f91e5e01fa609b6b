// The options that control how kernels are compiled to machine code, besides the kernel and its
// Specialization.
//
// Callers pass the options explicitly; no pass and no later stage reads the environment. One
// process may use two sets of options at once: two targets, or kernels with and without a check.
// Cache keys include every field (add_to_key), and a new field does not compile until it is added
// there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

class CacheKeyBuilder;

// The processor that code is generated for.
struct TargetInfo {
  std::string cpu;                 // LLVM's name, e.g. "znver5"
  std::string features;            // "+avx2,-sse4a,...", as LLVM writes them; may be empty
  uint32_t vector_bits = 128;      // widest profitable vector register
  uint32_t vector_registers = 16;  // of that width
  bool fused_multiply_add = false; // of float and double
  bool half_arithmetic = false;
  bool operator==(const TargetInfo &) const = default;
};

// LOCKSTEP_FORM, how kernels are compiled:
//   - `by_waits`: kernels that wait are coroutines, per work-group where possible.
//   - `sub_groups`: kernels that wait are coroutines per sub-group.
//   - `looped`, `resumable`: all kernels have the loop form, or are coroutines per sub-group.
//   - `groups`, for tests: all kernels are coroutines, per work-group where possible, and suspend
//     before each barrier.
enum class WantedForm : uint32_t { by_waits, looped, resumable, sub_groups, groups };

struct CodeOptions {
  TargetInfo target;
  bool lanes = true; // whether work-items are packed into lanes
  uint32_t sub_group_size =
      // For kernels that do not require a size: 1, 2, 4, ... 64. 0: the compiler chooses.
      0;
  WantedForm form = WantedForm::by_waits;
  uint64_t inline_limit = 40'000; // instructions; larger kernels keep out-of-line functions
  // Limit of the estimated code generation work (target_model/code_cost.h). A kernel above it gets
  // fewer lanes. The limit is about five seconds on a slow machine (Xeon, 2.3 GHz), twice what
  // other kernels of 20,000 lines of IR need.
  uint64_t code_limit = 200'000'000;
  // Limit of instructions in all barrier regions together. A kernel above it is suspended at its
  // barriers (regions/limit_regions.cpp).
  uint64_t region_limit = 15'000;
  bool check = false; // accesses are reported to the checker (check_abi.h)
  bool check_strictly =
      // Follow the letter of the specification where the check is lenient by default
      // (record_scopes.h).
      false;
  bool check_races = true;      // with `check`: compare accesses of different work-items
  bool check_commands = false;  // with `check`: report every access to global memory
  bool check_memory = false;    // accesses are checked to be in bounds (memory_check_abi.h)
  bool check_undefined = false; // undefined values are tracked (memory_check_abi.h)
  bool verify = false;          // verify kernel IR between the stages
  bool debugger = false;        // for gdb: as written, each work-item on a stack of its own
  bool operator==(const CodeOptions &) const = default;

  bool is_checked() const { return check || check_memory || check_undefined; }

  // The sizes that reqd_sub_group_size may require.
  std::vector<uint32_t> sub_group_sizes() const;

  // The initial size for a kernel. `required`: the value of reqd_sub_group_size, 0 if not given.
  uint32_t preferred_sub_group_size(uint32_t required) const;
};

void add_to_key(CacheKeyBuilder &key, const CodeOptions &options);

// The options for this machine and the environment (docs/environment.md): LOCKSTEP_CPU,
// LOCKSTEP_LANES, LOCKSTEP_SUB_GROUP_SIZE, LOCKSTEP_FORM, LOCKSTEP_INLINE_LIMIT,
// LOCKSTEP_CODE_LIMIT, LOCKSTEP_REGION_LIMIT, LOCKSTEP_CHECK and LOCKSTEP_VERIFY. The first call
// reads them.
const CodeOptions &code_options_of_process();

} // namespace lockstep::compiler

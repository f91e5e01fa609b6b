// How kernels become machine code: the one value that decides it, beside the kernel and its Specialisation.
//
// Whoever compiles passes it along; no pass and no later stage asks the environment. Two values may be in use at once in
// one process (two targets, or kernels with and without a check), and cache keys are derived from the whole of it
// (add_to_key), so a field that is added here cannot be forgotten there.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

class CacheKeyBuilder;

// The processor that code is made for.
struct TargetInfo {
  std::string cpu;            // LLVM's name, e.g. "znver5"
  std::string features;       // "+avx2,-sse4a,...", as LLVM writes them; may be empty
  uint32_t vector_bits = 128; // widest profitable vector register
  bool operator==(const TargetInfo &) const = default;
};

// LOCKSTEP_FORM: kernels that wait are resumable, by groups where that is enough, or always by
// sub-groups; or all kernels have one form. `groups` is for tests: all kernels are resumable, by
// groups where they can be, and these stop before each barrier.
enum class WantedForm : uint32_t { by_waits, looped, resumable, sub_groups, groups };

struct CodeOptions {
  TargetInfo target;
  bool lanes = true; // whether work-items are packed into lanes at all
  uint32_t sub_group_size =
      0; // of kernels that require none: 1, 2, 4, ... 64; 0: the compiler chooses
  WantedForm form = WantedForm::by_waits;
  uint64_t inline_limit = 40'000; // instructions up to which all functions become one
  // Work of the code generator's (workgroup_to_code/cpu/code_cost.h) above which a kernel gets fewer lanes. About five
  // seconds on a slow machine (Xeon, 2.3 GHz): twice what other kernels of 20,000 lines of IR need.
  uint64_t code_limit = 200'000'000;
  // Instructions in all barrier regions together above which a kernel is suspended at its barriers (barriers/limit_regions.h).
  uint64_t region_limit = 15'000;
  bool check = false; // accesses tell the checker (check_abi.h)
  bool check_strictly =
      false; // by the letter of the specification, also where the check is milder (note_scopes.h)
  bool check_races = true;      // ...by which work-items are compared with each other
  bool check_commands = false;  // of each access to global memory, also of those that meet no other
  bool check_memory = false;    // accesses keep within bounds (memory_check_abi.h)
  bool check_undefined = false; // undefined values are followed (memory_check_abi.h)
  bool verify = false;          // check the contract of kernel IR between the stages
  bool operator==(const CodeOptions &) const = default;

  bool is_checked() const { return check || check_memory || check_undefined; }

  // What reqd_sub_group_size may ask for.
  std::vector<uint32_t> sub_group_sizes() const;

  // The size that a kernel starts from; `required`: of reqd_sub_group_size, 0 if not given.
  uint32_t preferred_sub_group_size(uint32_t required) const;
};

void add_to_key(CacheKeyBuilder &key, const CodeOptions &options);

// This machine, and what LOCKSTEP_CPU, LOCKSTEP_LANES, LOCKSTEP_SUB_GROUP_SIZE, LOCKSTEP_FORM,
// LOCKSTEP_INLINE_LIMIT, LOCKSTEP_CODE_LIMIT,
// LOCKSTEP_REGION_LIMIT, LOCKSTEP_CHECK and LOCKSTEP_VERIFY said when it was first asked for (docs/environment.md).
const CodeOptions &code_options_of_process();

} // namespace lockstep::compiler

// The fallbacks of compilation: what changes if a kernel has to be compiled again.
//
// Each row of fallbacks() says when it applies, what it changes, and which remark it leaves. After
// an attempt, the first row that applies gives the settings of the next one. The attempt is final if
// no row applies. Each row lowers a number that no row raises, or is used once; so attempts end.
#pragma once

#include "compiler/options/code_options.h"
#include "kernel_ir/specialization.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace lockstep::compiler {

struct CompileSettings {
  Specialization specialization;
  CodeOptions options;
  bool lanes_alone = false; // WorkGroupOptions::lanes_alone
};

// What is known after an attempt. The code generator runs only if no fallback applies before it.
struct CompileOutcome {
  uint32_t lanes = 0;        // sub-group size of the code
  bool size_is_free = false; // the kernel cannot observe its sub-group size
  bool is_too_large = false; // the code generator would take too long (code_cost.h)
  uint64_t stack_size = 0;   // bytes
  std::array<uint32_t, 3> groups_at_once = single_group;
  std::string crash{}; // the code generator's error; empty: it has not crashed
};

struct Fallback {
  std::string_view name;
  bool (*applies)(const CompileSettings &tried, const CompileOutcome &outcome);
  // `start`: the settings of the first attempt.
  CompileSettings (*change)(const CompileSettings &start, const CompileSettings &tried,
                            const CompileOutcome &outcome);
  std::string (*remark)(const CompileSettings &tried, const CompileSettings &next,
                        const CompileOutcome &outcome);
};

std::span<const Fallback> fallbacks();

// The first fallback that applies; null: none does.
const Fallback *find_fallback(const CompileSettings &tried, const CompileOutcome &outcome);

} // namespace lockstep::compiler

#include "driver/fallbacks.h"

#include "compiler/options/target.h"
#include "kernel_ir/limits.h"

#include <algorithm>
#include <fmt/format.h>

namespace lockstep::compiler {

namespace {

// A kernel that cannot observe its sub-groups gets fewer lanes: first as many as a vector register
// of the machine has, then one, where branches need no masks.
bool needs_fewer_lanes(const CompileSettings &tried, const CompileOutcome &outcome) {
  return outcome.is_too_large && outcome.lanes > 1 && !tried.lanes_alone && outcome.size_is_free;
}

CompileSettings with_fewer_lanes(const CompileSettings &, const CompileSettings &tried,
                                 const CompileOutcome &outcome) {
  const uint32_t natural = tried.options.target.vector_bits / 32;
  CompileSettings next = tried;
  next.options.sub_group_size = outcome.lanes > natural ? natural : 1;
  return next;
}

std::string fewer_lanes_remark(const CompileSettings &, const CompileSettings &next,
                               const CompileOutcome &outcome) {
  return fmt::format("lanes: lowered from {} to {}: machine code for so many would take too long "
                     "to generate",
                     outcome.lanes, next.options.sub_group_size);
}

// Another kernel keeps its sub-group size. Its lanes are serialized where it cannot observe that.
bool needs_serial_lanes(const CompileSettings &tried, const CompileOutcome &outcome) {
  return outcome.is_too_large && outcome.lanes > 1 && !tried.lanes_alone && !outcome.size_is_free;
}

CompileSettings with_serial_lanes(const CompileSettings &, const CompileSettings &tried,
                                  const CompileOutcome &) {
  CompileSettings next = tried;
  next.lanes_alone = true;
  return next;
}

std::string serial_lanes_remark(const CompileSettings &, const CompileSettings &,
                                const CompileOutcome &outcome) {
  return fmt::format("lanes: {} serialized where possible: machine code for all at once would "
                     "take too long to generate",
                     outcome.lanes);
}

// LLVM's code generator fails with "Cannot select" and the like for some valid code, most often
// with a processor's widest vectors (prepare_code/workarounds/llvm22/ has the known cases). The
// kernel keeps its number of lanes: the program may have queried it. Crashes are not hidden while
// the contract is verified, because that mode looks for faults of the compiler.
bool needs_narrower_vectors(const CompileSettings &tried, const CompileOutcome &outcome) {
  return !outcome.crash.empty() && !tried.options.verify && narrower_target(tried.options.target);
}

CompileSettings with_narrower_vectors(const CompileSettings &, const CompileSettings &tried,
                                      const CompileOutcome &outcome) {
  CompileSettings next = tried;
  next.options.target = *narrower_target(tried.options.target);
  next.options.sub_group_size = outcome.lanes;
  return next;
}

std::string narrower_vectors_remark(const CompileSettings &tried, const CompileSettings &next,
                                    const CompileOutcome &outcome) {
  return fmt::format("code: made for vectors of {} bits, not {}: {}",
                     next.options.target.vector_bits, tried.options.target.vector_bits,
                     outcome.crash.substr(0, outcome.crash.find('\n')));
}

// A call that runs one work-group needs less stack. Compilation starts over: a single group may
// not need the other fallbacks, and queries of sub-group sizes are answered for a single group.
bool needs_one_group(const CompileSettings &tried, const CompileOutcome &outcome) {
  return outcome.stack_size > max_stack_size && outcome.groups_at_once != single_group &&
         tried.specialization.neighbors != single_group;
}

CompileSettings with_one_group(const CompileSettings &start, const CompileSettings &,
                               const CompileOutcome &) {
  CompileSettings next = start;
  next.specialization.neighbors = single_group;
  return next;
}

std::string one_group_remark(const CompileSettings &, const CompileSettings &,
                             const CompileOutcome &outcome) {
  const auto &groups = outcome.groups_at_once;
  return fmt::format("work-groups: one in each call, not {}x{}x{}: those would need {} bytes of "
                     "stack",
                     groups[0], groups[1], groups[2], outcome.stack_size);
}

constexpr Fallback rows[] = {
    {"fewer lanes", needs_fewer_lanes, with_fewer_lanes, fewer_lanes_remark},
    {"serial lanes", needs_serial_lanes, with_serial_lanes, serial_lanes_remark},
    {"narrower vectors", needs_narrower_vectors, with_narrower_vectors, narrower_vectors_remark},
    {"one work-group", needs_one_group, with_one_group, one_group_remark},
};

} // namespace

std::span<const Fallback> fallbacks() {
  return rows;
}

const Fallback *find_fallback(const CompileSettings &tried, const CompileOutcome &outcome) {
  const auto *found =
      std::ranges::find_if(rows, [&](const Fallback &row) { return row.applies(tried, outcome); });
  return found == std::end(rows) ? nullptr : found;
}

} // namespace lockstep::compiler

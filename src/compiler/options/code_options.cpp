#include "compiler/options/code_options.h"

#include "abi/check_abi.h"
#include "compiler/options/target.h"
#include "platform/linux/foreign_call.h"
#include "platform/linux/leaked.h"
#include "process/disk_cache.h"
#include "support/check_kinds.h"
#include "support/environment.h"
#include "support/message.h"

#include <bit>
#include <cstdio>
#include <optional>

namespace lockstep::compiler {

namespace {

uint32_t requested_sub_group_size() {
  const long long requested = environment_number("SUB_GROUP_SIZE").value_or(0);
  if (requested >= 1 && requested <= 64 && std::has_single_bit(static_cast<uint64_t>(requested)))
    return static_cast<uint32_t>(requested);
  if (requested != 0)
    print_message("LOCKSTEP_SUB_GROUP_SIZE=%lld is none of 1, 2, 4, 8, 16, 32, 64; using "
                  "the machine's size",
                  requested);
  return 0;
}

WantedForm requested_form() {
  const std::string form = environment("FORM").value_or("auto");
  if (form == "resumable")
    return WantedForm::resumable;
  if (form == "looped")
    return WantedForm::looped;
  if (form == "sub-groups")
    return WantedForm::sub_groups;
  if (form == "groups")
    return WantedForm::groups;
  if (form != "auto")
    print_message("LOCKSTEP_FORM=%s is none of auto, looped, resumable, sub-groups, "
                  "groups; using auto",
                  form.c_str());
  return WantedForm::by_waits;
}

uint64_t limit(std::optional<long long> requested, uint64_t otherwise) {
  return requested && *requested >= 0 ? static_cast<uint64_t>(*requested) : otherwise;
}

// Nothing can be compiled if LLVM cannot be used any more. The device still answers queries.
TargetInfo requested_target() {
  return as_foreign_call([] { return find_target(environment("CPU")); }, TargetInfo());
}

CodeOptions read_environment() {
#ifdef NDEBUG
  constexpr int verify_by_default = 0;
#else
  constexpr int verify_by_default = 1;
#endif
  const CheckKinds check = check_kinds();
  const bool debugger = environment_number("DEBUGGER").value_or(0) != 0;
  return {.target = requested_target(),
          .lanes = !debugger && environment_number("LANES").value_or(1) != 0,
          .sub_group_size = requested_sub_group_size(),
          .form = debugger ? WantedForm::resumable : requested_form(),
          .inline_limit = limit(environment_number("INLINE_LIMIT"), CodeOptions{}.inline_limit),
          .code_limit = limit(environment_number("CODE_LIMIT"), CodeOptions{}.code_limit),
          .region_limit = limit(environment_number("REGION_LIMIT"), CodeOptions{}.region_limit),
          .check = check.need_accesses(),
          .check_strictly = check.strictly,
          .check_races = !check.need_accesses() || check.races,
          .check_commands = check.commands,
          .check_memory = check.memory,
          .check_undefined = check.undefined,
          .verify = environment_number("VERIFY").value_or(verify_by_default) != 0,
          .debugger = debugger};
}

} // namespace

std::vector<uint32_t> CodeOptions::sub_group_sizes() const {
  if (target.cpu.starts_with("sm_")) // an NVIDIA GPU: its sub-groups are warps
    return {32};
  return lanes ? std::vector<uint32_t>{1, 2, 4, 8, 16, 32, 64} : std::vector<uint32_t>{1};
}

uint32_t CodeOptions::preferred_sub_group_size(uint32_t required) const {
  if (required != 0)
    return required;
  if (!lanes)
    return 1;
  return sub_group_size != 0 ? sub_group_size : target.vector_bits / 32;
}

void add_to_key(CacheKeyBuilder &key, const CodeOptions &options) {
  // The structured binding must name every field, so a new field does not compile until it is added
  // here.
  const auto &[target, lanes, sub_group_size, form, inline_limit, code_limit, region_limit, check,
               check_strictly, check_races, check_commands, check_memory, check_undefined, verify,
               debugger] = options;
  // The other members follow from these.
  const auto &[cpu, features, vector_bits, vector_registers, fused_multiply_add, half_arithmetic] =
      target;
  key.add(cpu).add(features).add(vector_bits);
  key.add(lanes)
      .add(sub_group_size)
      .add(static_cast<uint32_t>(form))
      .add(inline_limit)
      .add(code_limit)
      .add(region_limit)
      .add(check)
      .add(check_strictly)
      .add(check_races)
      .add(check_commands)
      .add(check_memory)
      .add(check_undefined)
      .add(verify)
      .add(debugger);
  // Checked code depends on the layout of CheckSite.
  if (options.is_checked())
    key.add(sizeof(CheckSite));
}

const CodeOptions &code_options_of_process() {
  return leaked([] { return read_environment(); });
}

} // namespace lockstep::compiler

#include "driver/ahead_of_time.h"

#include "compiler/options/target.h"
#include "driver/compile_kernel.h"
#include "driver/finished_code.h"
#include "platform/linux/leaked.h"
#include "process/build_id.h"
#include "process/crash_guard.h"
#include "support/environment.h"
#include "support/fields.h"
#include "support/message.h"

#include <algorithm>
#include <fmt/format.h>
#include <tuple>

namespace lockstep::compiler {

static void visit_fields(auto &visit, FieldsOf<TargetInfo> auto &target) {
  visit(target.cpu, target.features, target.vector_bits, target.vector_registers,
        target.fused_multiply_add, target.half_arithmetic);
}
static void visit_fields(auto &visit, FieldsOf<SharedVariable> auto &variable) {
  visit(variable.name, variable.size);
}
static void visit_fields(auto &visit, FieldsOf<ObjectEntry> auto &entry) {
  visit(entry.facts, entry.object);
}
static void visit_fields(auto &visit, FieldsOf<FinishedKernel> auto &kernel) {
  visit(kernel.kernel, kernel.specialization, kernel.code);
}
static void visit_fields(auto &visit, FieldsOf<FinishedCode> auto &code) {
  visit(code.target, code.variables_object, code.variables, code.kernels);
}

namespace {

// Everything that a process reads before it decides for one part.
struct Archive {
  std::string build; // build_id()
  std::vector<TargetInfo> targets;
  std::vector<std::string> codes; // FinishedCode as bytes, by target
};
void visit_fields(auto &visit, FieldsOf<Archive> auto &archive) {
  visit(archive.build, archive.targets, archive.codes);
}

// All options but the target must be the default. Verification does not change code.
bool are_default(CodeOptions options) {
  options.target = {};
  options.verify = false;
  return options == CodeOptions{};
}

Result<TargetInfo> target_of(const std::string &processor) {
  if (processor == "native")
    return find_target({});
  if (!is_processor(processor))
    return Error{ErrorKind::invalid_argument,
                 fmt::format("'{}' is not a processor of this machine's architecture that LLVM "
                             "knows; give a name such as x86-64-v3 or znver4, or native",
                             processor)};
  return find_target(processor);
}

// Compiles a kernel for the launches that a program is expected to make.
class KernelVariants {
public:
  KernelVariants(const KernelModule &program, const KernelInfo &kernel, const CodeOptions &options,
                 FinishedCode &to)
      : program_(program), kernel_(kernel), options_(options), to_(to) {}

  Result<void> compile(const std::vector<std::array<uint32_t, 3>> &sizes) {
    if (kernel_.reqd_work_group_size[0])
      return compile_for(kernel_.reqd_work_group_size);
    LOCKSTEP_TRY(compile_for({0, 0, 0}));
    for (const auto &size : sizes)
      LOCKSTEP_TRY(compile_for(size));
    return {};
  }

private:
  // One group at a time, and as many as a large launch lets the compiler run in one call.
  Result<void> compile_for(const std::array<uint32_t, 3> &size) {
    Specialization wanted{size};
    auto single = add(wanted);
    LOCKSTEP_TRY(single);
    if (size[0] == 0)
      return {};
    constexpr uint32_t most = 8, widest_row = 256; // as KernelLaunch::neighbors()
    wanted.neighbors = {std::bit_floor(std::max(widest_row / size[0], 1u)), size[1] == 1 ? most : 1,
                        size[2] == 1 ? most : 1};
    if (size[1] * size[2] == 1)
      LOCKSTEP_TRY(add(wanted));
    return {};
  }

  // Launches with few work-items do not privatize reductions.
  Result<void> add(Specialization wanted) {
    auto code = compile_to_object(program_, kernel_, wanted, options_);
    LOCKSTEP_TRY(code);
    if (wanted.neighbors != single_group && code->facts.groups_at_once == single_group)
      return {}; // the code for single groups serves
    const bool privatizes = !code->facts.privatized_reductions.empty();
    to_.kernels.push_back({kernel_.name, wanted, std::move(*code)});
    if (!privatizes)
      return {};
    wanted.unprivatized_arguments = all_copies;
    return add(std::move(wanted));
  }

  const KernelModule &program_;
  const KernelInfo &kernel_;
  const CodeOptions &options_;
  FinishedCode &to_;
};

Result<FinishedCode> compile_for(const KernelModule &program, const CodeOptions &options,
                                 const std::vector<std::array<uint32_t, 3>> &sizes,
                                 std::vector<std::string> &notes) {
  FinishedCode code;
  code.target = options.target;
  if (program.global_variable_size != 0) {
    auto variables = guarded_result("compiling program-scope variables",
                                    [&] { return object_of_variables(program, options.target); });
    LOCKSTEP_TRY(variables);
    code.variables_object = std::move(variables->bytes);
    code.variables = std::move(variables->variables);
  }
  for (const auto *list : {&program.kernels, &program.blocks})
    for (const KernelInfo &kernel : *list) {
      auto done = KernelVariants(program, kernel, options, code).compile(sizes);
      if (!done)
        notes.push_back(fmt::format("kernel '{}' has no machine code for {}: {}", kernel.name,
                                    options.target.cpu, done.error().message));
    }
  return code;
}

} // namespace

Result<std::string> compile_ahead_of_time(const KernelModule &program,
                                          const AheadOfTimeRequest &request,
                                          std::vector<std::string> &notes) {
  CodeOptions options = code_options_of_process();
  if (!are_default(options))
    return Error{
        ErrorKind::invalid_argument,
        "code is made ahead of time with the default options only: unset LOCKSTEP_CHECK, "
        "LOCKSTEP_DEBUGGER and the variables of the compiler (LOCKSTEP_FORM, LOCKSTEP_LANES, "
        "LOCKSTEP_SUB_GROUP_SIZE and limits)"};
  std::vector<std::array<uint32_t, 3>> sizes = request.local_sizes;
  if (sizes.empty())
    sizes.assign(std::begin(usual_local_sizes), std::end(usual_local_sizes));
  Archive archive;
  archive.build = build_id();
  for (const std::string &processor : request.processors) {
    auto target = target_of(processor);
    LOCKSTEP_TRY(target);
    if (std::ranges::find(archive.targets, *target) != archive.targets.end())
      continue;
    options.target = *target;
    auto code = compile_for(program, options, sizes, notes);
    LOCKSTEP_TRY(code);
    archive.targets.push_back(std::move(*target));
    archive.codes.push_back(bytes_of_fields(*code));
  }
  return bytes_of_fields(archive);
}

AheadOfTimeUse ahead_of_time_use() {
  return leaked([] {
    const std::string use = environment("AOT").value_or("1");
    if (use == "0")
      return AheadOfTimeUse::ignore;
    if (use == "only")
      return AheadOfTimeUse::only;
    if (use != "1")
      print_message("LOCKSTEP_AOT=%s is none of 0, 1, only; using 1", use.c_str());
    return AheadOfTimeUse::use;
  });
}

// ---- which code serves

bool FinishedKernel::serves(const Specialization &wanted) const {
  const auto &offered = specialization;
  if (offered.local_size != wanted.local_size && offered.local_size[0] != 0)
    return false;
  for (int d = 0; d < 3; ++d)
    if (wanted.neighbors[d] % std::max(1u, code.facts.groups_at_once[d]) != 0)
      return false;
  for (const PrivatizedReduction &reduction : code.facts.privatized_reductions)
    if (wanted.unprivatized_arguments >> reduction.bit() & 1)
      return false;
  // Code without the formats of images reads them when it runs.
  return wanted.local_arguments.empty() && wanted.failed_assumptions == 0 &&
         wanted.defined_arguments == 0 && wanted.defined_members == 0 && !wanted.groups_in_rows;
}

const FinishedKernel *FinishedCode::find(std::string_view kernel,
                                         const Specialization &wanted) const {
  const auto value = [](const FinishedKernel &code) {
    const auto &groups = code.code.facts.groups_at_once;
    return std::tuple(code.specialization.local_size[0] != 0, groups[0] * groups[1] * groups[2],
                      !code.code.facts.privatized_reductions.empty());
  };
  const FinishedKernel *best = nullptr;
  for (const FinishedKernel &one : kernels)
    if (one.kernel == kernel && one.serves(wanted) && (!best || value(one) > value(*best)))
      best = &one;
  return best;
}

std::shared_ptr<const FinishedCode>
read_ahead_of_time(std::string_view machine_code, const CodeOptions &options, std::string &reason) {
  if (machine_code.empty())
    return nullptr;
  const auto none = [&](std::string because) {
    reason = std::move(because);
    return nullptr;
  };
  if (ahead_of_time_use() == AheadOfTimeUse::ignore)
    return none("LOCKSTEP_AOT is 0");
  if (!are_default(options))
    return none("the process does not compile with the default options (a check, a debugger, or "
                "variables of the compiler)");
  ByteReader reader(machine_code);
  Archive archive;
  get_fields(reader, archive);
  if (reader.failed() || !reader.at_end() || archive.targets.size() != archive.codes.size())
    return none("it is damaged");
  if (build_id().empty() || archive.build != build_id())
    return none("another build of Lockstep made it");
  const std::string *best = nullptr;
  std::tuple<bool, std::size_t> best_value;
  std::string names;
  for (std::size_t i = 0; i < archive.targets.size(); ++i) {
    const TargetInfo &target = archive.targets[i];
    names += (names.empty() ? "" : ", ") + target.cpu;
    if (!runs_on(target, options.target))
      continue;
    const std::tuple value(target.cpu == options.target.cpu, count_extensions(target));
    if (!best || value > best_value)
      std::tie(best, best_value) = std::tuple(&archive.codes[i], value);
  }
  if (!best)
    return none(fmt::format("{} does not have all instructions of the processors that it is for "
                            "({})",
                            options.target.cpu, names));
  auto code = std::make_shared<FinishedCode>();
  ByteReader part(*best);
  get_fields(part, *code);
  if (part.failed() || !part.at_end())
    return none("it is damaged");
  return code;
}

} // namespace lockstep::compiler

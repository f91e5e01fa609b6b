// Build, compile and link (OpenCL 3.0 API sections 5.8.4 and 5.8.5).
//
// All three validate the arguments and mark the state of each device as in progress, which prevents
// a second build and new kernels. Then they do the work, in the calling thread or, with a
// pfn_notify, in another one, and store the results. The front end's result serves all devices with
// the same features. Each device makes its own program of it, because code and program-scope
// variables are per device.
#include "api/opencl/background.h"
#include "api/opencl/debugged_source.h"
#include "api/opencl/device.h"
#include "api/opencl/entry_points.h"
#include "api/opencl/error.h"
#include "api/opencl/host_memory_features.h"
#include "api/opencl/program.h"
#include "front_ends/common/check_program_binary.h"

#include <algorithm>
#include <functional>
#include <map>
#include <span>
#include <sstream>

namespace lockstep::opencl {
namespace {

using BuildNotify = void(CL_CALLBACK *)(cl_program, void *);
using ObjectPointer = std::shared_ptr<const compiler::ObjectModule>;
using KernelsPointer = std::shared_ptr<const compiler::KernelModule>;

// The names and error codes in which the three functions differ.
struct Kind {
  const char *function;
  cl_int invalid_options;
  cl_int build_failure;
};
constexpr Kind build_kind = {"clBuildProgram", CL_INVALID_BUILD_OPTIONS, CL_BUILD_PROGRAM_FAILURE};
constexpr Kind compile_kind = {"clCompileProgram", CL_INVALID_COMPILER_OPTIONS,
                               CL_COMPILE_PROGRAM_FAILURE};
constexpr Kind link_kind = {"clLinkProgram", CL_INVALID_LINKER_OPTIONS, CL_LINK_PROGRAM_FAILURE};

// The result of the work for one device, or the first error.
struct Outcome {
  Failure failure;
  std::string log;
  ObjectPointer object;
  KernelsPointer kernels;
  std::vector<std::shared_ptr<runtime::Kernel>> codes; // one for each kernel; made last
  std::shared_ptr<const runtime::BlockKernels> blocks;
};

struct Job {
  const Kind *kind;
  Ref<_cl_program> program;
  std::vector<size_t> indices; // into program->devices
  // Does the work for one index. The result may be shared by several indices.
  std::function<Outcome(size_t index)> work;
  // False if the options are invalid. Then the work only reports that, and runs during the call: a
  // build may continue after the call only if it can begin (section 5.8.4).
  bool can_begin = true;
};

Outcome failed_outcome(const Kind &kind, const Error &error, std::string log) {
  Outcome outcome;
  switch (error.kind) {
  case ErrorKind::invalid_argument:
    outcome.failure.code = kind.invalid_options;
    break;
  case ErrorKind::out_of_host_memory:
    outcome.failure.code = CL_OUT_OF_HOST_MEMORY;
    break;
  case ErrorKind::invalid_binary:
    outcome.failure.code = CL_INVALID_BINARY;
    break;
  default:
    outcome.failure.code = kind.build_failure;
  }
  outcome.failure.sentence = error.message + " (section 5.8)";
  // The log must state the reason even if the compiler printed nothing.
  const bool is_logged =
      error.kind == ErrorKind::build_failure || error.kind == ErrorKind::invalid_binary;
  if (log.empty() || !is_logged)
    log += error.message + "\n";
  outcome.log = std::move(log);
  return outcome;
}

// The structure of IL was checked when the program was created, so a module that is not valid fails
// the build.
Error il_error(Error error) {
  if (error.kind == ErrorKind::invalid_binary)
    error.kind = ErrorKind::build_failure;
  return error;
}

// Creates the objects that hold the device's code. The code itself is generated at launch.
Result<void> make_codes(const runtime::Device &device, Outcome &to) {
  auto program = device.make_program(to.kernels);
  if (!program)
    return program.take_error();
  auto make = [&](const compiler::KernelInfo &info) {
    return (*program)->make_kernel(std::shared_ptr<const compiler::KernelInfo>(to.kernels, &info));
  };
  for (const compiler::KernelInfo &info : to.kernels->kernels)
    to.codes.push_back(make(info));
  runtime::BlockKernels blocks;
  for (const compiler::KernelInfo &info : to.kernels->blocks)
    blocks.push_back(make(info));
  to.blocks = std::make_shared<const runtime::BlockKernels>(std::move(blocks));
  return {};
}

// Runs everything that can fail, for one device.
Outcome work_out(const Job &job, size_t index) {
  try {
    Outcome outcome = job.work(index);
    if (outcome.failure || !outcome.kernels)
      return outcome;
    auto made = make_codes(*job.program->devices[index]->device, outcome);
    if (!made)
      return failed_outcome(*job.kind, made.error(), std::move(outcome.log));
    return outcome;
  } catch (const std::exception &) { // out of memory or of threads
    Outcome outcome;
    outcome.failure = {CL_OUT_OF_HOST_MEMORY,
                       "the host has no memory left for the compiler (section 5.8)"};
    return outcome;
  }
}

// Only moves, so it cannot fail and leave a state "in progress".
void publish(_cl_program &program, size_t index, Outcome &&outcome) noexcept {
  std::lock_guard lock(program.mutex);
  DeviceProgram &state = program.states[index];
  state.log = std::move(outcome.log);
  state.status = outcome.failure ? CL_BUILD_ERROR : CL_BUILD_SUCCESS;
  if (outcome.failure)
    return;
  state.object = std::move(outcome.object);
  state.kernels = std::move(outcome.kernels);
  state.codes = std::move(outcome.codes);
  state.blocks = std::move(outcome.blocks);
}

Failure run(const Job &job) {
  Failure first;
  for (size_t index : job.indices) {
    Outcome outcome = work_out(job, index);
    if (outcome.failure && !first)
      first = std::exchange(outcome.failure, {outcome.failure.code, {}});
    publish(*job.program, index, std::move(outcome));
  }
  return first;
}

Check check_notify(BuildNotify pfn_notify, void *user_data) {
  if (!pfn_notify && user_data)
    return failure(CL_INVALID_VALUE, "pfn_notify is null but user_data is not (section 5.8)");
  return {};
}

// Marks the devices as being built, unless a rule forbids a build now. Drops earlier build results,
// but keeps loaded binaries, because later builds start from them.
Check begin(_cl_program &program, std::span<const size_t> indices, const std::string &options) {
  std::lock_guard lock(program.mutex);
  if (program.attached_kernels)
    return failure(CL_INVALID_OPERATION,
                   "program has {} kernel objects attached to it (section 5.8)",
                   program.attached_kernels);
  for (size_t index : indices)
    if (program.states[index].status == CL_BUILD_IN_PROGRESS)
      return failure(CL_INVALID_OPERATION,
                     "an earlier build of program has not ended (section 5.8)");
  for (size_t index : indices)
    program.states[index].options = options; // may throw; no state is marked yet
  const bool from_binary = program.origin == _cl_program::Origin::binary;
  for (size_t index : indices) {
    DeviceProgram &state = program.states[index];
    state.status = CL_BUILD_IN_PROGRESS;
    state.log.clear();
    state.kernels = nullptr;
    state.codes.clear();
    state.blocks = nullptr;
    if (!from_binary) {
      state.object = nullptr;
      state.binary.clear();
    }
  }
  return {};
}

// Marks builds as failed that have no outcome because there was no memory for it.
void give_up(_cl_program &program, std::span<const size_t> indices) noexcept {
  std::lock_guard lock(program.mutex);
  for (size_t index : indices)
    if (program.states[index].status == CL_BUILD_IN_PROGRESS)
      program.states[index].status = CL_BUILD_ERROR;
}

void run_and_notify(const Job &job, BuildNotify pfn_notify, void *user_data) {
  try {
    if (Failure broken = run(job))
      job.program->context->notify(fmt::format("{}: {}", job.kind->function, broken.sentence));
  } catch (const std::exception &) {
    give_up(*job.program, job.indices);
  }
  pfn_notify(job.program.get(), user_data);
}

// Begins the job and runs it in the calling thread, or in the background if there is a pfn_notify
// and the job can begin.
Failure start(Job job, const std::string &options, BuildNotify pfn_notify, void *user_data) {
  const Ref<_cl_program> program = job.program;
  const std::vector<size_t> indices = job.indices;
  if (Check broken = begin(*program, indices, options))
    return broken;
  try {
    if (!pfn_notify || !job.can_begin)
      return run(job);
    run_in_background([job = std::move(job), pfn_notify, user_data] {
      run_and_notify(job, pfn_notify, user_data);
    });
    return {};
  } catch (const std::exception &) {
    give_up(*program, indices);
    throw;
  }
}

std::vector<size_t> indices_of(const _cl_program &program,
                               const std::vector<cl_device_id> &devices) {
  std::vector<size_t> indices;
  for (cl_device_id device : devices) {
    size_t index = *program.find_device(device);
    if (std::ranges::find(indices, index) == indices.end())
      indices.push_back(index);
  }
  return indices;
}

// ---- clBuildProgram

Outcome build_source(const std::string &source, const std::string &options,
                     const compiler::AbsentFeatures &absent) {
  Outcome outcome;
  auto built = compiler::build_opencl_c(debugged_source(source), debugged_options(options),
                                        outcome.log, absent);
  if (!built)
    return failed_outcome(build_kind, built.error(), std::move(outcome.log));
  outcome.kernels = std::make_shared<compiler::KernelModule>(std::move(*built));
  return outcome;
}

std::vector<compiler::SpecConstant> spec_values(const _cl_program &program) {
  std::lock_guard lock(program.mutex);
  return program.spec_values;
}

Outcome build_il(const std::string &il, const std::vector<compiler::SpecConstant> &constants,
                 const std::string &options) {
  Outcome outcome;
  auto built = compiler::build_spirv(il, constants, options, outcome.log);
  if (!built)
    return failed_outcome(build_kind, il_error(built.take_error()), std::move(outcome.log));
  outcome.kernels = std::make_shared<compiler::KernelModule>(std::move(*built));
  return outcome;
}

// Runs `work` once and returns its result for every index.
std::function<Outcome(size_t)> same_for_all(std::function<Outcome()> work) {
  return [work = std::move(work), result = std::shared_ptr<Outcome>()](size_t) mutable {
    if (!result)
      result = std::make_shared<Outcome>(work());
    return *result;
  };
}

// Runs `work` once for all devices that lack the same features.
std::function<Outcome(size_t)>
same_by_features(Ref<_cl_program> program,
                 std::function<Outcome(const compiler::AbsentFeatures &)> work) {
  using Results = std::map<compiler::AbsentFeatures, Outcome>;
  return [program = std::move(program), work = std::move(work),
          results = std::make_shared<Results>()](size_t index) {
    compiler::AbsentFeatures absent = absent_features(*program->devices[index]);
    auto known = results->find(absent);
    if (known == results->end())
      known = results->emplace(absent, work(absent)).first;
    return known->second;
  };
}

// An executable binary is only checked, not built. Its code is made like that of any other
// executable.
Outcome take_loaded(const _cl_program &program, size_t index) {
  Outcome outcome;
  auto loaded = program.state(index).loaded;
  if (auto checked = compiler::check_program_binary(*loaded, outcome.log); !checked)
    return failed_outcome(build_kind, checked.error(), std::move(outcome.log));
  outcome.kernels = std::move(loaded);
  return outcome;
}

Check check_binaries(const _cl_program &program, std::span<const size_t> indices) {
  for (size_t index : indices)
    if (!program.state(index).loaded)
      return failure(CL_INVALID_BINARY,
                     "the binary for device {} of program is not an executable but {}, which "
                     "clLinkProgram links (section "
                     "5.8.4)",
                     index,
                     program.state(index).binary_type() == CL_PROGRAM_BINARY_TYPE_LIBRARY
                         ? "a library"
                         : "an object");
  return {};
}

// ---- clCompileProgram

struct Headers {
  cl_uint count;
  const cl_program *programs;
  const char **names;
};

Check read_headers(const _cl_program &program, const Headers &given,
                   std::vector<compiler::EmbeddedHeader> &headers) {
  if ((given.count == 0) != (given.programs == nullptr) ||
      (given.count == 0) != (given.names == nullptr))
    return failure(CL_INVALID_VALUE,
                   "num_input_headers is {}, input_headers is {}null and header_include_names is "
                   "{}null (section 5.8.5)",
                   given.count, given.programs ? "not " : "", given.names ? "not " : "");
  for (cl_uint i = 0; i < given.count; ++i) {
    if (!is_valid(given.programs[i]) || given.programs[i]->origin != _cl_program::Origin::source)
      return failure(CL_INVALID_PROGRAM,
                     "input_headers[{}] is not a valid program with source (section 5.8.5)", i);
    if (given.programs[i]->context.get() != program.context.get())
      return failure(CL_INVALID_CONTEXT,
                     "input_headers[{}] is of another context than program (section 5.8.5)", i);
    if (!given.names[i])
      return failure(CL_INVALID_VALUE, "header_include_names[{}] is null (section 5.8.5)", i);
    headers.push_back({given.names[i], given.programs[i]->source});
  }
  return {};
}

Outcome compile_source(const std::string &source, const std::string &options,
                       const std::vector<compiler::EmbeddedHeader> &headers,
                       const compiler::AbsentFeatures &absent) {
  Outcome outcome;
  auto compiled = compiler::compile_opencl_c(debugged_source(source), debugged_options(options),
                                             headers, outcome.log, absent);
  if (!compiled)
    return failed_outcome(compile_kind, compiled.error(), std::move(outcome.log));
  outcome.object = std::make_shared<compiler::ObjectModule>(std::move(*compiled));
  return outcome;
}

Outcome compile_il(const std::string &il, const std::vector<compiler::SpecConstant> &constants,
                   const std::string &options) {
  Outcome outcome;
  auto compiled = compiler::compile_spirv(il, constants, options, outcome.log);
  if (!compiled)
    return failed_outcome(compile_kind, il_error(compiled.take_error()), std::move(outcome.log));
  outcome.object = std::make_shared<compiler::ObjectModule>(std::move(*compiled));
  return outcome;
}

// ---- clLinkProgram

using Inputs = std::vector<ObjectPointer>;

Outcome link(const Inputs &inputs, const std::string &options) {
  std::vector<const compiler::ObjectModule *> modules;
  for (const ObjectPointer &input : inputs)
    modules.push_back(input.get());
  Outcome outcome;
  std::istringstream words(options);
  const bool library = std::find(std::istream_iterator<std::string>(words), {},
                                 "-create-library") != std::istream_iterator<std::string>();
  if (library) {
    auto linked = compiler::link_library(modules, options, outcome.log);
    if (!linked)
      return failed_outcome(link_kind, linked.error(), std::move(outcome.log));
    outcome.object = std::make_shared<compiler::ObjectModule>(std::move(*linked));
  } else {
    auto linked = compiler::link_program(modules, options, outcome.log);
    if (!linked)
      return failed_outcome(link_kind, linked.error(), std::move(outcome.log));
    outcome.kernels = std::make_shared<compiler::KernelModule>(std::move(*linked));
  }
  return outcome;
}

Check check_inputs(cl_context context, cl_uint count, const cl_program *programs) {
  if (count == 0 || !programs)
    return failure(CL_INVALID_VALUE, "{} (section 5.8.5)",
                   count ? "input_programs is null" : "num_input_programs is 0");
  for (cl_uint i = 0; i < count; ++i) {
    if (!is_valid(programs[i]))
      return failure(CL_INVALID_PROGRAM,
                     "input_programs[{}] is not a valid program (section 5.8.5)", i);
    if (programs[i]->context.get() != context)
      return failure(CL_INVALID_CONTEXT, "input_programs[{}] is of another context (section 5.8.5)",
                     i);
  }
  return {};
}

// Collects the objects to link for one device; none if no program has an object for it.
Check read_inputs(cl_device_id device, std::span<const cl_program> programs, Inputs &inputs) {
  for (size_t i = 0; i < programs.size(); ++i) {
    const DeviceProgram state = programs[i]->state_for(device).value_or(DeviceProgram());
    if (state.status == CL_BUILD_IN_PROGRESS)
      return failure(CL_INVALID_OPERATION,
                     "a build of input_programs[{}] has not ended (section 5.8.5)", i);
    if (state.object)
      inputs.push_back(state.object);
  }
  if (!inputs.empty() && inputs.size() < programs.size())
    return failure(CL_INVALID_OPERATION,
                   "{} of {} input_programs have a compiled object or library for a device, but "
                   "all or none must "
                   "(section 5.8.5)",
                   inputs.size(), programs.size());
  return {};
}

// Links for each device, but equal inputs only once.
std::function<Outcome(size_t)> link_work(std::vector<Inputs> inputs, std::string options) {
  return [inputs = std::move(inputs), options = std::move(options),
          done = std::make_shared<std::map<Inputs, Outcome>>()](size_t index) {
    auto [entry, is_new] = done->try_emplace(inputs[index]);
    if (is_new)
      entry->second = link(inputs[index], options);
    return entry->second;
  };
}

} // namespace

cl_int clBuildProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                      const char *options, BuildNotify pfn_notify, void *user_data) {
  EntryPoint api("clBuildProgram");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.4)");
  api.report_to(program->context.get());
  std::vector<cl_device_id> devices;
  if (Check broken =
          read_device_list(num_devices, device_list, program->devices, "section 5.8.4", devices))
    return api.fail(broken);
  if (Check broken = check_notify(pfn_notify, user_data))
    return api.fail(broken);
  if (program->origin == _cl_program::Origin::linked)
    return api.fail(CL_INVALID_OPERATION,
                    "program was made by clLinkProgram, so it has no source (section 5.8.4)");
  const bool from_binary = program->origin == _cl_program::Origin::binary;
  Job job{&build_kind, Ref(program), indices_of(*program, devices), {}};
  if (from_binary)
    if (Check broken = check_binaries(*program, job.indices))
      return api.fail(broken);
  std::string option_text = options ? options : "";
  if (from_binary && !options)
    option_text = program->state(job.indices.front()).loaded->build_options;
  if (from_binary) {
    job.work = [program](size_t index) { return take_loaded(*program, index); };
  } else if (program->origin == _cl_program::Origin::il) {
    job.can_begin = bool(compiler::check_il_options(option_text));
    job.work = same_for_all([program, option_text, constants = spec_values(*program)] {
      return build_il(program->il, constants, option_text);
    });
  } else {
    job.can_begin = bool(compiler::check_compile_options(option_text));
    job.work = same_by_features(Ref(program), [program, option_text](const auto &absent) {
      return build_source(program->source, option_text, absent);
    });
  }
  if (Failure broken = start(std::move(job), option_text, pfn_notify, user_data))
    return api.fail(broken);
  return api.success();
}

cl_int clCompileProgram(cl_program program, cl_uint num_devices, const cl_device_id *device_list,
                        const char *options, cl_uint num_input_headers,
                        const cl_program *input_headers, const char **header_include_names,
                        BuildNotify pfn_notify, void *user_data) {
  EntryPoint api("clCompileProgram");
  if (!is_valid(program))
    return api.fail(CL_INVALID_PROGRAM, "program is not a valid program (section 5.8.5)");
  api.report_to(program->context.get());
  std::vector<cl_device_id> devices;
  if (Check broken =
          read_device_list(num_devices, device_list, program->devices, "section 5.8.5", devices))
    return api.fail(broken);
  const bool from_il = program->origin == _cl_program::Origin::il;
  std::vector<compiler::EmbeddedHeader> headers;
  if (!from_il) // which ignores the headers
    if (Check broken = read_headers(
            *program, {num_input_headers, input_headers, header_include_names}, headers))
      return api.fail(broken);
  if (Check broken = check_notify(pfn_notify, user_data))
    return api.fail(broken);
  if (!from_il && program->origin != _cl_program::Origin::source)
    return api.fail(CL_INVALID_OPERATION,
                    "program was made neither by clCreateProgramWithSource nor by "
                    "clCreateProgramWithIL (section 5.8.5)");
  std::string option_text = options ? options : "";
  Job job{&compile_kind, Ref(program), indices_of(*program, devices), {}};
  if (from_il) {
    job.can_begin = bool(compiler::check_il_options(option_text));
    job.work = same_for_all([program, option_text, constants = spec_values(*program)] {
      return compile_il(program->il, constants, option_text);
    });
  } else {
    job.can_begin = bool(compiler::check_compile_options(option_text));
    job.work = same_by_features(
        Ref(program), [program, option_text, headers = std::move(headers)](const auto &absent) {
          return compile_source(program->source, option_text, headers, absent);
        });
  }
  if (Failure broken = start(std::move(job), option_text, pfn_notify, user_data))
    return api.fail(broken);
  return api.success();
}

cl_program clLinkProgram(cl_context context, cl_uint num_devices, const cl_device_id *device_list,
                         const char *options, cl_uint num_input_programs,
                         const cl_program *input_programs, BuildNotify pfn_notify, void *user_data,
                         cl_int *errcode_ret) {
  EntryPoint api("clLinkProgram", errcode_ret);
  if (!is_valid(context))
    return api.fail(CL_INVALID_CONTEXT, "context is not a valid context (section 5.8.5)");
  api.report_to(context);
  std::vector<cl_device_id> all, devices;
  for (const auto &device : context->devices)
    all.push_back(device.get());
  if (Check broken = read_device_list(num_devices, device_list, all, "section 5.8.5", devices))
    return api.fail(broken);
  if (Check broken = check_inputs(context, num_input_programs, input_programs))
    return api.fail(broken);
  if (Check broken = check_notify(pfn_notify, user_data))
    return api.fail(broken);
  std::vector<size_t> linked_indices;
  std::vector<Inputs> inputs(devices.size());
  for (size_t i = 0; i < devices.size(); ++i) {
    if (Check broken = read_inputs(devices[i], {input_programs, num_input_programs}, inputs[i]))
      return api.fail(broken);
    if (!inputs[i].empty())
      linked_indices.push_back(i);
  }
  std::string option_text = options ? options : "";
  auto *program =
      create_object<_cl_program>(context, std::move(devices), _cl_program::Origin::linked);
  Job job{&link_kind, Ref(program), std::move(linked_indices),
          link_work(std::move(inputs), option_text),
          bool(compiler::check_link_options(option_text))};
  Failure broken = start(std::move(job), option_text, pfn_notify, user_data);
  if (broken.code == CL_LINK_PROGRAM_FAILURE) {
    // Returns the program although the link failed, because the program holds the log.
    api.fail(broken);
    return program;
  }
  if (broken) {
    drop_use(program);
    return api.fail(broken);
  }
  return api.success(program);
}

} // namespace lockstep::opencl

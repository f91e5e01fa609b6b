// lockstep compile: compiles a file of OpenCL C or SPIR-V and shows any stage of the compilation.
// Never uses the cache.
#include "kernel_ir/limits.h"
#include "tools/lockstep/argument.h"
#include "tools/lockstep/library.h"
#include "tools/lockstep/subcommand.h"
#include "tools/lockstep/terminal.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <bit>
#include <ctime>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <memory>
#include <unistd.h>

namespace lockstep::cli {
namespace {

using compiler::KernelModule;

struct CompileOptions {
  std::string file;
  std::string kernel;
  std::string build_options;
  std::vector<std::string> local_sizes;
  std::string neighbors;
  std::vector<std::string> processors; // not empty: machine code in a binary
  std::string stage;
  std::string device = "cpu";
  std::string emit = "asm";
  std::string output;
  bool emits_what_was_named = false; // true if --emit, --stage or -o was given
  bool list_stages = false;
  bool list_kernels = false;
  bool remarks = false;
  bool times = false;
};

struct StageTime {
  std::string name;
  bool changed;
  double milliseconds;
};

// Measures processor time, so other load on the machine does not count.
double milliseconds_of_processor() {
  return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

Error wrong(std::string sentence) {
  return {ErrorKind::invalid_argument, std::move(sentence)};
}

// The library does not know the name of the file.
std::string with_file_name(std::string log, const std::string &file) {
  constexpr std::string_view in_memory = "error: program.spv:";
  if (log.starts_with(in_memory))
    log.replace(0, in_memory.size(), fmt::format("error: {}:", file));
  constexpr std::string_view source = "<source>:"; // OpenCL C
  for (std::size_t at = log.find(source); at != log.npos; at = log.find(source, at + file.size()))
    if (at == 0 || log[at - 1] == '\n' || log[at - 1] == ' ')
      log.replace(at, source.size() - 1, file);
  return log;
}

Result<KernelModule> build(const Inspection &library, const CompileOptions &options) {
  auto source = read_file(options.file);
  if (!source)
    return source.take_error();
  std::string log;
  std::string_view text(reinterpret_cast<const char *>(source->data()), source->size());
  auto module = compiler::is_spirv(text) ? library.build_spirv(text, {}, options.build_options, log)
                                         : library.build_opencl_c(text, options.build_options, log);
  log = with_file_name(std::move(log), options.file);
  if (!log.empty())
    fmt::print(stderr, "{}{}", log, log.ends_with('\n') ? "" : "\n");
  if (!module && (module.error().kind == ErrorKind::build_failure || !log.empty()))
    return Error{module.error().kind, fmt::format("{} does not compile", options.file)};
  return module;
}

std::vector<std::string> kernel_names(const KernelModule &module) {
  std::vector<std::string> names;
  for (const compiler::KernelInfo &kernel : module.kernels)
    names.push_back(kernel.name);
  return names;
}

Result<std::string> choose_kernel(const KernelModule &module, const CompileOptions &options) {
  std::vector<std::string> names = kernel_names(module);
  if (names.empty())
    return wrong(fmt::format("{} has no kernel", options.file));
  if (options.kernel.empty() && names.size() == 1)
    return names.front();
  if (options.kernel.empty())
    return wrong(fmt::format("{} has several kernels; choose one with -k: {}", options.file,
                             fmt::join(names, ", ")));
  const auto is_it = [&](const compiler::KernelInfo &block) {
    return block.name == options.kernel;
  };
  if (std::any_of(module.blocks.begin(), module.blocks.end(), is_it))
    return options.kernel; // a block kernel, which only other kernels enqueue
  if (std::find(names.begin(), names.end(), options.kernel) == names.end())
    return wrong(fmt::format("{} has no kernel '{}'; it has: {}", options.file, options.kernel,
                             fmt::join(names, ", ")));
  return options.kernel;
}

Result<std::array<uint32_t, 3>> parse_sizes(const char *option, const std::string &text) {
  std::vector<std::string> sizes = split(text, ',');
  if (sizes.size() > 3)
    return wrong(fmt::format("{} {}: at most three dimensions", option, text));
  std::array<uint32_t, 3> parsed = {1, 1, 1};
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto size = parse_count(sizes[i], "size");
    if (!size)
      return wrong(fmt::format("{} {}: {}", option, text, size.error().message));
    if (*size == 0 || *size > compiler::max_work_group_size)
      return wrong(
          fmt::format("{} {}: a size is 1 to {}", option, text, compiler::max_work_group_size));
    parsed[i] = static_cast<uint32_t>(*size);
  }
  return parsed;
}

Result<std::array<uint32_t, 3>> parse_local_size(const std::string &text) {
  return parse_sizes("--local-size", text);
}

Result<std::array<uint32_t, 3>> parse_neighbors(const std::string &text) {
  auto counts = parse_sizes("--neighbors", text);
  if (counts && !std::all_of(counts->begin(), counts->end(), std::has_single_bit<uint32_t>))
    return wrong(fmt::format("--neighbors {}: a number of work-groups is a power of two", text));
  return counts;
}

Result<compiler::Specialization> specialization_of(const CompileOptions &options) {
  compiler::Specialization specialization;
  if (options.local_sizes.size() > 1)
    return wrong("several --local-size are for a binary with --processors");
  if (options.local_sizes.empty() && !options.neighbors.empty())
    return wrong("--neighbors needs a --local-size");
  if (options.local_sizes.empty())
    return specialization;
  if (!options.neighbors.empty()) {
    auto neighbors = parse_neighbors(options.neighbors);
    LOCKSTEP_TRY(neighbors);
    specialization.neighbors = *neighbors;
  }
  auto size = parse_local_size(options.local_sizes.front());
  if (!size)
    return size.take_error();
  specialization.local_size = *size;
  specialization.has_no_offset = options.device == "cpu"; // as most launches
  return specialization;
}

// A binary with machine code for the processors of the command line.
Result<void> add_machine_code(const Inspection &library, const CompileOptions &options,
                              KernelModule &module) {
  if (options.processors.empty())
    return {};
  compiler::AheadOfTimeRequest request{.processors = options.processors, .local_sizes = {}};
  for (const std::string &text : options.local_sizes) {
    auto size = parse_local_size(text);
    if (!size)
      return size.take_error();
    request.local_sizes.push_back(*size);
  }
  Progress progress;
  progress.show(fmt::format("compiling for {}", fmt::join(options.processors, ", ")));
  std::vector<std::string> notes;
  auto code = library.compile_ahead_of_time(module, request, notes);
  progress.clear();
  for (const std::string &note : notes)
    fmt::print(stderr, "lockstep: note: {}\n", note);
  if (!code)
    return code.take_error();
  module.machine_code = std::move(*code);
  return {};
}

// --processors is for binaries only.
Result<void> choose_binary(CompileOptions &options, bool emit_was_given) {
  if (options.processors.empty())
    return {};
  if ((emit_was_given && options.emit != "binary") || !options.stage.empty() ||
      options.device != "cpu" || !options.kernel.empty() || !options.neighbors.empty() ||
      options.remarks || options.times)
    return wrong("--processors makes a binary of all kernels for CPUs: give only -o, --options and "
                 "--local-size with it");
  options.emit = "binary";
  return {};
}

// Returns true if --stage or --emit requests the IR of this stage.
bool is_wanted(const CompileOptions &options, std::string_view stage, std::string_view last_stage) {
  if (options.stage.empty())
    return options.emit == "ir" && stage == last_stage;
  return options.stage == "all" || options.stage == stage;
}

// "sm_90" for "nvidia:sm_90"; empty for the CPU.
std::string_view nvidia_architecture(const CompileOptions &options) {
  constexpr std::string_view prefix = "nvidia:";
  std::string_view device = options.device;
  return device.starts_with(prefix) ? device.substr(prefix.size()) : std::string_view();
}

Result<void> check_device(const CompileOptions &options) {
  const bool is_cpu = options.device == "cpu";
  if (!is_cpu && nvidia_architecture(options).empty())
    return wrong(fmt::format("--device {}: give cpu, or an NVIDIA architecture as in nvidia:sm_90",
                             options.device));
  if (is_cpu && options.emit == "ptx")
    return wrong("--emit ptx needs an NVIDIA device, as in --device nvidia:sm_90");
  return {};
}

std::vector<std::string> stage_names(const Inspection &library, const CompileOptions &options) {
  return options.device == "cpu" ? library.stage_names() : library.ptx_stage_names();
}

Result<void> check_stage(const Inspection &library, const CompileOptions &options) {
  std::vector<std::string> stages = stage_names(library, options);
  if (options.stage.empty() || options.stage == "all" ||
      std::find(stages.begin(), stages.end(), options.stage) != stages.end())
    return {};
  return wrong(fmt::format("--stage {}: there is no such stage; there are: all, {}", options.stage,
                           fmt::join(stages, ", ")));
}

// With --remarks or --times and no requested output, only the remarks or times are printed, not the
// assembly.
bool only_answers(const CompileOptions &options) {
  return (options.remarks || options.times) && !options.emits_what_was_named;
}

std::string remark_lines(const std::vector<std::string> &remarks, const CompileOptions &options) {
  std::string lines;
  for (std::string remark : remarks) {
    constexpr std::string_view in_memory = "<source>"; // the name of the source in the library
    if (remark.starts_with(in_memory))
      remark.replace(0, in_memory.size(), options.file);
    lines += fmt::format("remark: {}\n", remark);
  }
  return lines;
}

std::string time_lines(const std::vector<StageTime> &times) {
  double total = 0;
  for (const StageTime &time : times)
    total += time.milliseconds;
  std::string lines;
  for (const StageTime &time : times)
    lines += fmt::format("{:32} {:9.3f} ms {:5.1f} %{}\n", time.name, time.milliseconds,
                         total > 0 ? 100 * time.milliseconds / total : 0,
                         time.changed ? "" : "  (unchanged)");
  return lines + fmt::format("{:32} {:9.3f} ms\n", "all stages", total);
}

Result<void> write_output(const CompileOptions &options, const std::string &text, bool binary) {
  if (!options.output.empty() && options.output != "-")
    return write_file(options.output, text.data(), text.size());
  if (binary && isatty(fileno(stdout)))
    return wrong(fmt::format("--emit {} is not for a terminal; name a file with -o", options.emit));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return {};
}

// Assembly for the CPU, or PTX.
Result<std::string> generate_code(const Inspection &library, const KernelModule &module,
                                  const std::string &kernel, const CompileOptions &options,
                                  const compiler::Specialization &specialization,
                                  const compiler::StageListener &listener,
                                  std::vector<std::string> &remarks) {
  if (options.device == "cpu")
    return library.compile_to_assembly(module, kernel, specialization, library.code_options(),
                                       listener, remarks);
  auto code_options = library.code_options_for_nvidia(nvidia_architecture(options));
  if (!code_options)
    return code_options.take_error();
  // As a launch does (runtime/launch/nvidia/nvidia_launch.cpp).
  auto code = library.compile_to_ptx(module, kernel, specialization, *code_options,
                                     compiler::PtxVariant::plain, nullptr);
  if (code)
    code = library.compile_to_ptx(module, kernel, specialization, *code_options,
                                  code->groups_wait ? compiler::PtxVariant::persistent
                                                    : compiler::PtxVariant::plain,
                                  &listener);
  if (!code)
    return code.take_error();
  remarks = std::move(code->remarks);
  return std::move(code->text);
}

// Returns the IR of the requested stages, or the assembly. Prints remarks and times if requested.
Result<std::string> compile_kernel(const Inspection &library, const KernelModule &module,
                                   const std::string &kernel, const CompileOptions &options,
                                   double front_end_milliseconds) {
  auto specialization = specialization_of(options);
  if (!specialization)
    return specialization.take_error();
  std::string ir, last_stage = stage_names(library, options).back();
  std::vector<StageTime> times{{"front-end", true, front_end_milliseconds}};
  double stages_end = 0;
  Progress progress;
  progress.show("compiling " + kernel);
  compiler::StageListener listener;
  listener.want_ir = [&](std::string_view stage) { return is_wanted(options, stage, last_stage); };
  listener.after_stage = [&](std::string_view stage, std::string_view text, bool changed,
                             double milliseconds) {
    times.push_back({std::string(stage), changed, milliseconds});
    progress.show(fmt::format("compiling {}: {} done", kernel, stage));
    if (is_wanted(options, stage, last_stage)) {
      ir += fmt::format("; ---- after stage {}{}\n", stage, changed ? "" : " (unchanged)");
      if (changed || options.stage != "all")
        ir += text;
    }
    stages_end = milliseconds_of_processor();
  };
  std::vector<std::string> remarks;
  auto assembly =
      generate_code(library, module, kernel, options, *specialization, listener, remarks);
  times.push_back({"machine-code", true, milliseconds_of_processor() - stages_end});
  progress.clear();
  if (!assembly) {
    if (!ir.empty()) // print the stages before the failure; they help to find it
      LOCKSTEP_TRY(write_output(options, ir, false));
    return assembly;
  }
  std::string answers;
  if (options.remarks && options.device == "cpu" && options.local_sizes.empty())
    answers += "remark: a launch gives the local size, and its code is better; see it with "
               "--local-size 64, for example\n";
  if (options.remarks)
    answers += remark_lines(remarks, options);
  if (options.times)
    answers += time_lines(times);
  if (only_answers(options))
    return answers;
  fmt::print(stderr, "{}", answers);
  return options.emit == "ir" || !options.stage.empty() ? ir : *assembly;
}

Result<void> compile(const Inspection &library, const CompileOptions &options) {
  LOCKSTEP_TRY(check_device(options));
  LOCKSTEP_TRY(check_stage(library, options));
  double begin = milliseconds_of_processor();
  auto module = build(library, options);
  double front_end = milliseconds_of_processor() - begin;
  if (!module)
    return module.take_error();
  if (options.list_kernels) {
    fmt::print("{}\n", fmt::join(kernel_names(*module), "\n"));
    return {};
  }
  if (options.emit == "binary")
    LOCKSTEP_TRY(add_machine_code(library, options, *module));
  if (options.emit == "binary")
    return write_output(options, library.write_binary(*module), true);
  if (options.emit == "bitcode")
    return write_output(options, module->bitcode, true);
  auto kernel = choose_kernel(*module, options);
  if (!kernel)
    return kernel.take_error();
  auto text = compile_kernel(library, *module, *kernel, options, front_end);
  if (!text)
    return text.take_error();
  return write_output(options, *text, false);
}

int run_compile(const CompileOptions &options) {
  auto found = inspection();
  if (!found)
    return report(found.error());
  if (options.list_stages) {
    fmt::print("{}\n", fmt::join(stage_names(**found, options), "\n"));
    return 0;
  }
  if (options.file.empty())
    return report(wrong("compile: which file? See `lockstep compile --help`"));
  auto done = compile(**found, options);
  return done ? 0 : report(done.error());
}

constexpr const char *examples =
    "Examples:\n"
    "  lockstep compile a.cl                                the assembly of its only kernel\n"
    "  lockstep compile a.cl -k sum --local-size 64 --times specialized on the local size: time of "
    "each stage\n"
    "  lockstep compile a.cl --stage work-item-loops        IR after one stage (--list-stages "
    "names them)\n"
    "  lockstep compile a.cl --device nvidia:sm_90 --emit ptx    code for an NVIDIA GPU\n"
    "  lockstep compile a.cl --emit binary -o a.bin         for clCreateProgramWithBinary\n"
    "  lockstep compile a.cl --processors x86-64-v3,znver5 -o a.bin    with machine code: the "
    "program compiles nothing\n"
    "  lockstep compile a.cl --options '-DN=4 -cl-std=CL3.0' --remarks   what became of the kernel";

} // namespace

void add_compile(CLI::App &app, int &exit_code) {
  CLI::App *command =
      app.add_subcommand("compile", "compile OpenCL C or SPIR-V and look at any stage");
  auto options = std::make_shared<CompileOptions>();
  command->add_option("FILE", options->file, "OpenCL C source, or a SPIR-V module");
  command->add_option("-k,--kernel", options->kernel,
                      "which kernel; not needed if there is only one");
  command->add_option("--options", options->build_options, "build options, as for clBuildProgram");
  command
      ->add_option("--local-size", options->local_sizes,
                   "X[,Y[,Z]]: specialize on this local size (default: any); with --processors "
                   "several may be given")
      ->allow_extra_args(false);
  command->add_option(
      "--neighbors", options->neighbors,
      "X[,Y[,Z]]: how many consecutive work-groups a call may run, by dimension, as "
      "a launch of many groups allows; powers of two (default: 1)");
  command
      ->add_option("--processors", options->processors,
                   "write a binary with machine code for these processors, as LLVM names them, or "
                   "native")
      ->delimiter(',')
      ->allow_extra_args(false);
  command
      ->add_option("--device", options->device,
                   "cpu, or an NVIDIA architecture such as nvidia:sm_90; no GPU is needed")
      ->capture_default_str();
  command->add_option("--stage", options->stage, "print the IR after this stage, or after all");
  CLI::Option *emit =
      command
          ->add_option(
              "--emit", options->emit,
              "asm, ir (after the last stage), bitcode (kernel IR), binary, or ptx (for an "
              "NVIDIA device)")
          ->check(CLI::IsMember({"asm", "ir", "bitcode", "binary", "ptx"}))
          ->capture_default_str();
  command->add_flag("--remarks", options->remarks,
                    "what the compiler did with the kernel; nothing else is printed, unless "
                    "--emit, --stage or -o asks for it: then remarks go to stderr");
  command->add_flag("--times", options->times,
                    "processor time of each stage, printed as --remarks is");
  command->add_flag("--list-stages", options->list_stages, "names of the stages, in order");
  command->add_flag("--list-kernels", options->list_kernels, "names of the kernels in FILE");
  command->add_option("-o,--output", options->output, "write to this file");
  command->footer(examples);
  command->callback([options, emit, &exit_code] {
    if (auto chosen = choose_binary(*options, emit->count() > 0); !chosen) {
      exit_code = report(chosen.error());
      return;
    }
    options->emits_what_was_named =
        emit->count() > 0 || !options->stage.empty() || !options->output.empty();
    exit_code = run_compile(*options);
  });
}

} // namespace lockstep::cli

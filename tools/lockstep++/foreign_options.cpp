#include "tools/lockstep++/foreign_options.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <fmt/format.h>

namespace lockstep::driver {
namespace {

using llvm::StringRef;

enum class Meaning {
  nothing, // the default behavior, or only an implementation choice
  warning,
  warning_of_next,
  back_end, // the next argument is for the back end
  aot,
  aot_local_size,
  error,
  targets,
  default_sub_group,
  unnamed_kernels,
  named_kernels,
  device_front_end,
  floating_point_model,
  processor,
  replacement,       // replaced by `text`
  debug,             // -debug and perhaps a keyword
  nothing_with_next, // the next argument belongs to it
  static_library,
  whole_static_library,
};

struct Rule {
  StringRef option;
  enum { whole, beginning } match;
  Meaning meaning;
  StringRef text = ""; // the part of a message after the option and a colon
};

constexpr StringRef not_for_a_cpu = "is for other devices and has no effect: kernels are compiled "
                                    "for the CPU";
constexpr StringRef not_found =
    "lockstep++ does not know where this library of Intel's is; give its folders and files by -I, "
    "-L and -l";
constexpr StringRef both_sides = "lockstep++ compiles host and device in one step, by itself";

// The first matching rule applies.
constexpr Rule rules[] = {
    {"--aot", Rule::whole, Meaning::aot},
    {"--aot=", Rule::beginning, Meaning::aot},
    {"--aot-local-size=", Rule::beginning, Meaning::aot_local_size},
    {"-fsycl", Rule::whole, Meaning::nothing},
    {"-fsycl-targets=", Rule::beginning, Meaning::targets},
    {"-fsycl-unnamed-lambda", Rule::whole, Meaning::unnamed_kernels},
    {"-fno-sycl-unnamed-lambda", Rule::whole, Meaning::named_kernels},
    {"-fsycl-default-sub-group-size=", Rule::beginning, Meaning::default_sub_group},
    {"-Xsycl-target-frontend", Rule::beginning, Meaning::device_front_end},
    {"-Xsycl-target-backend", Rule::beginning, Meaning::back_end, not_for_a_cpu},
    {"-Xsycl-target-linker", Rule::beginning, Meaning::warning_of_next, not_for_a_cpu},
    {"-Xspirv-translator", Rule::beginning, Meaning::warning_of_next, not_for_a_cpu},
    {"-Xdevice-post-link", Rule::whole, Meaning::warning_of_next, not_for_a_cpu},
    {"-Xs", Rule::whole, Meaning::back_end, not_for_a_cpu},
    {"-Xs", Rule::beginning, Meaning::warning, not_for_a_cpu},
    // Options for storing, linking and optimizing device code.
    {"-fsycl-device-code-split", Rule::beginning, Meaning::nothing},
    {"-fno-sycl-device-code-split", Rule::beginning, Meaning::nothing},
    {"-fsycl-dead-args-optimization", Rule::whole, Meaning::nothing},
    {"-fno-sycl-dead-args-optimization", Rule::whole, Meaning::nothing},
    {"-fsycl-early-optimizations", Rule::whole, Meaning::nothing},
    {"-fno-sycl-early-optimizations", Rule::whole, Meaning::nothing},
    {"-fsycl-optimize-non-user-code", Rule::whole, Meaning::nothing},
    {"-fsycl-max-parallel-link-jobs=", Rule::beginning, Meaning::nothing},
    {"-fsycl-link-huge-device-code", Rule::whole, Meaning::nothing},
    {"-fno-sycl-link-huge-device-code", Rule::whole, Meaning::nothing},
    {"-flink-huge-device-code", Rule::whole, Meaning::nothing},
    {"-fno-link-huge-device-code", Rule::whole, Meaning::nothing},
    {"-fsycl-rdc", Rule::whole, Meaning::nothing},
    {"-fno-sycl-rdc", Rule::whole, Meaning::nothing},
    {"-fsycl-remove-unused-external-funcs", Rule::whole, Meaning::nothing},
    {"-fno-sycl-remove-unused-external-funcs", Rule::whole, Meaning::nothing},
    {"-fsycl-device-lib=", Rule::beginning, Meaning::nothing},
    {"-fno-sycl-device-lib=", Rule::beginning, Meaning::nothing},
    {"-fsycl-device-lib-jit-link", Rule::whole, Meaning::nothing},
    {"-fno-sycl-device-lib-jit-link", Rule::whole, Meaning::nothing},
    {"-fsycl-embed-ir", Rule::whole, Meaning::nothing},
    {"-fsycl-use-bitcode", Rule::whole, Meaning::nothing},
    {"-fno-sycl-use-bitcode", Rule::whole, Meaning::nothing},
    {"-fno-sycl-libspirv", Rule::whole, Meaning::nothing},
    {"-fsycl-libspirv-path=", Rule::beginning, Meaning::nothing},
    {"-fsycl-libdevice-path=", Rule::beginning, Meaning::nothing},
    {"-fsycl-new-offload-driver", Rule::whole, Meaning::nothing},
    {"-fno-sycl-new-offload-driver", Rule::whole, Meaning::nothing},
    {"-fsycl-preserve-device-nonsemantic-metadata", Rule::whole, Meaning::nothing},
    {"-fsycl-add-default-spec-consts-image", Rule::whole, Meaning::nothing},
    {"-fno-sycl-add-default-spec-consts-image", Rule::whole, Meaning::nothing},
    {"-fsycl-allow-device-image-dependencies", Rule::whole, Meaning::nothing},
    {"-fno-sycl-allow-device-image-dependencies", Rule::whole, Meaning::nothing},
    {"-fsycl-footer-path=", Rule::beginning, Meaning::nothing},
    {"-ftarget-compile-fast", Rule::whole, Meaning::nothing},
    {"-ftarget-export-symbols", Rule::whole, Meaning::nothing},
    {"-fno-target-export-symbols", Rule::whole, Meaning::nothing},
    {"-foffload-static-lib=", Rule::beginning, Meaning::static_library},
    {"-foffload-whole-static-lib=", Rule::beginning, Meaning::whole_static_library},
    {"-fsycl-decompose-functor", Rule::whole, Meaning::nothing},
    {"-fno-sycl-decompose-functor", Rule::whole, Meaning::nothing},
    {"-fsycl-use-footer", Rule::whole, Meaning::nothing},
    {"-fno-sycl-use-footer", Rule::whole, Meaning::nothing},
    {"-fsycl-instrument-device-code", Rule::whole, Meaning::nothing},
    {"-fno-sycl-instrument-device-code", Rule::whole, Meaning::nothing},
    // Ids that fit in an int are computed directly, and ranges are never rounded.
    {"-fsycl-id-queries-fit-in-int", Rule::whole, Meaning::nothing},
    {"-fno-sycl-id-queries-fit-in-int", Rule::whole, Meaning::nothing},
    {"-fsycl-id-queries-range=", Rule::beginning, Meaning::nothing},
    {"-fsycl-range-rounding=", Rule::beginning, Meaning::nothing},
    {"-fsycl-exp-range-rounding", Rule::whole, Meaning::nothing},
    // Accuracy options whose effect is always provided.
    {"-fsycl-fp32-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-fno-sycl-fp32-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-foffload-fp32-prec-div", Rule::whole, Meaning::nothing},
    {"-fno-offload-fp32-prec-div", Rule::whole, Meaning::nothing},
    {"-foffload-fp32-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-fno-offload-fp32-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-fsycl-fp64-conv-emu", Rule::whole, Meaning::nothing},
    {"-fimf-", Rule::beginning, Meaning::nothing},
    {"-fpreview-breaking-changes", Rule::whole, Meaning::nothing},
    {"-fsycl-allow-func-ptr", Rule::beginning, Meaning::warning,
     "has no effect: kernels cannot call through pointers to functions (SYCL 2020 section 5.4)"},
    {"-fno-sycl-allow-func-ptr", Rule::whole, Meaning::nothing},
    {"-fsycl-enable-function-pointers", Rule::whole, Meaning::warning,
     "has no effect: kernels cannot call through pointers to functions (SYCL 2020 section 5.4)"},
    {"-ftarget-register-alloc-mode=", Rule::beginning, Meaning::warning, not_for_a_cpu},
    {"-reuse-exe=", Rule::beginning, Meaning::warning, not_for_a_cpu},
    {"-fintelfpga", Rule::whole, Meaning::error, "kernels are compiled for the CPU, not for FPGAs"},
    {"-fsycl-help", Rule::beginning, Meaning::error,
     "there is no separate compiler for a device; `man lockstep++` lists the options"},
    {"-fsycl-force-target=", Rule::beginning, Meaning::warning, not_for_a_cpu},
    {"-fsycl-esimd", Rule::beginning, Meaning::warning, not_for_a_cpu},
    {"-fno-sycl-esimd", Rule::beginning, Meaning::warning, not_for_a_cpu},
    {"-fsycl-explicit-simd", Rule::beginning, Meaning::error, "there are no explicit SIMD kernels"},
    {"-fsycl-host-compiler", Rule::beginning, Meaning::error, both_sides},
    {"-fsycl-device-only", Rule::whole, Meaning::error, both_sides},
    {"-fsycl-host-only", Rule::whole, Meaning::error, both_sides},
    {"-fsycl-link-targets=", Rule::beginning, Meaning::error,
     "device images are a part of each object and are not linked by themselves"},
    {"-fsycl-add-targets=", Rule::beginning, Meaning::error,
     "device images are a part of each object and are not added by themselves"},
    {"-fsycl-link", Rule::beginning, Meaning::error,
     "device images are a part of each object and are not linked by themselves"},
    {"-fsycl-dump-device-code=", Rule::beginning, Meaning::error,
     "write `lockstep++ -S -emit-llvm` to see the device image of a source"},
    {"-fsycl-pstl-offload", Rule::beginning, Meaning::error,
     "algorithms of the standard library are not made kernels"},
    {"-fopenmp-targets=spir", Rule::beginning, Meaning::error,
     "regions of OpenMP run on the host; leave the option out"},
    // The library that DPC++'s programs link. Every program is linked with liblockstep_sycl.so, and
    // two SYCL libraries in one program would clash.
    {"-lsycl", Rule::whole, Meaning::nothing},
    // DPC++'s groups of warnings, which clang does not have.
    {"-Wsycl-", Rule::beginning, Meaning::nothing},
    {"-Wno-sycl-", Rule::beginning, Meaning::nothing},
    {"-Werror=sycl-", Rule::beginning, Meaning::nothing},
    {"-Wno-error=sycl-", Rule::beginning, Meaning::nothing},
    {"-Wincorrect-sub-group-size", Rule::whole, Meaning::nothing},
    {"-Wno-incorrect-sub-group-size", Rule::whole, Meaning::nothing},
    {"-Werror=incorrect-sub-group-size", Rule::whole, Meaning::nothing},
    {"-Wno-error=incorrect-sub-group-size", Rule::whole, Meaning::nothing},
    // Options of icpx.
    {"-fp-model", Rule::beginning, Meaning::floating_point_model},
    {"-xHost", Rule::whole, Meaning::replacement, "-march=native"},
    {"-x", Rule::beginning, Meaning::processor},
    {"-ax", Rule::beginning, Meaning::nothing},
    {"-qopenmp-simd", Rule::whole, Meaning::replacement, "-fopenmp-simd"},
    {"-qopenmp", Rule::whole, Meaning::replacement, "-fopenmp"},
    {"-fiopenmp", Rule::whole, Meaning::replacement, "-fopenmp"},
    {"-qno-openmp", Rule::whole, Meaning::replacement, "-fno-openmp"},
    {"-qopt-", Rule::beginning, Meaning::nothing},
    {"-qno-opt-", Rule::beginning, Meaning::nothing},
    {"-qoverride-limits", Rule::whole, Meaning::nothing},
    {"-qmkl", Rule::beginning, Meaning::error, not_found},
    {"-mkl", Rule::beginning, Meaning::error, not_found},
    {"-qipp", Rule::beginning, Meaning::error, not_found},
    {"-ipp", Rule::beginning, Meaning::error, not_found},
    {"-qdaal", Rule::beginning, Meaning::error, not_found},
    {"-daal", Rule::beginning, Meaning::error, not_found},
    {"-qtbb", Rule::whole, Meaning::replacement, "-ltbb"},
    {"-tbb", Rule::whole, Meaning::replacement, "-ltbb"},
    {"-ipo", Rule::whole, Meaning::replacement, "-flto"},
    {"-no-ipo", Rule::whole, Meaning::replacement, "-fno-lto"},
    {"-fast", Rule::whole, Meaning::error, "write -O3 -march=native -ffast-math"},
    {"-no-fma", Rule::whole, Meaning::replacement, "-ffp-contract=off"},
    {"-fma", Rule::whole, Meaning::nothing},
    {"-vec", Rule::whole, Meaning::replacement, "-fvectorize"},
    {"-no-vec", Rule::whole, Meaning::replacement, "-fno-vectorize"},
    {"-vec-threshold", Rule::beginning, Meaning::nothing},
    {"-unroll0", Rule::whole, Meaning::replacement, "-fno-unroll-loops"},
    {"-unroll=0", Rule::whole, Meaning::replacement, "-fno-unroll-loops"},
    {"-unroll", Rule::beginning, Meaning::nothing},
    {"-inline-level=0", Rule::whole, Meaning::replacement, "-fno-inline"},
    {"-inline-level=", Rule::beginning, Meaning::nothing},
    {"-ansi-alias", Rule::whole, Meaning::replacement, "-fstrict-aliasing"},
    {"-no-ansi-alias", Rule::whole, Meaning::replacement, "-fno-strict-aliasing"},
    {"-restrict", Rule::whole, Meaning::error, "write -Drestrict=__restrict"},
    {"-w0", Rule::whole, Meaning::replacement, "-w"},
    {"-w1", Rule::whole, Meaning::nothing},
    {"-w2", Rule::whole, Meaning::nothing},
    {"-w3", Rule::whole, Meaning::replacement, "-Wall"},
    {"-debug", Rule::whole, Meaning::debug},
    {"-diag-disable", Rule::whole, Meaning::nothing_with_next},
    {"-diag-enable", Rule::whole, Meaning::nothing_with_next},
    {"-diag-", Rule::beginning, Meaning::nothing},
    // They permit what the compiler does not do, or demand what it always does.
    {"-fno-alias", Rule::whole, Meaning::nothing},
    {"-fargument-noalias", Rule::beginning, Meaning::nothing},
    {"-alias-args", Rule::beginning, Meaning::nothing},
    {"-fp-speculation", Rule::beginning, Meaning::nothing},
    {"-ftz", Rule::whole, Meaning::nothing},
    {"-no-ftz", Rule::whole, Meaning::nothing},
    {"-prec-div", Rule::whole, Meaning::nothing},
    {"-no-prec-div", Rule::whole, Meaning::nothing},
    {"-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-no-prec-sqrt", Rule::whole, Meaning::nothing},
    {"-static-intel", Rule::whole, Meaning::nothing},
    {"-shared-intel", Rule::whole, Meaning::nothing},
    {"-no-intel-lib", Rule::beginning, Meaning::nothing},
    {"-use-intel-optimized-headers", Rule::whole, Meaning::nothing},
    {"-parallel-source-info", Rule::beginning, Meaning::nothing},
    {"-traceback", Rule::whole, Meaning::nothing},
    {"-sox", Rule::whole, Meaning::nothing},
};

const Rule *rule_of(StringRef argument) {
  for (const Rule &rule : rules)
    if (rule.match == Rule::whole ? argument == rule.option : argument.starts_with(rule.option))
      return &rule;
  return nullptr;
}

// Returns true for clang options whose next argument is a value, which may look like an option.
bool takes_next(StringRef argument) {
  return llvm::is_contained({"-Xclang",    "-Xlinker",  "-Xassembler", "-Xpreprocessor",
                             "-mllvm",     "-o",        "-x",          "-D",
                             "-U",         "-I",        "-L",          "-l",
                             "-include",   "-isystem",  "-MF",         "-MT",
                             "-MQ",        "-T",        "-u",          "-z",
                             "-arch",      "-target",   "-imacros",    "-iquote",
                             "-idirafter", "-isysroot", "-framework",  "--param",
                             "-e"},
                            argument);
}

struct Processor {
  StringRef name, march;
};
constexpr Processor processors[] = {{"SSE2", "x86-64"},
                                    {"SSE3", "prescott"},
                                    {"SSSE3", "core2"},
                                    {"SSE4.1", "penryn"},
                                    {"SSE4.2", "nehalem"},
                                    {"AVX", "sandybridge"},
                                    {"CORE-AVX-I", "ivybridge"},
                                    {"CORE-AVX2", "haswell"},
                                    {"CORE-AVX512", "skylake-avx512"},
                                    {"COMMON-AVX512", "skylake-avx512"},
                                    {"SKYLAKE-AVX512", "skylake-avx512"},
                                    {"CASCADELAKE", "cascadelake"},
                                    {"ICELAKE-SERVER", "icelake-server"},
                                    {"SAPPHIRERAPIDS", "sapphirerapids"},
                                    {"GRANITERAPIDS", "graniterapids"}};

// The names of DPC++'s compiler for CPUs.
constexpr Processor back_end_processors[] = {
    {"sse42", "x86-64-v2"}, {"avx", "sandybridge"}, {"avx2", "x86-64-v3"}, {"avx512", "x86-64-v4"}};

class Reader {
public:
  explicit Reader(const Arguments &given) : given_(given) {}

  UserOptions read() {
    while (at_ < given_.size()) {
      const std::string &argument = given_[at_++];
      const Rule *rule = rule_of(argument);
      if (rule && apply(*rule, argument))
        continue;
      options_.arguments.push_back(argument);
      if (takes_next(argument) && at_ < given_.size())
        options_.arguments.push_back(given_[at_++]);
    }
    if (is_for_back_end_ && options_.aot_processors.empty())
      options_.aot_processors = {"native"};
    return std::move(options_);
  }

private:
  // flat: one case for each meaning. Returns false if the argument is an option of clang after all.
  bool apply(const Rule &rule, const std::string &argument) {
    const StringRef value = StringRef(argument).drop_front(rule.option.size());
    switch (rule.meaning) {
    case Meaning::nothing:
      return true;
    case Meaning::warning:
    case Meaning::warning_of_next:
      warn(argument, rule.text);
      at_ += rule.meaning == Meaning::warning_of_next;
      return true;
    case Meaning::back_end:
      read_back_end(argument, rule.text);
      return true;
    case Meaning::aot:
      read_aot(argument, value);
      return true;
    case Meaning::aot_local_size:
      read_aot_local_size(argument, value);
      return true;
    case Meaning::error:
      fail(argument, rule.text);
      return true;
    case Meaning::targets:
      read_targets(argument, value);
      return true;
    case Meaning::default_sub_group:
      read_sub_group(argument, value);
      return true;
    case Meaning::unnamed_kernels:
    case Meaning::named_kernels:
      options_.has_unnamed_kernels = rule.meaning == Meaning::unnamed_kernels;
      return true;
    case Meaning::device_front_end:
      if (at_ == given_.size())
        fail(argument, "an option for the device's front end must follow");
      else
        read_front_end(given_[at_++]);
      return true;
    case Meaning::floating_point_model:
      read_model(argument, value);
      return true;
    case Meaning::processor:
      return read_processor(value);
    case Meaning::replacement:
      options_.arguments.push_back(rule.text.str());
      return true;
    case Meaning::debug:
      read_debug();
      return true;
    case Meaning::nothing_with_next:
      ++at_;
      return true;
    case Meaning::static_library: // each object of it has its device image inside
      options_.arguments.push_back(value.str());
      return true;
    case Meaning::whole_static_library:
      options_.arguments.insert(options_.arguments.end(),
                                {"-Wl,--whole-archive", value.str(), "-Wl,--no-whole-archive"});
      return true;
    }
    return false;
  }

  void warn(StringRef option, StringRef text) {
    options_.warnings.push_back(fmt::format("{} {}", option.str(), text.str()));
  }
  void fail(StringRef option, StringRef text) {
    options_.errors.push_back(fmt::format("{} is not possible: {}", option.str(), text.str()));
  }

  void read_aot(StringRef option, StringRef list) {
    if (option == "--aot")
      list = "native";
    llvm::SmallVector<StringRef> processors;
    list.split(processors, ',', -1, /*KeepEmpty=*/false);
    if (processors.empty())
      return fail(option, "the names of processors must follow, as in --aot=x86-64-v3,znver5");
    for (const StringRef processor : processors)
      options_.aot_processors.push_back(processor.str());
  }

  // As in a SYCL program, the last size is that of the contiguous dimension.
  void read_aot_local_size(StringRef option, StringRef list) {
    llvm::SmallVector<StringRef> sizes;
    list.split(sizes, ',');
    std::array<uint32_t, 3> local = {1, 1, 1};
    for (size_t i = 0; i < sizes.size(); ++i)
      if (sizes.size() > 3 || sizes[i].getAsInteger(10, local[sizes.size() - 1 - i]) ||
          local[sizes.size() - 1 - i] == 0)
        return fail(option, "a local size has one to three positive numbers, as in "
                            "--aot-local-size=16,16");
    options_.aot_local_sizes.push_back(local);
  }

  // -Xsycl-target-backend "-march=avx2" names the processor for -fsycl-targets=spir64_x86_64.
  void read_back_end(StringRef option, StringRef reason) {
    const StringRef words = at_ < given_.size() ? StringRef(given_[at_++]) : StringRef();
    StringRef name = words;
    if (name.consume_front("-march="))
      for (const Processor &processor : back_end_processors)
        if (name == processor.name)
          return options_.aot_processors.push_back(processor.march.str());
    warn(option, reason);
  }

  // Kernels always run on the CPU, so one of the targets must denote the CPU.
  void read_targets(StringRef option, StringRef list) {
    llvm::SmallVector<StringRef> targets;
    list.split(targets, ',', -1, /*KeepEmpty=*/false);
    const auto is_cpu = [](StringRef target) {
      return llvm::is_contained({"spir64", "spir64_x86_64", "native_cpu", "spirv64", "spir",
                                 "spir64-unknown-unknown", "spirv64-unknown-unknown",
                                 "spir64_x86_64-unknown-unknown", "x86_64-unknown-linux-gnu",
                                 "aarch64-unknown-linux-gnu"},
                                target) ||
             target.starts_with("spir64-unknown-linux") ||
             target.starts_with("spir64_x86_64-unknown-linux");
    };
    if (llvm::none_of(targets, is_cpu))
      return fail(option, "kernels are compiled for the CPU, and none of these targets is one "
                          "(spir64, spir64_x86_64 and native_cpu are)");
    // DPC++ compiles for this target with the program.
    is_for_back_end_ |=
        llvm::any_of(targets, [](StringRef target) { return target.starts_with("spir64_x86_64"); });
    for (const StringRef target : targets)
      if (!is_cpu(target))
        warn(option, fmt::format("has the target {}, which is left out: kernels are compiled for "
                                 "the CPU",
                                 target.str()));
  }

  void read_sub_group(StringRef option, StringRef value) {
    uint32_t size = 0;
    if (value == "automatic" || value == "primary")
      options_.default_sub_group = 0;
    else if (value.getAsInteger(10, size) || size == 0)
      fail(option, "the size of sub-groups is a positive number, automatic or primary");
    else
      options_.default_sub_group = size;
  }

  void read_front_end(StringRef words) {
    llvm::SmallVector<StringRef> all;
    words.split(all, ' ', -1, /*KeepEmpty=*/false);
    for (const StringRef word : all)
      options_.for_device.push_back(word.str());
  }

  // Reads -fp-model=fast and -fp-model fast.
  void read_model(StringRef option, StringRef value) {
    if (!value.consume_front("=") && at_ < given_.size())
      value = given_[at_++];
    struct Model {
      StringRef name, option;
    };
    constexpr Model models[] = {
        {"fast", "-ffp-model=fast"},         {"fast=1", "-ffp-model=fast"},
        {"fast=2", "-ffp-model=aggressive"}, {"precise", "-ffp-model=precise"},
        {"consistent", "-ffp-contract=off"}, {"source", "-ffp-model=precise"},
        {"strict", "-ffp-model=strict"}};
    for (const Model &model : models)
      if (value == model.name)
        return options_.arguments.push_back(model.option.str());
    fail(option, "the models are precise, strict, consistent, source, fast, fast=1 and fast=2");
  }

  // Reads -debug and the keyword that may follow.
  void read_debug() {
    const StringRef next = at_ < given_.size() ? StringRef(given_[at_]) : StringRef();
    const bool is_keyword =
        llvm::is_contained({"none", "full", "all", "minimal", "extended", "emit_column",
                            "noemit_column", "inline-debug-info", "noinline-debug-info"},
                           next);
    at_ += is_keyword;
    options_.arguments.push_back(next == "none" ? "-g0" : next == "minimal" ? "-g1" : "-g");
  }

  // Reads -xCORE-AVX2. Lower-case names are languages of clang: -xc++.
  bool read_processor(StringRef name) {
    for (const Processor &processor : processors)
      if (name == processor.name) {
        options_.arguments.push_back("-march=" + processor.march.str());
        return true;
      }
    return false;
  }

  const Arguments &given_;
  size_t at_ = 0;
  bool is_for_back_end_ = false;
  UserOptions options_;
};

} // namespace

UserOptions read_foreign_options(const Arguments &given) {
  return Reader(given).read();
}

} // namespace lockstep::driver

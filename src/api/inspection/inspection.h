// What liblockstep.so answers the command line tool besides OpenCL: a look into the compiler and
// its cache.
//
// The tool could link the compiler itself, but then LLVM 22 would be among the libraries of the
// executable, whose symbols come first for every library of the process. Another OpenCL platform
// with another LLVM (PoCL), loaded by the same tool, then binds to ours and crashes; seen with
// PoCL 3.1 and LLVM 14. Loaded by dlopen as an ICD, LLVM stays local to liblockstep.so. And what
// the tool shows is the compiler that programs use, not a second one.
#pragma once

#include "compiler/compile.h"

namespace lockstep {

// The functions of compiler/compile.h, and the stage names of the pipeline.
struct Inspection {
  std::string (*compiler_version)();
  const compiler::CodeOptions &(*code_options)();
  compiler::CacheStatistics (*cache_statistics)();
  Result<uint64_t> (*clear_cache)();
  std::vector<std::string> (*stage_names)();
  Result<compiler::KernelModule> (*build_opencl_c)(std::string_view source,
                                                   std::string_view options, std::string &log);
  std::string (*write_binary)(const compiler::KernelModule &module);
  Result<std::string> (*compile_to_assembly)(const compiler::KernelModule &module,
                                             std::string_view kernel,
                                             const compiler::Specialisation &specialisation,
                                             const compiler::CodeOptions &options,
                                             const compiler::StageListener &listener,
                                             std::vector<std::string> &remarks);
};

} // namespace lockstep

// Null if the caller was built with another version: these are C++ types, which agree only within
// one build.
extern "C" __attribute__((visibility("default"))) const lockstep::Inspection *
lockstep_inspection(const char *version);

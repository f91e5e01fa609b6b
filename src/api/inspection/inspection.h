// Functions of liblockstep.so for the command line tool, in addition to OpenCL: access to the
// compiler and its cache.
//
// The tool does not link the compiler itself. Otherwise LLVM 22 would be among the libraries of the
// executable, whose symbols take precedence in every library of the process. Another OpenCL
// platform with another LLVM, loaded by the same tool, would bind to them and crash; seen with PoCL
// 3.1 and LLVM 14. If liblockstep.so is loaded by dlopen as an ICD, LLVM stays local to it. Also,
// the tool shows the compiler that programs use, not a second one.
#pragma once

#include "driver/ahead_of_time.h"
#include "driver/compile.h"
#include "driver/compile_ptx.h"
#include "runtime/root_devices/device_report.h"
#include "runtime/root_devices/placement_report.h"

namespace lockstep {

// The functions of driver/compile.h and driver/compile_ptx.h, the stage names of the pipeline, where
// the threads are, and what was found of devices.
struct Inspection {
  std::string (*compiler_version)();
  const compiler::CodeOptions &(*code_options)();
  compiler::CacheStatistics (*cache_statistics)();
  Result<uint64_t> (*clear_cache)();
  std::vector<std::string> (*stage_names)();
  Result<compiler::KernelModule> (*build_opencl_c)(std::string_view source,
                                                   std::string_view options, std::string &log);
  Result<compiler::KernelModule> (*build_spirv)(
      std::string_view words, const std::vector<compiler::SpecConstant> &constants,
      std::string_view options, std::string &log);
  Result<compiler::KernelModule> (*link_kernel)(const compiler::KernelSource &source,
                                                std::string &log);
  Result<std::string> (*compile_ahead_of_time)(const compiler::KernelModule &program,
                                               const compiler::AheadOfTimeRequest &request,
                                               std::vector<std::string> &notes);
  std::string (*write_binary)(const compiler::KernelModule &module);
  Result<std::string> (*compile_to_assembly)(const compiler::KernelModule &module,
                                             std::string_view kernel,
                                             const compiler::Specialization &specialization,
                                             const compiler::CodeOptions &options,
                                             const compiler::StageListener &listener,
                                             std::vector<std::string> &remarks);
  runtime::PlacementReport (*report_placement)();
  std::vector<runtime::DeviceReport> (*report_other_devices)();
  Result<compiler::CodeOptions> (*code_options_for_nvidia)(std::string_view architecture);
  std::vector<std::string> (*ptx_stage_names)();
  Result<compiler::PtxCode> (*compile_to_ptx)(const compiler::KernelModule &module,
                                              std::string_view kernel,
                                              const compiler::Specialization &specialization,
                                              const compiler::CodeOptions &options,
                                              compiler::PtxVariant variant,
                                              const compiler::StageListener *listener);
};

} // namespace lockstep

// Null if the caller was built with another version: the interface uses C++ types, which agree only
// within one build.
extern "C" __attribute__((visibility("default"))) const lockstep::Inspection *
lockstep_inspection(const char *version);

// The two types that the front ends produce. LLVM contexts do not cross threads, so IR is passed as
// bitcode.
#pragma once

#include "kernel_ir/kernel_info.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::compiler {

// Selects the language rules for a module: what the build rejects, and with which message
// (common/language_rules.h).
enum class SourceLanguage : uint8_t { opencl_c, kernel_ir, spirv };

// One translation unit or library: bitcode of the spir64 flavor; unresolved externals are allowed.
struct ObjectModule {
  std::string bitcode;
  std::string build_options;
  bool is_library = false; // made by clLinkProgram with -create-library
  SourceLanguage language = SourceLanguage::opencl_c;
};

// A linked program: every symbol is defined here, in the device library, or is a __lockstep_*
// primitive.
struct KernelModule {
  std::string bitcode;
  std::string build_options;
  std::vector<KernelInfo> kernels;
  std::vector<KernelInfo> blocks;    // blocks that kernels enqueue; the host cannot launch them
  uint64_t global_variable_size = 0; // CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, bytes
  // Hash of the bitcode and everything else that changes code generation.
  uint64_t hash = 0;
  // Machine code that was made ahead of time, as driver/ahead_of_time.h writes it; empty: none.
  std::string machine_code{};
};

} // namespace lockstep::compiler

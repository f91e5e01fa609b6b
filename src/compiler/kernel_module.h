// The two types that source_to_ir hands over. LLVM contexts do not cross threads, so IR travels as
// bitcode.
#pragma once

#include "compiler/kernel_ir/kernel_info.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::compiler {

// Whose rules a module was written by; for what the build refuses and how it says so (source_to_ir/language_rules.h).
enum class SourceLanguage : uint8_t { opencl_c, kernel_ir };

// One translation unit or library: bitcode in the spir64 flavour with unresolved externals allowed.
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
  std::vector<KernelInfo> blocks;    // those that kernels enqueue; nobody else can
  uint64_t global_variable_size = 0; // CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE, bytes
  uint64_t hash = 0;                 // of bitcode and everything that changes code generation
};

} // namespace lockstep::compiler

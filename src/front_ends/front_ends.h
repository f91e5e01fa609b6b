// Entry points of the front ends. They read sources, kernel IR and program binaries, and produce
// objects, libraries and programs of kernel IR. No LLVM type appears here. All functions are
// thread-safe.
#pragma once

#include "kernel_ir/kernel_module.h"
#include "support/result.h"

#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

struct EmbeddedHeader {
  std::string name; // as in #include, clCompileProgram's header_include_names
  std::string source;
};

// Checks that the options are known and well formed. Callers that compile in the background check
// them first.
Result<void> check_compile_options(std::string_view options);
Result<void> check_link_options(std::string_view options);
Result<void> check_il_options(std::string_view options);

// Compiles OpenCL C with the options of OpenCL 3.0 API section 5.8.6. `log` receives clang's
// diagnostics, also on success (warnings). ErrorKind::invalid_argument: a build option is unknown
// or malformed (CL_INVALID_BUILD_OPTIONS / CL_INVALID_COMPILER_OPTIONS). ErrorKind::build_failure:
// see log. Uses the disk cache: the key of an entry is the source, options, embedded headers and
// the content of each included file.
Result<ObjectModule> compile_opencl_c(std::string_view source, std::string_view options,
                                      const std::vector<EmbeddedHeader> &headers, std::string &log);

// Rows of device_features.def that a device lacks: features and extensions with a macro. The names
// are those of the table, or must live as long as the call.
using AbsentFeatures = std::vector<std::string_view>;
// The same for a device that lacks some features.
Result<ObjectModule> compile_opencl_c(std::string_view source, std::string_view options,
                                      const std::vector<EmbeddedHeader> &headers, std::string &log,
                                      const AbsentFeatures &absent);

// Imports kernel IR from another front end (SYCL's device pass, a SPIR-V reader) as an object that
// can be linked. Requires LLVM 22 bitcode of the flavor of docs/kernel_ir.md, with builtins as
// declared functions. ErrorKind::invalid_binary, with a line in `log`: it is not bitcode, not for
// spir64, or not well formed.
Result<ObjectModule> import_kernel_ir(std::string_view bitcode, std::string &log);

// True for SPIR-V in either byte order: its magic number.
inline bool is_spirv(std::string_view bytes) {
  return bytes.starts_with("\x03\x02\x23\x07") || bytes.starts_with("\x07\x23\x02\x03");
}

// The value of a specialization constant of a SPIR-V module, by its SpecId. A bool is one byte.
struct SpecConstant {
  uint32_t id = 0;
  std::string bytes;
};
struct SpecConstantInfo {
  uint32_t id = 0;
  uint32_t size = 0; // bytes
};

// Checks the structure of a SPIR-V module in linear time, and lists its specialization constants.
// ErrorKind::invalid_binary, with a line in `log`: it is not SPIR-V, or its structure is wrong.
// All other errors are those of compile_spirv.
Result<std::vector<SpecConstantInfo>> check_spirv(std::string_view words, std::string &log);

// Compiles a SPIR-V module to an object that can be linked. The values of `constants` replace those
// in the module. ErrorKind::invalid_argument: an option is unknown or malformed.
// ErrorKind::invalid_binary: as check_spirv. ErrorKind::build_failure: see log; its lines name the
// line of the instruction that spirv-dis prints.
Result<ObjectModule> compile_spirv(std::string_view words,
                                   const std::vector<SpecConstant> &constants,
                                   std::string_view options, std::string &log);

// clBuildProgram of a SPIR-V module in one step; if the result is cached, it is one cache look-up.
Result<KernelModule> build_spirv(std::string_view words, const std::vector<SpecConstant> &constants,
                                 std::string_view options, std::string &log);

// Links modules into a program (or, with -create-library, into a library).
Result<ObjectModule> link_library(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log);
Result<KernelModule> link_program(const std::vector<const ObjectModule *> &modules,
                                  std::string_view options, std::string &log);

// A program-scope variable that is a constant of one kernel (SYCL's specialization constants).
struct KernelConstant {
  std::string variable;
  std::string bytes;
  auto operator<=>(const KernelConstant &) const = default;
};

// A kernel in imported kernel IR. The functions that it calls may be in libraries.
struct KernelSource {
  std::string_view bitcode;
  std::string_view kernel;
  std::vector<std::string_view> libraries{}; // bitcode; only needed functions are linked
  std::vector<KernelConstant> constants{};   // constants that the image does not have are ignored
};

// Links one kernel and the functions that it calls into a program. Errors elsewhere in the image do
// not matter. Uses the disk cache. ErrorKind::invalid_argument: there is no such kernel.
Result<KernelModule> link_kernel(const KernelSource &source, std::string &log);

// clBuildProgram in one step; if the result is cached, it is one cache look-up.
Result<KernelModule> build_opencl_c(std::string_view source, std::string_view options,
                                    std::string &log);

Result<KernelModule> build_opencl_c(std::string_view source, std::string_view options,
                                    std::string &log, const AbsentFeatures &absent);

// Program binaries: a header with magic, versions and a checksum, then the module.
// ErrorKind::invalid_binary: damaged, from another version of Lockstep or LLVM, or not a Lockstep
// binary.
enum class BinaryType { object, library, executable };
std::string write_binary(const ObjectModule &module);
std::string write_binary(const KernelModule &module);
Result<BinaryType> binary_type(std::string_view binary);
Result<ObjectModule> read_object_binary(std::string_view binary);
Result<KernelModule> read_program_binary(std::string_view binary);

} // namespace lockstep::compiler

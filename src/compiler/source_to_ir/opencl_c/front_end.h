// clang, in process: OpenCL C source to LLVM IR in the spir64 flavour (docs/kernel_ir.md). No
// compiler binary and no file of a clang installation is needed at run time: clang's
// opencl-c-base.h is embedded by our build.
#pragma once

#include "compiler/compile.h"
#include "compiler/source_to_ir/opencl_c/build_options.h"
#include "compiler/source_to_ir/source_cache.h"
#include "support/result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace lockstep::compiler {

struct FrontEndResult {
  std::unique_ptr<llvm::Module> module;
  std::vector<IncludedFile> included_files; // files on disk, as they were read
};

// Diagnostics are appended to `log`, with the source called "<source>" and embedded headers by
// their names. The caller provides a big stack (run_with_stack): clang recurses over the nesting of
// the source.
Result<FrontEndResult> run_front_end(llvm::LLVMContext &context, std::string_view source,
                                     const CompileOptions &options,
                                     const std::vector<EmbeddedHeader> &headers, std::string &log);

} // namespace lockstep::compiler

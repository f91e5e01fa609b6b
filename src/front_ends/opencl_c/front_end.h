// Runs clang in process: compiles OpenCL C source to LLVM IR of the spir64 flavor
// (docs/kernel_ir.md). At run time it needs neither a compiler binary nor a clang installation: our
// build embeds clang's opencl-c-base.h.
#pragma once

#include "front_ends/common/source_cache.h"
#include "front_ends/front_ends.h"
#include "front_ends/opencl_c/build_options.h"
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

// Appends diagnostics to `log`; they call the source "<source>" and embedded headers by their
// names. The caller provides a big stack (run_with_stack): clang recurses over the nesting of the
// source.
Result<FrontEndResult> run_front_end(llvm::LLVMContext &context, std::string_view source,
                                     const CompileOptions &options,
                                     const std::vector<EmbeddedHeader> &headers, std::string &log);

} // namespace lockstep::compiler

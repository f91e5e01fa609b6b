// Tests that the front end declares each builtin of each extension that the device reports, in all
// versions of OpenCL C. The expected builtins come from clang's full header, opencl-c.h of the
// build machine, which the front end does not read. The test reads that header once with the
// extensions and once without.
#include "front_ends/common/device_features.h"
#include "front_ends/front_ends.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

namespace lockstep::compiler {
namespace {

// Collects a call of each declared function, in a function that has its arguments as parameters.
class Calls : public clang::ASTConsumer {
public:
  explicit Calls(std::set<std::string> &calls) : calls_(calls) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    for (const clang::Decl *declaration : context.getTranslationUnitDecl()->decls())
      if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
        std::string parameters, arguments;
        for (const clang::ParmVarDecl *parameter : function->parameters()) {
          const char *separator = parameters.empty() ? "" : ", ";
          const std::string name = fmt::format("a{}", parameter->getFunctionScopeIndex());
          parameters += fmt::format("{}{} {}", separator, parameter->getType().getAsString(), name);
          arguments += separator + name;
        }
        calls_.insert(
            fmt::format("({}) {{ {}({}); }}", parameters, function->getName().str(), arguments));
      }
  }

private:
  std::set<std::string> &calls_;
};

class CollectAction : public clang::ASTFrontendAction {
public:
  explicit CollectAction(std::set<std::string> &calls) : calls_(calls) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    return std::make_unique<Calls>(calls_);
  }

private:
  std::set<std::string> &calls_;
};

// Extensions that only add types, or that clang requires to match a feature; the test skips their
// functions.
bool is_in_both(std::string_view extension) {
  return extension == "cl_khr_fp16" || extension == "cl_khr_fp64" ||
         extension == "cl_khr_3d_image_writes" || extension == "cl_ext_float_atomics";
}

std::set<std::string> declared(bool with_extensions) {
  std::string enabled = "-cl-ext=-all";
  std::vector<std::string> arguments = {"-triple", "spir64-unknown-unknown", "-x", "cl",
                                        "-cl-std=CL3.0"};
  for (const NameVersion &extension : language_extensions)
    if (with_extensions || is_in_both(extension.name)) {
      enabled += fmt::format(",+{}", extension.name);
      if (extension.name == "cl_khr_extended_bit_ops" || extension.name == "cl_khr_kernel_clock")
        arguments.insert(arguments.end(),
                         {"-D", std::string(extension.name)}); // -cl-ext has no such extension
    }
  for (const NameVersion &feature : opencl_c_features) {
    const bool is_extension = feature.name == "__opencl_c_subgroups";
    if (feature.name != "__opencl_c_int64" && (with_extensions || !is_extension))
      enabled += fmt::format(",+{}", feature.name);
    if (with_extensions && (feature.name.starts_with("__opencl_c_kernel_clock") ||
                            feature.name.starts_with("__opencl_c_integer_dot_product")))
      arguments.insert(arguments.end(), {"-D", std::string(feature.name)});
  }
  arguments.insert(arguments.end(), {enabled, "-internal-isystem", LOCKSTEP_CLANG_HEADERS,
                                     LOCKSTEP_CLANG_HEADERS "/opencl-c.h"});
  std::vector<const char *> pointers;
  for (const std::string &argument : arguments)
    pointers.push_back(argument.c_str());
  clang::DiagnosticOptions options;
  auto files = llvm::vfs::getRealFileSystem();
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files, options, new clang::TextDiagnosticPrinter(llvm::errs(), options));
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  EXPECT_TRUE(clang::CompilerInvocation::CreateFromArgs(*invocation, pointers, *diagnostics));
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics();
  std::set<std::string> calls;
  CollectAction action(calls);
  EXPECT_TRUE(compiler.ExecuteAction(action));
  return calls;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

TEST(ExtensionBuiltins, AreDeclaredInAllVersions) {
  std::set<std::string> calls = declared(/*with_extensions=*/true);
  for (const std::string &call : declared(/*with_extensions=*/false))
    calls.erase(call);
  EXPECT_GT(calls.size(), 1000u) << "opencl-c.h was not read";
  // clang's tables have no levels of read_write images in any version, and a declaration of ours
  // would hide all others of the same names.
  std::erase_if(calls, [](const std::string &call) {
    return contains(call, "__read_write") && !contains(call, "get_image_num_mip_levels");
  });
  // Builtins that the header does not declare.
  calls.insert(
      {"(uint a, uint2 b) { intel_sub_group_shuffle_down(b, b, a); }",
       "(global uint *p) { intel_sub_group_block_write4(p, intel_sub_group_block_read4(p)); }",
       "(int a) { work_group_reduce_mul(a); work_group_scan_inclusive_xor(a); }",
       "(cl_mem_fence_flags a) { async_work_group_copy_fence(a); }"});
  for (const char *version : {"", "-cl-std=CL1.0", "-cl-std=CL1.1", "-cl-std=CL1.2",
                              "-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=CL3.1"}) {
    const bool is_old = version[0] == 0 || contains(version, "CL1.");
    std::string source = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
                         "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n";
    size_t count = 0;
    for (const std::string &call : calls) {
      // Types that OpenCL C has from 2.0 on.
      const bool is_new = contains(call, "atomic_") || contains(call, "memory_") ||
                          contains(call, "read_write") || contains(call, "__generic");
      if (!is_old || !is_new)
        source += fmt::format("void f{}{}\n", count++, call);
    }
    EXPECT_GT(count, 500u);
    std::string log;
    EXPECT_TRUE(build_opencl_c(source, std::string("-w ") + version, log)) << version << "\n"
                                                                           << log.substr(0, 10'000);
  }
}

} // namespace
} // namespace lockstep::compiler

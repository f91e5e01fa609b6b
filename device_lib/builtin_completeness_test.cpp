// Checks that the device library or libclc defines every builtin that a kernel can call. A missing
// overload would otherwise fail at link time of a user's kernel. The reference is clang's full
// header, opencl-c.h of the build machine. The test reads it as OpenCL C 3.0 (pointers to the
// generic address space) and as OpenCL C 1.2 (named address spaces).
#include "device_lib/device_library.h"
#include "front_ends/common/device_features.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Mangle.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>
#include <vector>

namespace lockstep::compiler {
namespace {

class NameCollector : public clang::ASTConsumer {
public:
  explicit NameCollector(std::set<std::string> &names) : names_(names) {}

  void HandleTranslationUnit(clang::ASTContext &context) override {
    std::unique_ptr<clang::MangleContext> mangler(context.createMangleContext());
    for (const clang::Decl *declaration : context.getTranslationUnitDecl()->decls())
      if (auto *function = llvm::dyn_cast<clang::FunctionDecl>(declaration)) {
        std::string name;
        llvm::raw_string_ostream stream(name);
        if (mangler->shouldMangleDeclName(function))
          mangler->mangleName(function, stream);
        else
          stream << function->getName();
        names_.insert(name);
      }
  }

private:
  std::set<std::string> &names_;
};

class CollectAction : public clang::ASTFrontendAction {
public:
  explicit CollectAction(std::set<std::string> &names) : names_(names) {}
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    return std::make_unique<NameCollector>(names_);
  }

private:
  std::set<std::string> &names_;
};

std::set<std::string> declared_builtins(const char *standard) {
  std::string extensions = "-cl-ext=-all";
  for (const NameVersion &extension : language_extensions)
    extensions += fmt::format(",+{}", extension.name);
  for (const NameVersion &feature : opencl_c_features)
    if (feature.name != "__opencl_c_int64")
      extensions += fmt::format(",+{}", feature.name);
  std::vector<const char *> arguments = {"-triple",
                                         "spir64-unknown-unknown",
                                         "-x",
                                         "cl",
                                         standard,
                                         extensions.c_str(),
                                         "-internal-isystem",
                                         LOCKSTEP_CLANG_HEADERS,
                                         LOCKSTEP_CLANG_HEADERS "/opencl-c.h"};
  // Macros that -cl-ext does not set, but opencl-c.h tests.
  for (const char *macro : {"cl_khr_extended_bit_ops",
                            "__opencl_c_integer_dot_product_input_4x8bit",
                            "__opencl_c_integer_dot_product_input_4x8bit_packed",
                            "cl_khr_kernel_clock",
                            "__opencl_c_kernel_clock_scope_device",
                            "__opencl_c_kernel_clock_scope_work_group",
                            "__opencl_c_kernel_clock_scope_sub_group",
                            "cl_ext_float_atomics",
                            "__opencl_c_ext_fp16_global_atomic_load_store",
                            "__opencl_c_ext_fp16_local_atomic_load_store",
                            "__opencl_c_ext_fp16_global_atomic_add",
                            "__opencl_c_ext_fp16_global_atomic_min_max",
                            "__opencl_c_ext_fp16_local_atomic_add",
                            "__opencl_c_ext_fp16_local_atomic_min_max",
                            "__opencl_c_ext_fp32_global_atomic_add",
                            "__opencl_c_ext_fp32_global_atomic_min_max",
                            "__opencl_c_ext_fp32_local_atomic_add",
                            "__opencl_c_ext_fp32_local_atomic_min_max",
                            "__opencl_c_ext_fp64_global_atomic_add",
                            "__opencl_c_ext_fp64_global_atomic_min_max",
                            "__opencl_c_ext_fp64_local_atomic_add",
                            "__opencl_c_ext_fp64_local_atomic_min_max"})
    arguments.insert(arguments.begin(), {"-D", macro});
  clang::DiagnosticOptions options;
  auto files = llvm::vfs::getRealFileSystem();
  auto diagnostics = clang::CompilerInstance::createDiagnostics(
      *files, options, new clang::TextDiagnosticPrinter(llvm::errs(), options));
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  EXPECT_TRUE(clang::CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics));
  clang::CompilerInstance compiler(invocation);
  compiler.setVirtualFileSystem(files);
  compiler.createDiagnostics();
  std::set<std::string> names;
  CollectAction action(names);
  EXPECT_TRUE(compiler.ExecuteAction(action));
  return names;
}

void expect_all_defined(const std::set<std::string> &names) {
  EXPECT_GT(names.size(), 5000u) << "opencl-c.h was not read";
  std::string missing;
  for (const std::string &name : names)
    if (!is_builtin_function(name))
      missing += fmt::format("  {}  {}\n", name, llvm::demangle(name));
  EXPECT_EQ(missing, "");
}

TEST(BuiltinCompleteness, OpenClC30) {
  expect_all_defined(declared_builtins("-cl-std=CL3.0"));
}
TEST(BuiltinCompleteness, OpenClC12) {
  expect_all_defined(declared_builtins("-cl-std=CL1.2"));
}

} // namespace
} // namespace lockstep::compiler

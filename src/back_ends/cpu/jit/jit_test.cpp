// Tests which symbols machine code can link to, and the error for missing ones.
#include "back_ends/cpu/jit/jit.h"

#include "back_ends/cpu/jit/emit_code.h"
#include "compiler/options/target.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

#include <gtest/gtest.h>

namespace lockstep::compiler {
namespace {

Result<LoadedKernel> load(const std::string &callee) {
  auto target = make_target_machine(find_target(std::nullopt), /*optimize=*/false);
  EXPECT_TRUE(target);
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString("declare void @" + callee +
                                              "()\n"
                                              "define void @lockstep.workgroup() {\n  call void @" +
                                              callee + "()\n  ret void\n}\n",
                                          diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  module->setTargetTriple(target->getTargetTriple());
  module->setDataLayout(target->createDataLayout());
  auto object = emit_object(*module, *target);
  LOCKSTEP_TRY(object);
  auto variables = load_variables("");
  LOCKSTEP_TRY(variables);
  return load_kernel(object->bytes, /*is_resumable=*/false, **variables);
}

TEST(Jit, NamesTheSymbolThatIsMissing) {
  // Two failures: the second error must not repeat the reasons of the first.
  for (const char *missing : {"nobody_has_this", "nor_this"}) {
    const auto loaded = load(missing);
    ASSERT_FALSE(loaded);
    EXPECT_NE(loaded.error().message.find(missing), std::string::npos) << loaded.error().message;
  }
  const auto loaded = load("and_not_this");
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().message.find("nobody_has_this"), std::string::npos);
}

TEST(Jit, LinksFunctionsThatStandForInstructions) {
  for (const char *function : {"memcpy", "fmodf", "__udivti3", "lockstep_strided_copy"})
    EXPECT_TRUE(load(function)) << function;
}

// The process has all of these.
TEST(Jit, LinksNothingElseOfTheProcess) {
  for (const char *function : {"system", "abort", "dlopen", "open", "malloc", "printf"}) {
    const auto loaded = load(function);
    ASSERT_FALSE(loaded) << function;
    EXPECT_NE(loaded.error().message.find(function), std::string::npos) << loaded.error().message;
  }
}

} // namespace
} // namespace lockstep::compiler

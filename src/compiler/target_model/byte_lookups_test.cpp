// Compiles lookups of bytes for AArch64, whichever architecture this machine has.
#include "compiler/prepare_code/workarounds/llvm22/passes.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace lockstep::compiler {
namespace {

// Looks `places` bytes up in `bytes`.
std::string lookup(unsigned bytes, unsigned places) {
  std::string code = fmt::format("define <{1} x i8> @lookup(<{0} x i8> %of, <{1} x i8> %at) {{\n"
                                 "  %places = and <{1} x i8> %at, splat (i8 {2})\n",
                                 bytes, places, bytes - 1);
  std::string last = "poison";
  for (unsigned i = 0; i != places; ++i) {
    code += fmt::format("  %place{0} = extractelement <{1} x i8> %places, i64 {0}\n"
                        "  %byte{0} = extractelement <{2} x i8> %of, i8 %place{0}\n"
                        "  %all{0} = insertelement <{1} x i8> {3}, i8 %byte{0}, i64 {0}\n",
                        i, places, bytes, last);
    last = fmt::format("%all{}", i);
  }
  return code + fmt::format("  ret <{} x i8> {}\n}}\n", places, last);
}

std::string compiled(const std::string &code, const char *architecture, bool with_pass) {
  llvm::InitializeAllTargetInfos();
  llvm::InitializeAllTargets();
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  std::string error;
  const llvm::Triple triple(architecture);
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  std::unique_ptr<llvm::TargetMachine> machine(
      target->createTargetMachine(triple, "", "", {}, llvm::Reloc::PIC_));
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(code, diagnostic, context);
  module->setTargetTriple(triple);
  module->setDataLayout(machine->createDataLayout());
  llvm::FunctionAnalysisManager analyses;
  if (with_pass)
    HideByteLookupsPass(*machine).run(*module->getFunction("lookup"), analyses);
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  machine->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile);
  passes.run(*module);
  return text.str().str();
}

constexpr const char *arm = "aarch64-linux-gnu";

TEST(HideByteLookups, LookupsInVectorsOfAnotherLengthAreNoTables) {
  for (unsigned places : {8u, 16u})
    for (unsigned bytes : {2u, 4u, 8u, 16u}) {
      const std::string code = compiled(lookup(bytes, places), arm, /*with_pass=*/true);
      EXPECT_EQ(code.find("tbl") != code.npos, bytes == places) << code;
      EXPECT_EQ(code.find("mrs"), code.npos) << code;
    }
}

// A failure here means that LLVM no longer needs the pass.
TEST(HideByteLookups, LlvmStillNeedsIt) {
  EXPECT_NE(compiled(lookup(8, 16), arm, /*with_pass=*/false).find("mrs"), std::string::npos);
}

TEST(HideByteLookups, OtherArchitecturesKeepTheirs) {
  const char *const x86 = "x86_64-pc-linux-gnu";
  EXPECT_EQ(compiled(lookup(8, 16), x86, /*with_pass=*/true),
            compiled(lookup(8, 16), x86, /*with_pass=*/false));
}

} // namespace
} // namespace lockstep::compiler

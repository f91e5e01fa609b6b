// Compiles for AArch64, on a machine of any architecture, what LLVM 22 compiles badly there.
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

// The assembly of the first function.
template <class Pass>
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
    Pass(*machine).run(*module->begin(), analyses);
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
      const std::string code =
          compiled<HideByteLookupsPass>(lookup(bytes, places), arm, /*with_pass=*/true);
      EXPECT_EQ(code.find("tbl") != code.npos, bytes == places) << code;
      EXPECT_EQ(code.find("mrs"), code.npos) << code;
    }
}

// A failure here means that LLVM no longer needs the pass.
TEST(HideByteLookups, LlvmStillNeedsIt) {
  EXPECT_NE(compiled<HideByteLookupsPass>(lookup(8, 16), arm, /*with_pass=*/false).find("mrs"),
            std::string::npos);
}

TEST(HideByteLookups, OtherArchitecturesKeepTheirs) {
  const char *const x86 = "x86_64-pc-linux-gnu";
  EXPECT_EQ(compiled<HideByteLookupsPass>(lookup(8, 16), x86, /*with_pass=*/true),
            compiled<HideByteLookupsPass>(lookup(8, 16), x86, /*with_pass=*/false));
}

// Selects by the lowest bits of each fifth element, with SVE of 512 bits.
constexpr const char *lowest_bits = R"(
define <16 x i16> @lowest_bits(ptr %of, <16 x i16> %x) vscale_range(4,4) "target-features"="+sve" {
  %all = load <80 x i16>, ptr %of
  %fifth = shufflevector <80 x i16> %all, <80 x i16> poison, <16 x i32> <i32 0, i32 5, i32 10, i32 15, i32 20, i32 25, i32 30,
    i32 35, i32 40, i32 45, i32 50, i32 55, i32 60, i32 65, i32 70, i32 75>
  %mask = trunc <16 x i16> %fifth to <16 x i1>
  %r = select <16 x i1> %mask, <16 x i16> %x, <16 x i16> zeroinitializer
  ret <16 x i16> %r
}
)";

TEST(HideMaskTruncations, MasksOfShufflesCompile) {
  const std::string code = compiled<HideMaskTruncationsPass>(lowest_bits, arm, /*with_pass=*/true);
  EXPECT_NE(code.find("ret"), code.npos) << code;
}

// A failure here means that LLVM no longer needs the pass.
TEST(HideMaskTruncationsDeathTest, LlvmStillNeedsIt) {
  EXPECT_DEATH(compiled<HideMaskTruncationsPass>(lowest_bits, arm, /*with_pass=*/false),
               "Cannot select");
}

// maximumNumber or minimumNumber of vectors of this type, with SVE of 512 bits.
std::string extreme(const char *operation, const char *type, const char *name,
                    const char *flags = "") {
  return fmt::format("define <{1}> @extreme(<{1}> %x, <{1}> %y) vscale_range(4,4) "
                     "\"target-features\"=\"+sve,+fullfp16\" {{\n"
                     "  %m = call {3} <{1}> @llvm.{0}.{2}(<{1}> %x, <{1}> %y)\n"
                     "  ret <{1}> %m\n}}\n"
                     "declare <{1}> @llvm.{0}.{2}(<{1}>, <{1}>)\n",
                     operation, type, name, flags);
}

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
    ++times;
  return times;
}

TEST(LowerMaximumNumbers, LongVectorsUseInstructionsOfVectors) {
  const char *const types[][3] = {{"16 x float", "v16f32", ".s"},
                                  {"8 x float", "v8f32", ".s"},
                                  {"8 x double", "v8f64", ".d"},
                                  {"32 x half", "v32f16", ".h"}};
  for (const auto &[type, name, element] : types) {
    const std::string most = compiled<LowerMaximumNumbersPass>(extreme("maximumnum", type, name),
                                                               arm, /*with_pass=*/true);
    const std::string maximum = "fmaxnm\tz", minimum = "fminnm\tz";
    EXPECT_EQ(count(most, maximum), 1u) << most;
    EXPECT_EQ(count(most, minimum), 2u) << most; // quiets both operands
    EXPECT_EQ(most.find("fcmp"), most.npos) << most;
    EXPECT_NE(most.find(element), most.npos) << most;
    const std::string least = compiled<LowerMaximumNumbersPass>(extreme("minimumnum", type, name),
                                                                arm, /*with_pass=*/true);
    EXPECT_EQ(count(least, maximum), 0u) << least;
    EXPECT_EQ(count(least, minimum), 3u) << least;
  }
}

TEST(LowerMaximumNumbers, NumbersNeedNoQuieting) {
  const std::string code = compiled<LowerMaximumNumbersPass>(
      extreme("maximumnum", "16 x float", "v16f32", "nnan"), arm, /*with_pass=*/true);
  EXPECT_NE(code.find("fmaxnm"), code.npos) << code;
  EXPECT_EQ(code.find("fminnm"), code.npos) << code;
  EXPECT_EQ(code.find("fcmp"), code.npos) << code;
}

// Short vectors are as LLVM has them.
TEST(LowerMaximumNumbers, VectorsOfOneRegisterOfNeonAreLeftAlone) {
  const std::string short_one = extreme("maximumnum", "4 x float", "v4f32");
  EXPECT_EQ(compiled<LowerMaximumNumbersPass>(short_one, arm, /*with_pass=*/true),
            compiled<LowerMaximumNumbersPass>(short_one, arm, /*with_pass=*/false));
}

// A failure here means that LLVM no longer needs the pass.
TEST(LowerMaximumNumbers, LlvmStillNeedsIt) {
  const std::string code = compiled<LowerMaximumNumbersPass>(
      extreme("maximumnum", "16 x float", "v16f32"), arm, /*with_pass=*/false);
  EXPECT_EQ(count(code, "fcmp"), 48u) << code;
}

} // namespace
} // namespace lockstep::compiler

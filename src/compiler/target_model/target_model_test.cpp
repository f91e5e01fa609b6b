// Asks the models of both architectures, whichever this machine has, and compiles what they emit.
#include "compiler/target_model/target_model.h"

#include "compiler/target_model/aarch64/aarch64_model.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Triple.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace lockstep::compiler {
namespace {

constexpr const char *x86 = "x86_64-pc-linux-gnu", *arm = "aarch64-linux-gnu";

class Processor {
public:
  Processor(const char *architecture, const char *cpu, const char *features = "") {
    llvm::InitializeAllTargetInfos();
    llvm::InitializeAllTargets();
    llvm::InitializeAllTargetMCs();
    llvm::InitializeAllAsmPrinters();
    std::string error;
    const llvm::Triple triple(architecture);
    const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
    machine_.reset(target->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_));
    model_ = target_model(*machine_);
  }
  llvm::TargetMachine &machine() { return *machine_; }
  const TargetModel *operator->() const { return model_.get(); }

  std::string assembly(llvm::Module &module) {
    module.setTargetTriple(machine_->getTargetTriple());
    module.setDataLayout(machine_->createDataLayout());
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager passes;
    EXPECT_FALSE(machine_->addPassesToEmitFile(passes, stream, nullptr,
                                               llvm::CodeGenFileType::AssemblyFile));
    passes.run(module);
    return text.str().str();
  }

private:
  std::unique_ptr<llvm::TargetMachine> machine_;
  std::unique_ptr<TargetModel> model_;
};

// The assembly of a function that permutes `length` bytes.
std::string permutation(Processor processor, unsigned length) {
  llvm::LLVMContext context;
  llvm::Module module("permutation", context);
  auto *type = llvm::FixedVectorType::get(llvm::Type::getInt8Ty(context), length);
  auto *function = llvm::Function::Create(llvm::FunctionType::get(type, {type, type}, false),
                                          llvm::GlobalValue::ExternalLinkage, "permuted", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  builder.CreateRet(processor->permute(builder, function->getArg(0), function->getArg(1)));
  EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
  return processor.assembly(module);
}

TEST(TargetModel, WidthsOfX86) {
  EXPECT_EQ(Processor(x86, "x86-64")->vector_bits(), 128u);
  EXPECT_EQ(Processor(x86, "x86-64-v3")->vector_bits(), 256u);
  EXPECT_EQ(Processor(x86, "x86-64-v4")->vector_bits(), 512u);
  EXPECT_EQ(Processor(x86, "x86-64-v4", "-avx512f")->vector_bits(), 256u);
  EXPECT_EQ(Processor(x86, "x86-64-v4")->vector_registers(), 32u);
  EXPECT_EQ(Processor(x86, "x86-64-v3")->vector_registers(), 16u);
  EXPECT_EQ(Processor(x86, "x86-64-v4")->without_widest(512), "-avx512f");
  EXPECT_EQ(Processor(x86, "x86-64-v3")->without_widest(256), "-avx");
  EXPECT_EQ(Processor(x86, "x86-64")->without_widest(128), "");
}

TEST(TargetModel, WidthsOfArm) {
  EXPECT_EQ(Processor(arm, "neoverse-n1")->vector_bits(), 128u);
  EXPECT_EQ(Processor(arm, "neoverse-n1")->vector_registers(), 32u);
  EXPECT_EQ(Processor(arm, "neoverse-v1")->without_widest(256), "-sve");
  EXPECT_EQ(Processor(arm, "neoverse-v1")->without_widest(128), "");
}

// The bits of vectors where SVE's registers have this length.
uint32_t vector_bits(uint32_t register_bits, const char *features = "+sve") {
  Processor processor(arm, "", features);
  return aarch64_model(*processor.machine().getMCSubtargetInfo(), register_bits)->vector_bits();
}

TEST(TargetModel, ScalableRegistersAreUsedWholeOrNotAtAll) {
  EXPECT_EQ(vector_bits(0), 128u);
  EXPECT_EQ(vector_bits(128), 128u);
  EXPECT_EQ(vector_bits(256), 256u);
  EXPECT_EQ(vector_bits(384), 128u);
  EXPECT_EQ(vector_bits(512), 512u);
  EXPECT_EQ(vector_bits(2048), 128u);
  EXPECT_EQ(vector_bits(512, ""), 128u);
}

// The assembly of a function that returns every second element of two vectors.
std::string every_second(uint32_t register_bits, unsigned element_bits) {
  Processor processor(arm, "", "+sve");
  const auto model = aarch64_model(*processor.machine().getMCSubtargetInfo(), register_bits);
  const unsigned length = register_bits / element_bits;
  std::string places;
  for (unsigned i = 0; i != length; ++i)
    places += fmt::format("{}i32 {}", i == 0 ? "" : ", ", 2 * i + 1);
  const std::string code =
      fmt::format("define void @second(ptr %to, <{0} x i{1}> %a, <{0} x i{1}> %b) {{\n"
                  "  %of = shufflevector <{0} x i{1}> %a, <{0} x i{1}> %b, <{0} x i32> <{2}>\n"
                  "  store <{0} x i{1}> %of, ptr %to\n  ret void\n}}\n",
                  length, element_bits, places);
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(code, diagnostic, context);
  model->set_code_attributes(*module->begin());
  return processor.assembly(*module);
}

// LLVM 22 needs the exact length of the registers, or it goes through memory, element by element.
// Its scheduler then needs minutes for a transpose of 64 x 64 bytes.
TEST(TargetModel, PermutationsOfScalableRegistersAreInstructions) {
  for (uint32_t register_bits : {256, 512})
    for (unsigned element_bits : {8, 16, 32, 64}) {
      const std::string code = every_second(register_bits, element_bits);
      EXPECT_NE(code.find("uzp2\tz"), code.npos) << code;
      EXPECT_LT(std::ranges::count(code, '\n'), 45) << code;
    }
}

TEST(TargetModel, OperationsAndWorkarounds) {
  EXPECT_FALSE(Processor(x86, "x86-64")->has(Operation::fused_multiply_add));
  EXPECT_TRUE(Processor(x86, "x86-64-v3")->has(Operation::fused_multiply_add));
  EXPECT_FALSE(Processor(x86, "x86-64-v4")->has(Operation::half_arithmetic));
  EXPECT_TRUE(Processor(x86, "sapphirerapids")->has(Operation::half_arithmetic));
  EXPECT_FALSE(Processor(x86, "x86-64-v3")->needs(Workaround::hide_half_masks));
  EXPECT_TRUE(Processor(x86, "x86-64-v4")->needs(Workaround::hide_half_masks));
  EXPECT_TRUE(Processor(arm, "cortex-a53")->has(Operation::fused_multiply_add));
  EXPECT_FALSE(Processor(arm, "cortex-a53")->has(Operation::half_arithmetic));
  EXPECT_TRUE(Processor(arm, "neoverse-n1")->has(Operation::half_arithmetic));
  EXPECT_FALSE(Processor(arm, "neoverse-v1")->needs(Workaround::keep_loads_out_of_merges));
}

TEST(TargetModel, EstimatesOfReciprocalSquareRoots) {
  EXPECT_EQ(Processor(x86, "x86-64-v3")->reciprocal_sqrt_estimates().most, 0u);
  EXPECT_EQ(Processor(x86, "x86-64-v4")->reciprocal_sqrt_estimates().most, 16u);
  EXPECT_EQ(Processor(arm, "neoverse-n1")->reciprocal_sqrt_estimates().most, 0u);
}

TEST(TargetModel, PermutationsAreInstructions) {
  EXPECT_FALSE(Processor(x86, "x86-64")->has_permutation(8, 16));
  EXPECT_TRUE(Processor(x86, "x86-64-v2")->has_permutation(8, 16));
  EXPECT_NE(permutation({x86, "x86-64-v2"}, 16).find("pshufb"), std::string::npos);
  for (unsigned length : {16, 32, 64}) {
    ASSERT_TRUE(Processor(arm, "cortex-a53")->has_permutation(8, length)) << length;
    const std::string code = permutation({arm, "cortex-a53"}, length);
    unsigned count = 0; // of table look-ups
    for (std::size_t at = code.find("\ttbl\t"); at != std::string::npos;
         at = code.find("\ttbl\t", at + 1))
      ++count;
    EXPECT_EQ(count, length / 16) << code;
  }
  EXPECT_FALSE(Processor(arm, "cortex-a53")->has_permutation(32, 4));
}

} // namespace
} // namespace lockstep::compiler

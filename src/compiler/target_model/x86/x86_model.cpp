#include "compiler/target_model/x86/x86_model.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>

namespace lockstep::compiler {
namespace {

// What one instruction does: it permutes elements of one width in one register.
struct Permutation {
  unsigned bits, length;
  const char *features;
  llvm::Intrinsic::ID intrinsic;
};

constexpr Permutation permutations[] = {
    {8, 16, "+ssse3", llvm::Intrinsic::x86_ssse3_pshuf_b_128},
    {8, 32, "+avx512vbmi,+avx512vl", llvm::Intrinsic::x86_avx512_permvar_qi_256},
    {8, 64, "+avx512vbmi", llvm::Intrinsic::x86_avx512_permvar_qi_512},
    {16, 8, "+avx512bw,+avx512vl", llvm::Intrinsic::x86_avx512_permvar_hi_128},
    {16, 16, "+avx512bw,+avx512vl", llvm::Intrinsic::x86_avx512_permvar_hi_256},
    {16, 32, "+avx512bw", llvm::Intrinsic::x86_avx512_permvar_hi_512},
    {32, 4, "+avx", llvm::Intrinsic::x86_avx_vpermilvar_ps},
    {32, 8, "+avx2", llvm::Intrinsic::x86_avx2_permps},
    {32, 16, "+avx512f", llvm::Intrinsic::x86_avx512_permvar_sf_512},
    {64, 4, "+avx512f,+avx512vl", llvm::Intrinsic::x86_avx512_permvar_df_256},
    {64, 8, "+avx512f", llvm::Intrinsic::x86_avx512_permvar_df_512},
};

class X86Model : public TargetModel {
public:
  explicit X86Model(const llvm::MCSubtargetInfo &cpu) : cpu_(cpu) {}

  const char *least_processor() const override { return "x86-64"; }
  std::optional<std::set<std::string>> extensions(const std::string &processor) const override {
    llvm::SmallVector<llvm::StringRef> names;
    // LLVM's lists leave out some of the base (cmov of Zen), and what others imply (avx2).
    llvm::X86::getFeaturesForCPU(least_processor(), names);
    llvm::X86::getFeaturesForCPU(processor, names);
    llvm::StringMap<bool> all;
    for (const llvm::StringRef name : names) {
      all[name] = true;
      llvm::X86::updateImpliedFeatures(name, true, all);
    }
    std::set<std::string> present;
    for (const auto &feature : all)
      if (feature.second)
        present.insert(feature.first().str());
    return present;
  }
  uint32_t vector_bits() const override {
    if (has_all("+avx512f"))
      return 512;
    return has_all("+avx") ? 256 : 128;
  }
  unsigned vector_registers() const override { return has_all("+avx512f") ? 32 : 16; }
  unsigned scalar_registers() const override { return 16; }
  // LLVM also disables the features that depend on it.
  std::string without_widest(uint32_t bits) const override {
    if (bits > 256)
      return "-avx512f";
    return bits > 128 ? "-avx" : "";
  }

  bool has(Operation operation) const override {
    switch (operation) {
    case Operation::half_arithmetic:
      return has_all("+avx512fp16");
    case Operation::half_conversion:
      return has_all("+f16c") || has_all("+avx512fp16");
    case Operation::fused_multiply_add:
      return has_all("+fma") || has_all("+fma4") || has_all("+avx512f");
    case Operation::long_conversion:
      return has_all("+avx512dq");
    case Operation::rounding:
      return has_all("+sse4.1");
    }
    return false;
  }

  bool needs(Workaround workaround) const override {
    switch (workaround) {
    case Workaround::hide_byte_lookups:
    case Workaround::hide_mask_truncations:
    case Workaround::lower_maximum_numbers:
      return false;
    case Workaround::hide_float_bits:
      return has_all("+avx512f,+avx512vl");
    case Workaround::hide_half_masks:
      return has_all("+avx512dq");
    case Workaround::isolate_byte_shuffles:
    case Workaround::select_by_masks:
      return has_all("+avx512bw");
    case Workaround::keep_loads_out_of_logic:
      return has_all("+avx512f");
    case Workaround::keep_loads_out_of_merges:
      return true;
    }
    return false;
  }

  bool has_permutation(unsigned bits, unsigned length) const override {
    return permutation(bits, length) != nullptr;
  }
  llvm::Value *permute(llvm::IRBuilderBase &builder, llvm::Value *of,
                       llvm::Value *by) const override {
    auto *shape = llvm::cast<llvm::FixedVectorType>(by->getType());
    const Permutation *how = permutation(shape->getScalarSizeInBits(), shape->getNumElements());
    llvm::Type *type = of->getType();
    auto *permuted = llvm::Intrinsic::getOrInsertDeclaration(builder.GetInsertBlock()->getModule(),
                                                             how->intrinsic);
    of = builder.CreateBitCast(of, permuted->getReturnType());
    return builder.CreateBitCast(builder.CreateCall(permuted, {of, by}), type);
  }

  // Registers of every length have the instruction. Processors with AVX-512F alone are no longer
  // made.
  Lengths reciprocal_sqrt_estimates() const override {
    return has_all("+avx512bw,+avx512vl") ? Lengths{4, 16} : Lengths{};
  }
  llvm::Value *estimate_reciprocal_sqrt(llvm::IRBuilderBase &builder,
                                        llvm::Value *x) const override {
    const unsigned length = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
    llvm::Intrinsic::ID id = length == 16  ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_512
                             : length == 8 ? llvm::Intrinsic::x86_avx512_rsqrt14_ps_256
                                           : llvm::Intrinsic::x86_avx512_rsqrt14_ps_128;
    llvm::Type *mask = builder.getIntNTy(std::max(8U, length));
    return builder.CreateIntrinsic(
        id, {},
        {x, llvm::Constant::getNullValue(x->getType()), llvm::Constant::getAllOnesValue(mask)},
        nullptr, "estimate");
  }

  // The features say how long vectors are. For a division of floats that may be approximate, LLVM
  // refines the estimate of the reciprocal, and the step turns the estimates of 1 / 0 and 1 / infinity
  // into NaN. Programs rely on these: 1 / (1 + exp(-x)) where exp overflows. The instruction for
  // division takes at most 1.7 times as long (AVX2; AVX-512: 1.25, measured on Zen 5).
  void set_code_attributes(llvm::Function &function) const override {
    function.addFnAttr("reciprocal-estimates", "!divf,!vec-divf");
  }

private:
  bool has_all(const char *features) const { return cpu_.checkFeatures(features); }
  const Permutation *permutation(unsigned bits, unsigned length) const {
    for (const Permutation &each : permutations)
      if (each.bits == bits && each.length == length && has_all(each.features))
        return &each;
    return nullptr;
  }

  const llvm::MCSubtargetInfo &cpu_;
};

} // namespace

std::unique_ptr<TargetModel> x86_model(const llvm::MCSubtargetInfo &cpu) {
  return std::make_unique<X86Model>(cpu);
}

} // namespace lockstep::compiler

#include "compiler/target_model/aarch64/aarch64_model.h"

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"

#include <bit>
#include <numeric>

namespace lockstep::compiler {
namespace {

constexpr unsigned neon_bits = 128, neon_bytes = neon_bits / 8;
constexpr uint32_t most_bits = 512; // more lanes than sub-groups of 16 have not been tried

class AArch64Model : public TargetModel {
public:
  AArch64Model(const llvm::MCSubtargetInfo &cpu, uint32_t register_bits)
      : cpu_(cpu), register_bits_(register_bits) {}

  const char *least_processor() const override { return "generic"; }
  // Code with SVE is for one length of registers, which is not an extension.
  std::optional<std::set<std::string>> extensions(const std::string &) const override { return {}; }
  // The whole registers or NEON: LLVM 22 permutes a part of a register through memory, byte by byte.
  uint32_t vector_bits() const override {
    const bool fits = std::has_single_bit(register_bits_) && register_bits_ > neon_bits &&
                      register_bits_ <= most_bits;
    return has_all("+sve") && fits ? register_bits_ : neon_bits;
  }
  unsigned vector_registers() const override { return 32; }
  unsigned scalar_registers() const override { return 31; }
  std::string without_widest(uint32_t bits) const override {
    return bits > neon_bits ? "-sve" : "";
  }

  bool has(Operation operation) const override {
    return operation != Operation::half_arithmetic || has_all("+fullfp16");
  }
  bool needs(Workaround workaround) const override {
    return workaround == Workaround::hide_byte_lookups ||
           workaround == Workaround::hide_mask_truncations ||
           workaround == Workaround::lower_maximum_numbers;
  }

  // TBL looks bytes up in one to four registers.
  bool has_permutation(unsigned bits, unsigned length) const override {
    return bits == 8 &&
           (length == neon_bytes || length == 2 * neon_bytes || length == 4 * neon_bytes);
  }
  llvm::Value *permute(llvm::IRBuilderBase &builder, llvm::Value *of,
                       llvm::Value *by) const override {
    const unsigned parts =
        llvm::cast<llvm::FixedVectorType>(by->getType())->getNumElements() / neon_bytes;
    auto *one = llvm::FixedVectorType::get(builder.getInt8Ty(), neon_bytes);
    auto part_of = [&](llvm::Value *whole, unsigned part) {
      llvm::SmallVector<int, neon_bytes> bytes(neon_bytes);
      std::iota(bytes.begin(), bytes.end(), int(part * neon_bytes));
      return parts == 1 ? whole : builder.CreateShuffleVector(whole, bytes);
    };
    llvm::SmallVector<llvm::Value *, 5> operands;
    for (unsigned part = 0; part != parts; ++part)
      operands.push_back(part_of(builder.CreateBitCast(of, by->getType()), part));
    const llvm::Intrinsic::ID id = parts == 1   ? llvm::Intrinsic::aarch64_neon_tbl1
                                   : parts == 2 ? llvm::Intrinsic::aarch64_neon_tbl2
                                                : llvm::Intrinsic::aarch64_neon_tbl4;
    operands.push_back(nullptr);
    llvm::SmallVector<llvm::Value *, 4> results;
    for (unsigned part = 0; part != parts; ++part) {
      operands.back() = part_of(by, part);
      results.push_back(builder.CreateIntrinsic(id, {one}, operands));
    }
    return builder.CreateBitCast(llvm::concatenateVectors(builder, results), of->getType());
  }

  // FRSQRTE yields 8 bits.
  Lengths reciprocal_sqrt_estimates() const override { return {}; }
  llvm::Value *estimate_reciprocal_sqrt(llvm::IRBuilderBase &, llvm::Value *) const override {
    return nullptr;
  }

  void set_code_attributes(llvm::Function &function) const override {
    if (const uint32_t length = vector_bits() / neon_bits; length > 1)
      function.addFnAttr(
          llvm::Attribute::getWithVScaleRangeArgs(function.getContext(), length, length));
  }

private:
  bool has_all(const char *features) const { return cpu_.checkFeatures(features); }

  const llvm::MCSubtargetInfo &cpu_;
  const uint32_t register_bits_; // of SVE
};

} // namespace

std::unique_ptr<TargetModel> aarch64_model(const llvm::MCSubtargetInfo &cpu,
                                           uint32_t register_bits) {
  return std::make_unique<AArch64Model>(cpu, register_bits);
}

} // namespace lockstep::compiler

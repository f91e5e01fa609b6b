#include "front_ends/spirv/decorations.h"

#include "llvm/Support/MathExtras.h"

namespace lockstep::compiler::spirv {
namespace {

constexpr uint32_t largest_alignment = 4096;

} // namespace

std::optional<llvm::Align> alignment_from(uint32_t bytes) {
  if (!llvm::isPowerOf2_32(bytes) || bytes > largest_alignment)
    return {};
  return llvm::Align(bytes);
}

std::optional<llvm::Align> alignment_of(const Module &module, Id id) {
  const Decoration *decoration = module.find_decoration(id, spv::Decoration::Alignment);
  if (!decoration || decoration->operands.empty())
    return {};
  return alignment_from(decoration->operands[0]);
}

} // namespace lockstep::compiler::spirv

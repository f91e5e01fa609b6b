// Expands masked loads and stores for which the processor has no instruction: AVX2 has none of 8-
// and 16-bit elements, SSE and NEON have none at all. LLVM would test and access each element alone.
//
// A load reads the whole vector where that cannot fault: some element is active, and the vector lies
// within one page of the smallest size. Protection and mappings change only between pages, so the
// inactive elements can be read, and nothing uses them. A vector that crosses into another page is
// loaded element by element through a buffer on the stack: 64 bytes without alignment do so once in
// 64 times. A store writes the whole vector where all elements are active, and else the active ones
// from such a buffer.
//
// Requires: the work-group function after the final optimization. Optimizations could conclude that
// the bytes of inactive elements belong to an object.
// Ensures: no masked access is left that can_expand_masked_access() accepts and the processor lacks.
//
// Position: after all passes that combine masked accesses or look for loops of one block, and before
// carry-masks-as-bits, since masks are used in more blocks than before.
#pragma once

#include "compiler/analysis/cost/thresholds.h"

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace llvm {
class FixedVectorType;
class TargetMachine;
} // namespace llvm

namespace lockstep::compiler {

inline constexpr uint64_t smallest_page = 4096;
// Longer vectors would cross into another page more often than once in 16 times.
inline constexpr uint64_t most_bytes_expanded = smallest_page / limits::lanes_in_line;

// Whether the pass expands masked accesses of this type.
bool can_expand_masked_access(const llvm::FixedVectorType &type, const llvm::DataLayout &layout);

class ExpandMaskedAccessesPass : public llvm::PassInfoMixin<ExpandMaskedAccessesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

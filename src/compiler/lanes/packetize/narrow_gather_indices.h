// Rewrites gathers and scatters to use 32-bit indices from one scalar base, if the program has
// such.
//
//   table[h & 255]        in the program
//   table + 4 * sext(h)   16 addresses in two registers, shifted and added; two gathers of eight
//
// x86 gathers 16 elements at once by 32-bit indices, which the instruction extends and scales. The
// code generator uses this form if the address is one getelementptr of a scalar pointer whose index
// is extended in the same block. By this stage, `table[a + b]` often is several getelementptrs of
// vectors, and the extension was hoisted out of the loop.
//
// Input:  any function, after all optimization.
// Output: a single getelementptr before each gather or scatter whose address is a scalar pointer,
//         plus uniform terms, plus one 32-bit index. A zero-extended index is offset by half of its
//         range, so that it becomes signed: table + 2^31 elements + sext(h ^ 2^31).
//
// Leaves vectors of fewer than 16 lanes (eight addresses fit into one register) and elements of 8
// and 16 bits (no instruction gathers them).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NarrowGatherIndicesPass : public llvm::PassInfoMixin<NarrowGatherIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

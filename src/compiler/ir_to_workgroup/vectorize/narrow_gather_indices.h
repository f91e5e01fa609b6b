// Lets gathers and scatters go by indices of 32 bits from one address, where that is what the program has.
//
//     table[h & 255]        as it was written
//     table + 4 * sext(h)   16 addresses: two registers, which are extended, shifted and added to; two gathers of eight
//
// x86 gathers 16 elements at once by 32-bit indices, which it extends and scales itself. The code generator uses that where the
// address is one getelementptr of a scalar pointer with an index that it sees being extended, in the same block. What the
// program says as `table[a + b]` is most often several getelementptrs of vectors by then, and the extension was moved out of the
// loop.
//
// Input:  any function, after all optimisation.
// Output: before each gather or scatter whose address is one scalar pointer, plus what is the same in all lanes, plus one
//         32-bit index, such a getelementptr. An index that is extended with zeros goes by half of its range from the
//         middle, so that it is a signed one: table + 2^31 elements + sext(h ^ 2^31).
//
// Not for fewer than 16 lanes: for eight, the addresses fit into one register. Not for elements of 8 and 16 bits, which no
// instruction gathers.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class NarrowGatherIndicesPass : public llvm::PassInfoMixin<NarrowGatherIndicesPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

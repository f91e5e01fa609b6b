// Whether a kernel that is written with wide vectors is faster with them, one work-item after the other, than in lanes.
//
// In lanes each element of a float16 is a vector of its own over the work-items. For arithmetic that is as good as the
// vector that the program has, but a row that each work-item reads has to be turned (16 loads and 16 * 15 shuffles for 16
// work-items, where they would have loaded one vector each), or gathered element by element; and a sum that the program
// keeps in one register takes 16, so that two of them spill. A product of matrices by rows of float16 was 5 to 25 times as
// fast with its own vectors.
//
// The other way round, what is not in wide vectors (scalars, float4, functions that are computed element by element) would be
// done for one work-item at a time. So the estimate counts both: instructions, by how often LLVM expects their
// blocks to run, for a work-item.
#pragma once

#include "llvm/IR/PassManager.h"

#include <cstdint>

namespace lockstep::compiler {

// Before lane-ids, of a kernel that could have `width` lanes on a processor with vectors of `vector_bits`.
bool own_vectors_win(llvm::Function &function, unsigned width, uint32_t vector_bits,
                     llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler

// Estimates whether a kernel written with wide vectors runs faster one work-item at a time than in
// lanes.
//
// In lanes, each element of a float16 becomes a vector over the work-items. For arithmetic that is
// as good as the program's own vector. A row that each work-item reads must be transposed, however,
// or gathered element by element: for 16 work-items, 16 loads and 16 * 15 shuffles instead of 16
// loads. A float16 accumulator takes 16 registers instead of one, so two of them spill. A matrix
// product by rows of float16 was 5 to 25 times as fast with its own vectors.
//
// With one lane, code outside of wide vectors (scalars, float4, functions that are computed element
// by element) runs for one work-item at a time. The estimate therefore counts instructions per
// work-item for both cases, weighted by LLVM's block frequencies.
#pragma once

#include "compiler/options/code_options.h"
#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Runs before lane-ids. The kernel could have `width` lanes on a processor with vectors of
// `vector_bits`.
bool own_vectors_win(llvm::Function &function, unsigned width, const TargetInfo &target,
                     llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler

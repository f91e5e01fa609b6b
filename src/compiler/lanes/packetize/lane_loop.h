// Emits loops over the active lanes of a sub-group, for operations without a vector form: atomics,
// printf, volatile accesses.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// Emits the code for one lane (an i64 number) and returns its results.
using LaneBody = llvm::function_ref<llvm::SmallVector<llvm::Value *, 2>(
    llvm::IRBuilderBase &builder, llvm::Value *lane)>;

// Emits the loop before `place`, whose block is split there. `mask`: <W x i1> with at least one
// lane true, or null for all lanes. Returns the results as vectors over the lanes; `types` are the
// scalar types.
llvm::SmallVector<llvm::Value *, 2> emit_lane_loop(llvm::Instruction &place, llvm::Value *mask,
                                                   unsigned width,
                                                   llvm::ArrayRef<llvm::Type *> types,
                                                   LaneBody body);

// The same for a short body. If all lanes are active, which is the usual case, the unrolled body
// runs with constant lane numbers.
llvm::SmallVector<llvm::Value *, 2> emit_short_lane_loop(llvm::Instruction &place,
                                                         llvm::Value *mask, unsigned width,
                                                         llvm::ArrayRef<llvm::Type *> types,
                                                         LaneBody body);

// The mask as an integer; lane 0 is the lowest bit.
llvm::Value *mask_bits(llvm::IRBuilderBase &builder, llvm::Value *mask);

// The number (i64) of the first active lane; 0 if the mask is null.
llvm::Value *first_lane(llvm::IRBuilderBase &builder, llvm::Value *mask);

} // namespace lockstep::compiler

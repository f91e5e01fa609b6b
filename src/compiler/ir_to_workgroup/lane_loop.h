// A loop over the active lanes of a sub-group, for what vectors cannot do: atomics, printf,
// volatile accesses.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/IRBuilder.h"

namespace lockstep::compiler {

// What is done for one lane (an i64 number): emits code and returns its results.
using LaneBody = llvm::function_ref<llvm::SmallVector<llvm::Value *, 2>(
    llvm::IRBuilderBase &builder, llvm::Value *lane)>;

// Emits the loop before `place`, which moves into a block of its own. `mask`: <W x i1>, one lane at
// least is true; null for all lanes. Returns the results as vectors over the lanes; what `types`
// says of each.
llvm::SmallVector<llvm::Value *, 2> emit_lane_loop(llvm::Instruction &place, llvm::Value *mask,
                                                   unsigned width,
                                                   llvm::ArrayRef<llvm::Type *> types,
                                                   LaneBody body);

// The same for a short body: if all lanes are active, which is the usual case, it runs without a
// loop, so that the lane numbers are constants.
llvm::SmallVector<llvm::Value *, 2> emit_short_lane_loop(llvm::Instruction &place,
                                                         llvm::Value *mask, unsigned width,
                                                         llvm::ArrayRef<llvm::Type *> types,
                                                         LaneBody body);

// The mask as an integer, lane 0 lowest.
llvm::Value *mask_bits(llvm::IRBuilderBase &builder, llvm::Value *mask);

// The number (i64) of the first lane in a mask; lane 0 for null.
llvm::Value *first_lane(llvm::IRBuilderBase &builder, llvm::Value *mask);

} // namespace lockstep::compiler

// Emits and recognizes calls of the primitives that exist only in the lanes stage
// (docs/kernel_ir.md, "Lanes").
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace lockstep::compiler {

// The index of the work-item in its sub-group: 0, 1, ... Each lane has its own value.
llvm::CallInst *emit_lane(llvm::IRBuilderBase &builder);

// The number of lanes of this sub-group that are work-items; these lanes come first. Uniform.
llvm::CallInst *emit_active_lanes(llvm::IRBuilderBase &builder);

// Only lanes where `mask` (i1) is true execute the rest of this block.
llvm::CallInst *emit_mask(llvm::IRBuilderBase &builder, llvm::Value *mask);

// True (uniformly) if `condition` (i1) is true in at least one lane.
llvm::CallInst *emit_any_lane(llvm::IRBuilderBase &builder, llvm::Value *condition);

// True only if the condition is true in all lanes. May conservatively be false.
llvm::CallInst *emit_all_lanes(llvm::IRBuilderBase &builder, llvm::Value *condition);

// The condition of an all_lanes call that compares an index. The index is `first` in lane 0 and
// grows up to `first` + `last`; the condition says that it is less than (or at most) `bound`.
// Values have 64 bits; narrower ones are extended.
struct IndexBelow {
  llvm::Value *first, *bound;
  llvm::CmpInst::Predicate predicate;
  uint64_t last;
};
std::optional<IndexBelow> index_of_all_lanes(const llvm::CallInst &call);
void set_index_of_all_lanes(llvm::CallInst &call, const IndexBelow &index);

void set_condition_of_all_lanes(llvm::CallInst &call, llvm::Value *condition);

// Emits the result of the call as ordinary instructions.
llvm::Value *expand_all_lanes(llvm::IRBuilderBase &builder, const llvm::CallInst &call);

// The call of emit_mask in a block, or null.
llvm::CallInst *mask_call(llvm::BasicBlock &block);

// is_of_lane: `extractelement` by __lockstep_lane, this lane's element of a vector over the lanes.
// is_lanes: `insertelement` by __lockstep_lane, the vector of all lanes' values
// (functions/vector_variants.cpp).
bool is_of_lane(const llvm::Value &value);
bool is_lanes(const llvm::Value &value);

// Attribute of a vector variant: a function that executes for a whole sub-group and that the kernel
// calls. Its first parameter is the mask of active lanes, one bit each.
inline constexpr char lane_function[] = "lockstep-vector-variant";
// Attribute of the scalar function that a vector variant was made from: the name of the variant.
inline constexpr char lane_function_name[] = "lockstep-vector-variant-name";

// In the entry block of a vector variant: whether this lane is active.
llvm::Value *emit_is_active(llvm::IRBuilderBase &builder, llvm::Function &function);

// Metadata on an alloca: one variable for the whole sub-group (set by share-private-arrays and
// interleave-private).
inline constexpr char sub_group_variable[] = "lockstep.sub.group.variable";

// Metadata on a private variable that is passed to functions, or on the placeholder for its address
// in the callee. The variable is interleaved, in elements of the given number of bytes. Set by
// vector-variants for interleave-private.
inline constexpr char interleaved_memory[] = "lockstep.interleaved";
void mark_interleaved(llvm::Instruction &root, uint64_t element_size);
uint64_t interleaved_element_size(const llvm::Instruction &root); // 0: not marked
// Metadata on an address that is passed as that of lane 0's element; each lane computes its own
// address from it.
inline constexpr char address_of_first_lane[] = "lockstep.address.of.first.lane";

} // namespace lockstep::compiler

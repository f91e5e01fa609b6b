// Calls of the primitives that exist only inside the lanes stage (docs/kernel_ir.md, "Lanes").
#pragma once

#include "llvm/IR/IRBuilder.h"

#include <optional>

namespace lockstep::compiler {

// The index of a work-item in its sub-group: 0, 1, ... One value for each lane.
llvm::CallInst *emit_lane(llvm::IRBuilderBase &builder);

// How many lanes of this sub-group are work-items; they are the first ones. The same for all lanes.
llvm::CallInst *emit_active_lanes(llvm::IRBuilderBase &builder);

// Says that the rest of this block acts only in lanes where `mask` (i1) is true.
llvm::CallInst *emit_mask(llvm::IRBuilderBase &builder, llvm::Value *mask);

// True (for all lanes) if `condition` (i1) is true in one lane.
llvm::CallInst *emit_any_lane(llvm::IRBuilderBase &builder, llvm::Value *condition);

// True only if the condition is true in all lanes; may be false nevertheless.
llvm::CallInst *emit_all_lanes(llvm::IRBuilderBase &builder, llvm::Value *condition);

// The condition of an all_lanes call where it compares an index: `first` in lane 0, growing up to
// `first` + `last`, is below (or at most) `bound`. Of 64 bits; narrower ones are extended.
struct IndexBelow {
  llvm::Value *first, *bound;
  llvm::CmpInst::Predicate predicate;
  uint64_t last;
};
std::optional<IndexBelow> index_of_all_lanes(const llvm::CallInst &call);
void set_index_of_all_lanes(llvm::CallInst &call, const IndexBelow &index);

void set_condition_of_all_lanes(llvm::CallInst &call, llvm::Value *condition);

// What the call answers, as code.
llvm::Value *expand_all_lanes(llvm::IRBuilderBase &builder, const llvm::CallInst &call);

// The call of emit_mask in a block, if there is one.
llvm::CallInst *mask_call(llvm::BasicBlock &block);

// What this lane has of a vector over the lanes, and the vector of what each lane has: `extractelement` and
// `insertelement` by __lockstep_lane (vectorize/lane_functions.h).
bool is_of_lane(const llvm::Value &value);
bool is_lanes(const llvm::Value &value);

// Attribute of a function for a sub-group that the kernel calls: its first parameter is the active lanes, a bit each.
inline constexpr char lane_function[] = "lockstep-lane-function";
// Attribute of the function of one work-item that it was made of: its name.
inline constexpr char lane_function_name[] = "lockstep-lane-function-name";

// In the entry of a lane_function: whether this lane is active.
llvm::Value *emit_is_active(llvm::IRBuilderBase &builder, llvm::Function &function);

// Metadata on an alloca: one variable for the whole sub-group (made by share-private-arrays and interleave-private).
inline constexpr char sub_group_variable[] = "lockstep.sub.group.variable";

// Metadata on a private variable that is passed to functions, or on what stands for the address that one of them is given:
// interleaved, in elements of so many bytes (made by lane-functions, for interleave-private).
inline constexpr char interleaved_memory[] = "lockstep.interleaved";
void mark_interleaved(llvm::Instruction &root, uint64_t element_size);
uint64_t interleaved_element_size(const llvm::Instruction &root); // 0: it is not marked
// Metadata on an address that is passed on as that of lane 0's element, from which each lane finds its own.
inline constexpr char address_of_first_lane[] = "lockstep.address.of.first.lane";

} // namespace lockstep::compiler

// The state of packetize, shared by the files that each handle one kind of instruction:
// packetize.cpp (arithmetic, phis, control), packetize_calls.cpp, packetize_memory.cpp and others.
#pragma once

#include "compiler/lanes/packetize/access_groups.h"
#include "compiler/lanes/packetize/lane_values.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/ValueHandle.h"

#include <array>
#include <optional>

namespace llvm {
class CmpInst;
class IntrinsicInst;
class MemIntrinsic;
class TargetTransformInfo;
} // namespace llvm

namespace lockstep::compiler {

enum class Primitive;
class TargetModel;

class Packetizer {
public:
  Packetizer(llvm::Function &function, const llvm::TargetTransformInfo &target,
             const TargetModel &model, IndexExpressions &expressions, unsigned width)
      : function_(function), target_(target), model_(model), shapes_(function, width),
        values_(shapes_), groups_(function, shapes_, expressions), dominators_(function) {
    find_accesses_without_neighbors(expressions);
  }

  void run();

private:
  using Builder = llvm::IRBuilder<>;

  // packetize.cpp
  void visit(llvm::Instruction &instruction);
  void visit_phi(llvm::PHINode &phi);
  llvm::Value *widened(Builder &builder, llvm::Instruction &instruction);
  llvm::Value *widened_comparison(Builder &builder, llvm::CmpInst &comparison);
  llvm::Value *numbers_of_addresses(Builder &builder, llvm::Value *pointers);
  llvm::Value *widened_select(Builder &builder, llvm::Value *condition, llvm::Value *taken,
                              llvm::Value *other);
  llvm::Value *widened_division(Builder &builder, llvm::BinaryOperator &division);
  void visit_wide_division(llvm::BinaryOperator &division);
  llvm::Value *widened_address(Builder &builder, llvm::GetElementPtrInst &gep);
  void finish();
  llvm::Value *mask() {
    return mask_ ? values_.vector(mask_) : nullptr;
  } // of the block; null: all lanes
  const LaneShape &shape(const llvm::Value &value) const { return shapes_.of(value); }
  llvm::Value *operand(llvm::Value *value) {
    return shape(*value).is_uniform() ? value : values_.vector(value);
  }
  void lane_by_lane(llvm::Instruction &instruction);
  void lane_by_lane(
      llvm::Instruction &instruction, llvm::Value *lanes,
      llvm::function_ref<llvm::Instruction *(llvm::IRBuilderBase &, llvm::Value *)> copy_of);
  void call_lane_by_lane(llvm::CallInst &call);
  llvm::AllocaInst *variable_of_lanes(llvm::Type *vector, llvm::StringRef name);
  // Emits a copy of the instruction for one lane at the builder's insertion point.
  llvm::Instruction *copy_for_lane(llvm::IRBuilderBase &builder, llvm::Instruction &instruction,
                                   llvm::Value *lane);

  // packetize_calls.cpp
  void visit_call(llvm::CallInst &call);
  void visit_intrinsic(llvm::IntrinsicInst &call);
  void visit_copy(llvm::MemIntrinsic &copy);
  void call_for_lanes(llvm::CallInst &call, llvm::Function &callee);
  void unroll_call(llvm::CallInst &call);
  void visit_any_lane(llvm::CallInst &call);
  void visit_all_lanes(llvm::CallInst &call);
  bool read_last_lane(llvm::CallInst &call);
  void visit_group_operation(llvm::CallInst &call);
  void visit_seen(llvm::CallInst &call);
  void visit_ends_with(llvm::CallInst &call);
  void visit_wait(llvm::CallInst &call);

  // packetize/packetize_sub_groups.cpp
  void visit_sub_group_operation(llvm::CallInst &call);

  // packetize_checks.cpp
  void visit_check(llvm::CallInst &call, Primitive primitive);
  llvm::Value *active_bits(Builder &builder);
  llvm::Value *of_first_lane(Builder &builder, llvm::Value *value);

  // packetize_memory.cpp
  static void copy_memory_facts(llvm::Instruction &to, const llvm::Instruction &from);
  void visit_load(llvm::LoadInst &load);
  void visit_store(llvm::StoreInst &store);
  void load_group(const AccessGroup &group, llvm::LoadInst &requested);
  void load_in_pieces(Builder &builder, const AccessGroup &group, llvm::Value *address,
                      llvm::Align alignment);
  bool expands_masked_access(const llvm::FixedVectorType &type);
  void store_group(const AccessGroup &group);
  llvm::Value *gather(Builder &builder, llvm::LoadInst &load);
  llvm::Value *load_lane_by_lane(Builder &builder, llvm::LoadInst &load, llvm::Value *pointers);
  bool is_beyond_line();
  void scatter(Builder &builder, llvm::StoreInst &store);
  void store_lane_by_lane(Builder &builder, llvm::StoreInst &store, llvm::Value *pointers);
  bool stores_same_byte(const llvm::StoreInst &store) const;
  void store_byte_to_line(Builder &builder, llvm::StoreInst &store, llvm::Value *pointers);
  void store_to_uniform(llvm::StoreInst &store);
  bool is_packable(llvm::Type *type) const;
  llvm::Value *masked_load(Builder &builder, llvm::Type *type, llvm::Value *address,
                           llvm::Align alignment, llvm::Value *wanted);

  // packetize_gathers.cpp
  bool goes_along_rows(const IndexExpression &address, uint64_t element_size,
                       IndexExpressions &expressions) const;
  void find_accesses_without_neighbors(IndexExpressions &expressions);
  void load_from_anywhere(llvm::LoadInst &load);
  void store_to_anywhere(llvm::StoreInst &store);
  // The lanes' positions in memory, in elements relative to lane 0. Lane 0's own index is relative
  // to a uniform base.
  struct ElementNumbers {
    llvm::Value *first;  // i64
    llvm::Value *places; // <W x i32 or i64>
    // i1 or null: if all positions are below 2 * W, then none of them has wrapped.
    llvm::Value *is_exact;
    llvm::Value *root_of_first;
  };
  struct Index { // An element index: the sum of a divergent scalar and uniform terms.
    llvm::Value *root = nullptr;                    // the divergent scalar
    llvm::SmallVector<llvm::BinaryOperator *> sums; // the innermost one last
    bool is_narrow = false, is_signed = false;      // 32 bits wide, and how it is extended
  };
  // The result of comparing the lanes' indices. Accesses that it dominates reuse it if they have
  // the same root.
  struct Looked {
    llvm::BasicBlock *block; // the original block, before accesses split it
    llvm::Value *first, *places;
    llvm::Value *neighbors, *window; // i1, false unless the test found it; null: not tested
  };
  // The inverted permutation of a masked store (packetize_windows.cpp), reusable for the same lanes
  // and mask.
  struct InvertedStores {
    llvm::Value *is_inverted = nullptr; // i1; if false, the other fields are poison
    llvm::Value *start;                 // of the second half
    // For each position of a half: which lane stores there, and whether any does.
    std::array<llvm::Value *, 2> lanes, wanted;
    llvm::BasicBlock *block = nullptr; // the original block, before accesses split it
  };
  std::optional<Index> index_of(llvm::Value *pointer, llvm::Type *element) const;
  llvm::Value *first_with_sums(Builder &builder, const Index &index, llvm::Value *first);
  ElementNumbers element_numbers(Builder &builder, const Index &index, const Looked *looked);
  const Looked *has_looked(const Index &index) const;
  llvm::Value *are_neighbors(Builder &builder, const ElementNumbers &numbers);
  llvm::Value *pointers_for(Builder &builder, llvm::Value *pointer);
  // Is the index computed from a gathered value?
  bool is_from_gather(const llvm::Value &index, unsigned depth = 0) const;
  struct TwoVersions { // The terminators of the two versions' blocks.
    llvm::Instruction *neighbors, *anywhere;
    llvm::Value *first_address; // lane 0's, in the block for neighbors
    ElementNumbers numbers;
    Index index;
    llvm::Value *is_window = nullptr; // if already known
  };
  std::optional<TwoVersions> two_versions(llvm::Instruction &access);

  // packetize_regular_loads.cpp
  llvm::SmallVector<int64_t> regular_places(const Index &index) const;
  llvm::Value *load_regular(Builder &builder, llvm::LoadInst &load, const TwoVersions &versions,
                            llvm::ArrayRef<int64_t> places);

  // packetize_windows.cpp
  // Returns the value and an i1: whether it was loaded from a window.
  std::pair<llvm::Value *, llvm::Value *> load_from_window(Builder &builder, llvm::LoadInst &load,
                                                           const TwoVersions &versions);
  void store_to_window(Builder &builder, llvm::StoreInst &store, const TwoVersions &versions);
  InvertedStores invert_stores(Builder &builder, llvm::Type *type, llvm::Value *places);
  static InvertedStores merged(Builder &builder, InvertedStores inverted, llvm::BasicBlock *from,
                               llvm::BasicBlock *otherwise);

  // packetize_atomics.cpp
  void visit_atomic(llvm::Instruction &instruction);
  void visit_atomic_multiply(llvm::CallInst &call);
  bool update_elements(llvm::AtomicRMWInst &operation);
  bool add_at_once(llvm::AtomicRMWInst &operation);
  bool is_of_one_lane(const llvm::Value &condition) const;
  llvm::Value *scalar_of_lane(Builder &builder, llvm::Value *value, unsigned lane,
                              const llvm::Instruction &use);

  llvm::Function &function_;
  const llvm::TargetTransformInfo &target_;
  const TargetModel &model_;
  LaneShapes shapes_;
  LaneValues values_;
  AccessGroups groups_;
  llvm::Value *mask_ = nullptr; // i1 of one work-item
  // The original block of the visited instruction, before any split.
  llvm::BasicBlock *block_ = nullptr;
  llvm::DominatorTree dominators_;               // of the original blocks
  llvm::DenseMap<llvm::Value *, Looked> looked_; // by root
  llvm::DenseMap<std::pair<llvm::Value *, llvm::Value *>, InvertedStores>
      inverted_;                                                        // by root and mask_
  llvm::SmallVector<std::pair<llvm::PHINode *, llvm::PHINode *>> phis_; // original, widened phi
  // Instructions replaced by another scalar, which may be replaced itself.
  llvm::SmallVector<std::pair<llvm::Instruction *, llvm::WeakTrackingVH>> replaced_;
  llvm::SmallVector<llvm::Instruction *> dead_;
  // Another row of work-items, or another iteration, accesses the neighbors of each element.
  llvm::SmallPtrSet<const llvm::Instruction *, 8> without_neighbors_;
  unsigned lanes_in_line_ = 0;     // of accesses that have no vector instruction
  unsigned expanded_accesses_ = 0; // for expand-masked-accesses
  unsigned two_versions_ = 0;      // accesses with one version for neighbors and one for anywhere
};

} // namespace lockstep::compiler

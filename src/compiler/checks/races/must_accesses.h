// Computes the must-access set: the memory that a kernel accesses whatever data it reads, such as
// `b[y * width + x]` of all work-items, in each iteration of a loop. Where commands are compared,
// the launch computes these bytes from its sizes and arguments (MustAccess of abi/assumptions.h).
// The kernel has no marks for them (footprint_marks.h), which would cost more than the accesses.
//
// The set must be exact. The address must be affine in ids, arguments and counters of loops with
// known trip counts, and so must every condition that controls the access. An async copy of a group
// is an access for each of its elements: their numbers and distances must be launch parameters.
#pragma once

#include "abi/assumptions.h"
#include "abi/check_abi.h"
#include "compiler/checks/expressions/launch_expressions.h"
#include "compiler/checks/races/copy_operands.h"
#include "compiler/checks/races/disjoint_accesses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Instructions.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::compiler {

class MustAccessSet {
public:
  // `first`: the first number that no other assumption of the kernel uses. `end`: one past the last
  // number available. `failed`: as in DisjointAccesses::Kernel.
  MustAccessSet(llvm::Function &function, const DisjointAccesses::Analyses &analyses,
                uint32_t first, uint32_t end, uint64_t failed);
  // True: the launch can compute the footprint of this access.
  bool add(const llvm::Instruction &access, const llvm::Value *pointer, uint64_t size,
           FootprintKind kind);
  // The same for one side of a group copy.
  bool add_copy(const llvm::CallInst &copy, const llvm::Value *pointer,
                const CopyOperands &operands, FootprintKind kind);
  const std::vector<MustAccess> &found() const { return found_; }

private:
  using Conditions = std::vector<AccessCondition>;
  std::optional<Conditions> conditions_of(const llvm::BasicBlock &block);
  std::optional<Conditions> compute_conditions(const llvm::BasicBlock &block);
  bool add_condition(llvm::Value &condition, bool holds, const llvm::BasicBlock &at,
                     Conditions &all);
  bool add_choice(const llvm::SwitchInst &choice, const llvm::BasicBlock &next, Conditions &all);
  bool runs_in_all_iterations(const llvm::BasicBlock &block) const;
  // All factors are defined at `block`: it is inside each loop whose counter the sum contains.
  bool is_of(const LaunchSum &sum, const llvm::BasicBlock &block) const;
  bool add_counters(const LaunchSum &sum, MustAccess &entry);
  bool add_sweep(const Sweep &sweep, MustAccess &entry);
  std::optional<MustAccess> entry_of(const llvm::Instruction &access, const llvm::Value *pointer,
                                     uint64_t size, FootprintKind kind);
  bool add_repeat(const CopyOperands::Repeat &repeat, MustAccess &entry);
  void add(MustAccess entry);

  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo &loops_;
  LaunchExpressions sums_;
  const uint32_t first_;
  const uint32_t end_;
  const uint64_t failed_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> numbers_; // by argument and byte
  llvm::DenseMap<const llvm::BasicBlock *, std::optional<Conditions>> known_;
  std::vector<MustAccess> found_;
};

} // namespace lockstep::compiler

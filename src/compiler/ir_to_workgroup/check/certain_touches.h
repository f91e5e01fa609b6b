// What a kernel certainly touches, whatever it reads: `b[y * width + x]` of all its work-items, in each round of a loop. Where
// commands are compared, the launch computes these bytes from its sizes and arguments (CertainTouch of
// compiler/suppositions.h), and the kernel has no marks of them (touch_marks.h), which would be dearer than the accesses.
//
// That must be neither less nor more than the kernel touches, so: the place is a sum of ids, arguments and rounds of loops that
// go all their rounds, and the access hangs on nothing but conditions of such sums.
#pragma once

#include "compiler/check_abi.h"
#include "compiler/ir_to_workgroup/check/apart_accesses.h"
#include "compiler/ir_to_workgroup/check/launch_sums.h"
#include "compiler/suppositions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/PostDominators.h"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::compiler {

class CertainTouches {
public:
  // `first`: the first number that no other supposition of the kernel has; `refused` as ApartAccesses::Kernel has it.
  // `end`: the last number and one.
  CertainTouches(llvm::Function &function, const ApartAccesses::Analyses &analyses, uint32_t first,
                 uint32_t end, uint64_t refused);
  // True: the launch knows what it touches.
  bool add(const llvm::Instruction &access, const llvm::Value *pointer, uint64_t size,
           TouchWay way);
  const std::vector<CertainTouch> &found() const { return found_; }

private:
  using Conditions = std::vector<TouchCondition>;
  std::optional<Conditions> conditions_of(const llvm::BasicBlock &block);
  std::optional<Conditions> compute_conditions(const llvm::BasicBlock &block);
  bool add_condition(llvm::Value &condition, bool holds, const llvm::BasicBlock &at,
                     Conditions &all);
  bool goes_all_rounds(const llvm::BasicBlock &block) const;
  // All its numbers are of this block: the loops that are counted in it are around it.
  bool is_of(const LaunchSum &sum, const llvm::BasicBlock &block) const;
  bool add_counters(const LaunchSum &sum, CertainTouch &touch);

  const llvm::DominatorTree &dominators_;
  const llvm::PostDominatorTree post_dominators_;
  llvm::LoopInfo &loops_;
  LaunchSums sums_;
  const uint32_t first_;
  const uint32_t end_;
  const uint64_t refused_;
  std::map<std::pair<int64_t, int64_t>, uint32_t> numbers_; // by argument and byte
  llvm::DenseMap<const llvm::BasicBlock *, std::optional<Conditions>> known_;
  std::vector<CertainTouch> found_;
};

} // namespace lockstep::compiler

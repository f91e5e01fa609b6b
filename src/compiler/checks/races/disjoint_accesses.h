// Finds accesses of a kernel that cannot conflict with another access that is not ordered with
// them. They need no check.
//
// Accesses are grouped by argument or variable. For global memory, all accesses of one object are
// compared, since work-groups are not ordered. For local memory, only accesses of one barrier epoch
// are compared. They do not conflict if none of them writes, if all are atomics of sufficient
// scope, or if no two work-items access the same address. For local memory, the compiler evaluates
// all addresses to prove that (item_values.h). For global memory, the launch evaluates symbolic
// addresses (launch_expressions.h, assumptions.h).
#pragma once

#include "abi/assumptions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>
#include <string>
#include <vector>

namespace llvm {
class Argument;
class CallInst;
class DominatorTree;
class Function;
class Instruction;
class LoopInfo;
class ScalarEvolution;
class Value;
} // namespace llvm

namespace lockstep::compiler {

class ItemValues;
class LaunchExpressions;

struct SharedAccess {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr;
  uint64_t size = 0;
  bool writes = false, is_atomic = false,
       is_narrow = false; // narrow: the scope excludes some work-items that reach the memory
  const llvm::Value *object = nullptr;       // null: the address may come from anywhere
  bool is_local = false, is_generic = false; // neither: global
  bool is_one_of_several = false;            // the access is listed with other objects, too
};

class DisjointAccesses {
public:
  struct Analyses {
    const llvm::DominatorTree &dominators;
    llvm::LoopInfo &loops;
    llvm::ScalarEvolution &evolution;
  };
  struct GroupCopy { // one side of a copy
    const llvm::Instruction *instruction;
    bool writes;
  };
  // Global memory accessed by async copies is analyzed separately (disjoint_copies.cpp).
  // `local_barriers` order local memory; `waits` wait for copies.
  struct Kernel {
    explicit Kernel(llvm::Function &function) : function(function) {}
    llvm::Function &function;
    std::vector<SharedAccess> accesses;
    llvm::DenseSet<const llvm::Value *> copied_to, copied_from;
    llvm::MapVector<const llvm::Value *, llvm::SmallVector<GroupCopy>> copies; // by object
    llvm::DenseSet<const llvm::Instruction *> waits;
    // Accesses to pipe packets. Which of them conflict depends on the reservations, which are known
    // only at run time.
    llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Value *>> packets;
    bool copies_anything = false; // a copy has an unknown source or destination
    llvm::DenseSet<const llvm::Instruction *> local_barriers;
    // Blocks at whose end all work-items of a group take the same edge, whatever memory contains.
    llvm::DenseSet<const llvm::BasicBlock *> uniform_branches;
    bool synchronizes = false;
    uint64_t failed =
        0; // failed assumptions: bit ArgumentUse::number, DistinctAddresses::number etc.
    uint32_t numbers = most_assumptions - 1; // how many numbers are available
  };
  DisjointAccesses(Kernel kernel, const Analyses &analyses);

  bool has(const llvm::Instruction &access, const llvm::Value *pointer) const {
    return disjoint_.contains({&access, pointer});
  }
  bool has_all() const; // all accesses of the kernel, and there are no group copies
  llvm::StringRef why_not(const llvm::Instruction &access, const llvm::Value *pointer) const;
  // The memory of this argument is never written.
  bool is_only_read(const llvm::Value *object) const { return only_read_.contains(object); }
  // The given side of a group copy: its destination if `writes`, else its source.
  bool has_copy(const llvm::Instruction &copy, bool writes) const {
    return disjoint_copies_.contains({&copy, writes});
  }
  const Assumptions &assumptions() const { return assumptions_; }
  uint32_t next_number() const { return next_number_; } // greater than all used numbers
  uint32_t numbers() const { return kernel_.numbers; }

private:
  using Key = std::pair<const llvm::Instruction *, const llvm::Value *>;
  using Some = llvm::SmallVector<const SharedAccess *>;
  using ByObject = llvm::MapVector<const llvm::Value *, Some>;

  static bool none_writes(const Some &accesses);
  static bool all_reach_each_other(llvm::ArrayRef<const SharedAccess *> accesses);
  bool has_failed(uint32_t number) const {
    return number >= kernel_.numbers || kernel_.failed >> number & 1;
  }
  void look_at_global(const llvm::Value *object, const Some &accesses);
  // Null: the accesses do not conflict.
  const char *global_problem(const llvm::Value *object, const Some &accesses);
  bool may_reach_variables(const llvm::Value *object, bool is_read_only) const;
  const char *find_unequal(const llvm::Value *object, const Some &accesses, uint32_t number);
  std::vector<Guard> common_guards(const Some &accesses) const;
  bool are_at_one_item(const Some &accesses, size_t &item);
  bool has_local_ids(const LaunchSum &sum) const;
  void refuse(const Some &accesses, const char *why);

  // defined in disjoint_local_accesses.cpp
  void look_at_local(const ByObject &by_object);
  void look_at_local(const llvm::Value *object, const Some &accesses);
  class InLoopStates;
  struct Evaluated { // an access, and the values of its work-items
    const SharedAccess *access;
    ItemValues *items;
  };
  struct Interval {
    const llvm::Instruction *start;
    // By block: the successor that all work-items take.
    llvm::SmallDenseMap<const llvm::BasicBlock *, const llvm::BasicBlock *> taken{};
    Some accesses{};
    bool may_take(const llvm::BasicBlock *from, const llvm::BasicBlock *to) const {
      const auto known = taken.find(from);
      return known == taken.end() || known->second == to;
    }
  };
  std::vector<Interval> intervals(const Some &accesses) const;
  void find_accesses(Interval &interval, const Some &accesses) const;
  bool are_unequal(const Interval &interval) const;
  void look_at_interval(const Interval &interval, const Some &accesses);
  const llvm::BasicBlock *undecided_branch(const Interval &interval) const;
  static bool are_unequal_in_group(llvm::ArrayRef<Evaluated> accesses);
  bool are_unequal_in_group(const Interval &interval) const;
  bool conflicts_with_copy(const SharedAccess &access, llvm::ArrayRef<GroupCopy> copies) const;

  // defined in argument_uses.cpp
  DistinctAddresses reach_of(const Some &accesses) const;

  // defined in disjoint_copies.cpp
  struct Copied { // one side of a copy: `count` elements of `size` bytes, `stride` bytes apart
    LaunchSum begin{}, count{}, stride{};
    int64_t size = 0;
    std::vector<FittingSum> fitting{};
  };
  void look_at_copies(const ByObject &global, const ByObject &local);
  void look_at_global_copies(const llvm::Value &object, const llvm::SmallVector<GroupCopy> &copies,
                             const Some &accesses);
  void look_at_local_copies(const llvm::SmallVector<GroupCopy> &copies, const Some &accesses);
  std::optional<Copied> copied(const GroupCopy &copy) const;
  bool are_unequal(const llvm::Value &object, const GroupCopy &copy);
  bool are_separated_by_waits(const GroupCopy &one, const GroupCopy &other) const;
  bool are_beside(const GroupCopy &one, const GroupCopy &other,
                  std::vector<DisjointRanges> &ranges);

  Kernel kernel_;
  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  ItemValues *items_ = nullptr;
  InLoopStates *in_loop_states_ = nullptr;
  LaunchExpressions *sums_ = nullptr;
  struct Unknown { // accesses by unknown addresses
    bool reads = false, writes = false;
    void add(bool write) { (write ? writes : reads) = true; }
    bool any() const { return reads || writes; }
  };
  Unknown in_global_, in_local_;
  Unknown by_members_, in_variables_; // accesses to global memory through members, and to variables
  uint32_t next_number_ = 0;          // counts failed ones too, so that numbers are stable
  llvm::DenseMap<const llvm::Value *, uint32_t> number_of_use_;
  llvm::DenseSet<Key> disjoint_;
  llvm::DenseSet<const llvm::Value *> only_read_;
  // 1: the destination
  llvm::DenseSet<std::pair<const llvm::Instruction *, unsigned>> disjoint_copies_;
  llvm::DenseMap<Key, const char *> reasons_;
  Assumptions assumptions_;
};

} // namespace lockstep::compiler

// Which accesses of a kernel cannot meet another that they would have to be ordered with. They need no check.
//
// Looked at is what is reached by one argument or variable: of global memory, all of it, as groups have no order; of
// local memory, what can be between two barriers for it, one after the other. There it is enough that nobody writes, that
// all are atomics that reach each other, or that no two work-items are at one place. The last is found by computing all
// places in local memory (item_values.h), and for global memory by sums, whose numbers the launch puts in
// (launch_sums.h, suppositions.h).
#pragma once

#include "compiler/suppositions.h"

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
class LaunchSums;

struct SharedAccess {
  llvm::Instruction *instruction = nullptr;
  llvm::Value *pointer = nullptr;
  uint64_t size = 0;
  bool writes = false, is_atomic = false,
       is_narrow = false;                    // narrow: not meant for all who reach that memory
  const llvm::Value *object = nullptr;       // null: by an address from anywhere
  bool is_local = false, is_generic = false; // neither: global
  bool is_one_of_several = false;            // the same access is there with other objects, too
};

class ApartAccesses {
public:
  struct Analyses {
    const llvm::DominatorTree &dominators;
    llvm::LoopInfo &loops;
    llvm::ScalarEvolution &evolution;
  };
  struct GroupCopy { // one side of it
    const llvm::Instruction *instruction;
    bool writes;
  };
  // What group copies touch of global memory is left to others. `barriers`: those that order local memory; `waits`: for
  // copies.
  struct Kernel {
    explicit Kernel(llvm::Function &function) : function(function) {}
    llvm::Function &function;
    std::vector<SharedAccess> accesses;
    llvm::DenseSet<const llvm::Value *> copied_to, copied_from;
    llvm::MapVector<const llvm::Value *, llvm::SmallVector<GroupCopy>> copies; // by object
    llvm::DenseSet<const llvm::Instruction *> waits;
    // Who meets whom there, reservations say, which only the launch sees.
    llvm::SmallVector<std::pair<llvm::Instruction *, llvm::Value *>> packets;
    bool copies_anything = false; // from or to an unknown address
    llvm::DenseSet<const llvm::Instruction *> local_barriers;
    bool synchronises = false;
    uint64_t refused = 0; // ArgumentUse::number, UnequalPlaces::number and the like, by bits
    uint32_t numbers = most_suppositions - 1; // there are for these
  };
  ApartAccesses(Kernel kernel, const Analyses &analyses);

  bool has(const llvm::Instruction &access, const llvm::Value *pointer) const {
    return apart_.contains({&access, pointer});
  }
  bool has_all() const; // of the kernel, and there are no group copies
  llvm::StringRef why_not(const llvm::Instruction &access, const llvm::Value *pointer) const;
  // Nobody writes what this argument is of.
  bool is_only_read(const llvm::Value *object) const { return only_read_.contains(object); }
  // This side of a group copy: what it writes, or what it reads.
  bool has_copy(const llvm::Instruction &copy, bool writes) const {
    return apart_copies_.contains({&copy, writes});
  }
  const Suppositions &suppositions() const { return suppositions_; }
  uint32_t next_number() const { return next_number_; } // behind all of them
  uint32_t numbers() const { return kernel_.numbers; }

private:
  using Key = std::pair<const llvm::Instruction *, const llvm::Value *>;
  using Some = llvm::SmallVector<const SharedAccess *>;
  using ByObject = llvm::MapVector<const llvm::Value *, Some>;

  static bool nobody_writes(const Some &accesses);
  bool is_refused(uint32_t number) const {
    return number >= kernel_.numbers || kernel_.refused >> number & 1;
  }
  void look_at_global(const llvm::Value *object, const Some &accesses);
  void look_at_local(const llvm::Value *object, const Some &accesses);
  bool meets_copy(const SharedAccess &access, llvm::ArrayRef<GroupCopy> copies) const;
  // Null: they are apart.
  const char *global_problem(const llvm::Value *object, const Some &accesses);
  bool may_reach_variables(const llvm::Value *object, bool is_read_only) const;
  const char *find_unequal(const Some &accesses, uint32_t number);
  std::vector<Guard> common_guards(const Some &accesses) const;
  bool are_at_one_item(const Some &accesses, size_t &item);
  bool has_local_ids(const LaunchSum &sum) const;
  bool are_unequal_in_group(const Some &accesses);
  std::vector<Some> intervals(const Some &accesses) const;
  void refuse(const Some &accesses, const char *why);

  // argument_uses.cpp
  UnequalPlaces reach_of(const Some &accesses) const;

  // apart_copies.cpp
  struct Copied { // one side: elements of this size, so many bytes apart
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
  bool are_parted(const GroupCopy &one, const GroupCopy &other) const;
  bool are_beside(const GroupCopy &one, const GroupCopy &other, std::vector<ApartRanges> &ranges);

  Kernel kernel_;
  const llvm::DominatorTree &dominators_;
  const llvm::LoopInfo &loops_;
  ItemValues *items_ = nullptr;
  LaunchSums *sums_ = nullptr;
  struct Unknown { // addresses
    bool reads = false, writes = false;
    void add(bool write) { (write ? writes : reads) = true; }
    bool any() const { return reads || writes; }
  };
  Unknown in_global_, in_local_;
  Unknown by_members_, in_variables_; // of global memory
  uint32_t next_number_ = 0;          // of all, whatever is refused: so they are the same then
  llvm::DenseMap<const llvm::Value *, uint32_t> number_of_use_;
  llvm::DenseSet<Key> apart_;
  llvm::DenseSet<const llvm::Value *> only_read_;
  llvm::DenseSet<std::pair<const llvm::Instruction *, unsigned>> apart_copies_; // 1: what it writes
  llvm::DenseMap<Key, const char *> reasons_;
  Suppositions suppositions_;
};

} // namespace lockstep::compiler

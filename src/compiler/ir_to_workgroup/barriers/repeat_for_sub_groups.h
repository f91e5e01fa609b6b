// Makes the function of one sub-group that of several, once jam-sub-groups has decided which.
//
// An instruction that differs between the sub-groups is repeated in place: first all copies of one
// instruction, then of the next. Where sub-groups go different ways (parted_regions.h), the whole
// part runs for one sub-group after the other. Between two barriers the order of work-items is
// free.
//
// A branch on `__lockstep_all_lanes` is decided for all copies at once: they stay together while
// all lanes of all of them go on.
#pragma once

#include "compiler/ir_to_workgroup/barriers/parted_regions.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Value;
}

namespace lockstep::compiler {

struct Repetition {
  const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated; // outside the regions
  std::vector<PartedRegion> regions;
  unsigned count;
  unsigned step; // of the local id, from one sub-group to the next
};

void repeat_for_sub_groups(llvm::Function &function, const Repetition &repetition);

} // namespace lockstep::compiler

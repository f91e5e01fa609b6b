// Turns the function of one sub-group into that of several, as interleave-sub-groups decided.
//
// Instructions that differ between sub-groups are repeated in place: first all copies of one
// instruction, then those of the next. A divergent region (divergent_regions.h) runs as a whole for
// one sub-group after the other. The order of work-items between two barriers is free.
//
// A branch on `__lockstep_all_lanes` is decided for all copies at once: they stay together while
// all lanes of all copies continue.
#pragma once

#include "compiler/analysis/divergent_regions.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Value;
}

namespace lockstep::compiler {

struct Repetition {
  const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated; // outside of the regions
  std::vector<DivergentRegion> regions;
  unsigned count;
  unsigned step; // of the local id, between consecutive sub-groups
};

class CopyDistances;

// `distances`: between consecutive sub-groups, of the function before it changes.
void repeat_for_sub_groups(llvm::Function &function, const Repetition &repetition,
                           CopyDistances &distances);

} // namespace lockstep::compiler

// Lets one call of the work-group function run several neighbouring work-groups.
//
// Input:  the kernel of one work-item after choose-sub-group-size; attributes "lockstep-local-size"
//         (known), "lockstep-sub-group-size", and "lockstep-neighbour-groups", which says how many
//         groups that follow each other in a dimension a call may run.
// Output: where it pays, the kernel of a group that is `count` groups,
//         attribute "lockstep-joined-groups"="dimension,count,local dimension": the local size has grown by them,
//         the local id in the latter says which of them a work-item belongs to, and
//         `__lockstep_group_id` is that of the first. Everything a kernel can ask still has the
//         answers of its own group.
//
// A matrix product with groups of 64 x 1 work-items shows why. Each group streams a column panel
// of b through the caches for one row of a, and nothing in the group can use it twice. Eight groups
// that lie above each other load it once. From here on they are rows of one group: the rest of the
// compiler, jam-sub-groups above all, does not know the difference.
//
// A tile of 16 x 16 floats shows the other reason. Each of its rows is a line of the cache, in another page than the row
// below; what does not begin with a line shares two with the neighbours, of which the nearest cache has forgotten all when
// those run. Eight groups side by side, dimension 0, walk through memory in rows of eight lines (four, where they store other rows). Their number is the local id of
// the dimension that they do not use, and jam-sub-groups runs all four at once.
//
// It is right where groups cannot see each other:
//   - The local size is 1 in the dimension of their number, and rows are whole sub-groups, so each sub-group
//     stays one of its own group.
//   - All branches are the same for the groups. So they meet the same barriers, and a barrier of
//     all is one of each.
//   - The only group operation is the barrier. (What is done once for a group would have to be done
//     `count` times.)
//   - Each group has local variables of its own. One whose every store has the same address and the
//     same value in all groups holds the same in all groups whenever it may be read: between two
//     barriers only the work-item that wrote an element may read it, and if none stores to the
//     variable after it has read from it, no group reads what an earlier one has left there. Such a
//     variable is shared, and filling it, too, is done once.
//   - No kernel that waits: it could wait for another one of the groups.
//
// After choose-sub-group-size, which asks for the size of a group; before lane-ids, which tells
// lanes from rows.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class JoinWorkGroupsPass : public llvm::PassInfoMixin<JoinWorkGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

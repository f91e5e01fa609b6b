// Accesses that make a tile with those of the next sub-groups, or of the next rounds of a loop (turn_columns.h).
//
// In `to[x * n + y] = v` each lane has a place of its own, n elements from its neighbour's: a scatter of 16 lines of memory
// for 16 elements. But in the next row of work-items (y + 1) all places are one element further, so sub-groups of as
// many rows write a row of the tile for each lane. If jam-sub-groups lets them run at once, the vectors are turned in
// registers, and each lane's row is one store. Reads of columns are the same the other way round.
//
// Lines of memory are then written whole and once. With the scatter they are touched in each row, and where rows lie a
// power of two apart they meet in the same few ways of the cache, and leave it before they are full.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class BasicBlock;
class Function;
class IntrinsicInst;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Whether it is a gather or a scatter of all lanes, whose places in the next sub-group are each one element further.
// `repeated` and `step` as of CopyDistances.
bool makes_tile(const llvm::IntrinsicInst &access,
                const llvm::SmallPtrSetImpl<const llvm::Value *> &repeated, unsigned step);

// Before they are repeated, so that the copies will be known.
void mark_tiles(llvm::ArrayRef<llvm::IntrinsicInst *> accesses);
void forget_tiles(llvm::BasicBlock &block);

// After that: `count` copies of each access, which follow each other, become loads or stores of rows. `count` is a power of
// two and at most the number of lanes. Returns how many tiles there are.
unsigned turn_tiles(llvm::Function &function, unsigned count);

} // namespace lockstep::compiler

// Finds plain accesses that together are a read-modify-write of one element: `bins[i] += 1`,
// `if (x > *most) *most = x`. A report about two of them recommends an atomic update, because a
// barrier cannot order them.
//
// Requires: the accesses of one kernel, before they are instrumented.
//
// Ensures: changes nothing. A store is an update if the old value of the same address decides what
// is stored, or whether it is stored; the load of that value is one, too.
#pragma once

#include "abi/check_abi.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {
class DominatorTree;
class Instruction;
} // namespace llvm

namespace lockstep::compiler {

using UpdateKinds = llvm::DenseMap<const llvm::Instruction *, UpdateKind>;

UpdateKinds find_updates(llvm::ArrayRef<llvm::Instruction *> accesses,
                         const llvm::DominatorTree &dominators);

} // namespace lockstep::compiler

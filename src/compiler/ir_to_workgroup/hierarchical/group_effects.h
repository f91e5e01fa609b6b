// What the group's code of a hierarchical kernel does to memory happens once, and in order with what its work-items do.
//
// An effect (a store, an atomic operation, printf) is had by the first work-item alone, between barriers; a result comes to
// the others through local memory. Barriers are left out where nothing was read since the last one, and at the end of the
// kernel: a kernel that is all item scope has none.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

class ItemScopes;

// Afterwards no item scope is marked.
void order_group_effects(llvm::Function &kernel, const ItemScopes &scopes);

} // namespace lockstep::compiler

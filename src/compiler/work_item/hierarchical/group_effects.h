// Executes the memory effects of a hierarchical kernel's group code once, in order with those of
// its work-items.
//
// The first work-item alone executes an effect (a store, an atomic operation, printf), between
// barriers. Local memory passes its result to the others. A barrier is omitted if nothing was read
// since the last one, and at the end of the kernel: a kernel that is one item scope has none.
#pragma once

namespace llvm {
class Function;
}

namespace lockstep::compiler {

class ItemScopes;

// Ensures that no item scope is marked any more.
void order_group_effects(llvm::Function &kernel, const ItemScopes &scopes);

} // namespace lockstep::compiler

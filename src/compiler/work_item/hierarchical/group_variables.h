// Handles the variables that the group's code of a hierarchical kernel declares.
//
// All of them are pinned at first. If only the group's code writes a variable and its address does
// not escape, it has the same value in each work-item. Such a variable is unpinned, and SROA
// promotes it to registers. That shows where the addresses that it held go, so more variables are
// unpinned: first closures, which hold the addresses of their captures, then counters and sizes. A
// variable that stays pinned is shared.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class GlobalVariable;
class Type;
} // namespace llvm

namespace lockstep::compiler {

class ItemScopes;

// Must be called while the kernel holds the group's variables, but not yet those of item scopes.
void pin_group_variables(llvm::Function &kernel);

void free_uniform_variables(llvm::Function &kernel, const ItemScopes &scopes,
                            llvm::FunctionAnalysisManager &analyses);

// Ensures that each shared variable is an addrspace(3) global, and that nothing is pinned.
void share_group_variables(llvm::Function &kernel, const ItemScopes &scopes);

// Makes a variable in local memory.
llvm::GlobalVariable *make_local_variable(llvm::Module &module, llvm::Type *type,
                                          llvm::Align alignment, const llvm::Twine &name);

} // namespace lockstep::compiler

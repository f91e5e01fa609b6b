// The variables of a hierarchical kernel that its group declares.
//
// All are pinned at first. What the group alone writes, and whose address goes nowhere, has the same value in each
// work-item: it is set free, and SROA makes it registers. That shows where the addresses it held go, so more are set free:
// closures first, which hold the addresses of what they capture, then counters and sizes. What stays pinned is shared.
#pragma once

#include "llvm/IR/PassManager.h"

namespace llvm {
class GlobalVariable;
class Type;
} // namespace llvm

namespace lockstep::compiler {

class ItemScopes;

// Called when the kernel holds the group's variables and not yet those of item scopes.
void pin_group_variables(llvm::Function &kernel);

void free_uniform_variables(llvm::Function &kernel, const ItemScopes &scopes,
                            llvm::FunctionAnalysisManager &analyses);

// Afterwards what is shared is an addrspace(3) global, and nothing is pinned.
void share_group_variables(llvm::Function &kernel, const ItemScopes &scopes);

// A variable in local memory.
llvm::GlobalVariable *make_local_variable(llvm::Module &module, llvm::Type *type,
                                          llvm::Align alignment, const llvm::Twine &name);

} // namespace lockstep::compiler

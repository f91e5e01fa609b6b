// Which code of a hierarchical kernel each work-item executes for itself, and which the group.
#pragma once

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace llvm {
class AllocaInst;
class BasicBlock;
class CallInst;
class Function;
class Instruction;
class Module;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// In a kernel whose code is the group's where it is in no item scope, also if there is none.
inline constexpr char group_scope_mark[] = "__lockstep_group_scope";
inline constexpr char item_scope_begin[] = "__lockstep_item_scope_begin";
inline constexpr char item_scope_end[] = "__lockstep_item_scope_end";
// Its argument is the address of a variable that each work-item has for itself, although the group declares it.
inline constexpr char private_memory_mark[] = "__lockstep_private_memory";
// Keeps a variable from being promoted while it is not known whose it is.
inline constexpr char group_variable_pin[] = "__lockstep_group_variable";

// Calls of one of the functions above.
llvm::SmallVector<llvm::CallInst *> calls_of(llvm::Module &module, const char *symbol);
bool is_call_of(const llvm::Instruction &instruction, const char *symbol);

class ItemScopes {
public:
  // Gives each begin and each end a block of its own. From then on the control flow has to stay.
  explicit ItemScopes(llvm::Module &module);
  bool contains(const llvm::Instruction &instruction) const;

private:
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks_;
};

// The variable that an address is in, if it is known.
llvm::AllocaInst *variable_of(llvm::Value *address);

// Memory of which each work-item has a copy, or that nobody writes.
bool is_private_or_constant(const llvm::Value *address);

} // namespace lockstep::compiler

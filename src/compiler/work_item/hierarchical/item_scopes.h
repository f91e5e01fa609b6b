// Separates the code of a hierarchical kernel into item scopes, which each work-item executes for
// itself, and the group's code.
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

// Marks a kernel whose code outside of item scopes is the group's, even if it has no item scope.
inline constexpr char group_scope_mark[] = "__lockstep_group_scope";
inline constexpr char item_scope_begin[] = "__lockstep_item_scope_begin";
inline constexpr char item_scope_end[] = "__lockstep_item_scope_end";
// The argument is the address of a variable that is private to each work-item, although the group
// declares it.
inline constexpr char private_memory_mark[] = "__lockstep_private_memory";
// Keeps a variable from being promoted until its owner is known.
inline constexpr char group_variable_pin[] = "__lockstep_group_variable";

// The calls of one of the functions above.
llvm::SmallVector<llvm::CallInst *> calls_of(llvm::Module &module, const char *symbol);
bool is_call_of(const llvm::Instruction &instruction, const char *symbol);

class ItemScopes {
public:
  // Gives each begin and each end a block of its own. The control flow must not change afterwards.
  explicit ItemScopes(llvm::Module &module);
  bool contains(const llvm::Instruction &instruction) const;

private:
  llvm::SmallPtrSet<const llvm::BasicBlock *, 16> blocks_;
};

// The variable that contains `address`; null if unknown.
llvm::AllocaInst *variable_of(llvm::Value *address);

// Whether the memory is private to each work-item, or is never written.
bool is_private_or_constant(const llvm::Value *address);

} // namespace lockstep::compiler

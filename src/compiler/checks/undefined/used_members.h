// Finds the pointer members of a function object through which the kernel only reads, and those
// through which it writes (abi/pointer_members.h). The kernel has the calls of undefined_calls.h,
// as lower-undefined requires.
#pragma once

#include "abi/pointer_members.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// True if the pointer is used only for reads and for reading shadow bits.
bool is_only_read(const llvm::Value &pointer, llvm::SmallPtrSetImpl<const llvm::Value *> &seen);

// The bit of the member; 0: the value is not such a member.
uint64_t bit_of_member(const llvm::Value &loaded);

PointerMembers used_members(const llvm::Function &kernel);

// Stored in the module's metadata.
void record_pointer_members(llvm::Module &module, const PointerMembers &members);
PointerMembers pointer_members(const llvm::Module &module);

} // namespace lockstep::compiler

// By which pointers of a function object the kernel only reads, and by which it writes (compiler/pointer_members.h); of a
// kernel with calls of undefined_calls.h, as lower-undefined finds it.
#pragma once

#include "compiler/pointer_members.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace llvm {
class Function;
class Module;
class Value;
} // namespace llvm

namespace lockstep::compiler {

// Does nothing but read by it, or say of it what is asked here?
bool is_only_read(const llvm::Value &pointer, llvm::SmallPtrSetImpl<const llvm::Value *> &seen);

// Its bit; 0: it is no such member.
uint64_t bit_of_member(const llvm::Value &loaded);

PointerMembers used_members(const llvm::Function &kernel);

// Kept in the module's metadata.
void note_pointer_members(llvm::Module &module, const PointerMembers &members);
PointerMembers pointer_members(const llvm::Module &module);

} // namespace lockstep::compiler

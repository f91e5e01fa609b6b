// Functions that are kept beside the kernel tell what they write, so that loops which call them can be seen to change
// nothing (write_sums.h, round_changes.h).
//
// Such a function takes more parameters: whether somebody looks for a deadlock, a variable of the kernel to which it then
// adds what it changes, and for each pointer that may be
// private memory's a number for the place. What it writes to its own
// variables is nobody's business.
#pragma once

#include "compiler/ir_to_workgroup/resumable/write_sums.h"

namespace llvm {
class AllocaInst;
class Function;
class Instruction;
class Loop;
} // namespace llvm

namespace lockstep::compiler {

// Of a call of a function that is kept: whether it writes something that lives on after it.
enum class CallWrites { nothing, tells, unknown };
// `tells` also before tell_writes(), if the function will.
CallWrites writes_of(const llvm::Instruction &instruction);

// Whether the loop calls a function that will tell.
bool calls_one_that_writes(const llvm::Loop &loop);

// Gives all functions of the module that write new signatures, and calls of them new arguments, by which nobody looks.
// Returns the variable, or null if there is no such function.
llvm::AllocaInst *tell_writes(llvm::Function &kernel);

// The call is told whether somebody looks, in addition to what it was told so far; its places are named by `sums`, or by
// none where `is_forgotten` says that nobody reads what is left in that memory.
void watch_call(llvm::CallInst &call, llvm::Value *watched, WriteSums &sums,
                llvm::function_ref<bool(const llvm::Value *pointer)> is_forgotten);

} // namespace lockstep::compiler

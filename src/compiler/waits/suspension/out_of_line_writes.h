// Instruments out-of-line functions to sum up what they write (write_sums.h). Loops that call them
// can then be recognized as making no progress (iteration_changes.h).
//
// Each such function gets more parameters: whether a deadlock is looked for, the kernel's variable
// that accumulates the sum, and a location number for each pointer that may point to private
// memory. Writes to the function's own variables do not count.
#pragma once

#include "compiler/waits/suspension/write_sums.h"

namespace llvm {
class AllocaInst;
class Function;
class Instruction;
class Loop;
} // namespace llvm

namespace lockstep::compiler {

// Whether a call of an out-of-line function writes memory that outlives the call.
enum class CallWrites { nothing, reports, unknown };
// Returns `reports` also before report_writes(), if report_writes() will instrument the function.
CallWrites writes_of(const llvm::Instruction &instruction);

// True if the loop calls a function that report_writes() instruments.
bool calls_one_that_writes(const llvm::Loop &loop);

// Adds the parameters to all functions of the module that write, and arguments to their calls; the
// sum is disabled at first. Returns the variable of the sum, or null if there is no such function.
llvm::AllocaInst *report_writes(llvm::Function &kernel);

// Enables the sum for this call if `watched`, in addition to the existing condition. `sums` names
// the locations; locations for which `is_forgotten` returns true are ignored, because they are
// never read.
void watch_call(llvm::CallInst &call, llvm::Value *watched, WriteSums &sums,
                llvm::function_ref<bool(const llvm::Value *pointer)> is_forgotten);

} // namespace lockstep::compiler

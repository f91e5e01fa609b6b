// Remarks of the passes: what became of a kernel, at which place of its source.
// "<file>:<line>:<column>: <topic>: <text>"; without the place where the IR does not know it.
// stage_runner.h collects them.
#pragma once

namespace llvm {
class DebugLoc;
class Instruction;
class LLVMContext;
class Twine;
} // namespace llvm

namespace lockstep::compiler {

// Topic "lanes".
void remark(const llvm::Instruction &where, const llvm::Twine &text);
void remark(const llvm::Instruction &where, const char *topic, const llvm::Twine &text);
void remark(llvm::LLVMContext &context, const llvm::DebugLoc &where, const char *topic,
            const llvm::Twine &text);

} // namespace lockstep::compiler

// Remarks of the passes: what a pass did with a kernel, and at which source location. Format:
// "<file>:<line>:<column>: <topic>: <text>", without the location if the IR does not have it.
// stage_runner.h collects the remarks.
#pragma once

namespace llvm {
class DebugLoc;
class Instruction;
class LLVMContext;
class Twine;
} // namespace llvm

namespace lockstep::compiler {

// The first overload uses the topic "lanes".
void remark(const llvm::Instruction &where, const llvm::Twine &text);
void remark(const llvm::Instruction &where, const char *topic, const llvm::Twine &text);
void remark(llvm::LLVMContext &context, const llvm::DebugLoc &where, const char *topic,
            const llvm::Twine &text);

} // namespace lockstep::compiler

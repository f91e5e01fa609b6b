// Remarks of the lanes stage: what became of a kernel, at which source line. stage_runner.h
// collects them.
#pragma once

namespace llvm {
class Instruction;
class Twine;
} // namespace llvm

namespace lockstep::compiler {

void remark(const llvm::Instruction &where, const llvm::Twine &text);
// The same of another stage: "<topic>: <text>".
void remark(const llvm::Instruction &where, const char *topic, const llvm::Twine &text);

} // namespace lockstep::compiler

// The source locations of instructions. Reports and the checker use them, so each instruction has
// its own: the place of OpLine, else the line that spirv-dis prints in the file <SPIR-V>.
#pragma once

#include "front_ends/spirv/module.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"

namespace llvm {
class Function;
}

namespace lockstep::compiler::spirv {

class Places {
public:
  Places(const Module &source, llvm::Module &target);

  // Begins a function. Gives it a subprogram.
  void begin_function(const FunctionBody &body, llvm::Function &function);
  void begin_block() { line_ = nullptr; }
  // Notes OpLine, OpNoLine and debug information.
  void note(const Instruction &instruction);
  llvm::DebugLoc location(const Instruction &instruction);
  // Once, after the last function.
  void finish() { builder_.finalize(); }

private:
  llvm::DIFile *file_of(Id name);
  llvm::DIScope *scope_in(llvm::DIFile *file);

  const Module &source_;
  llvm::DIBuilder builder_;
  llvm::DIFile *no_file_;
  llvm::DISubprogram *subprogram_ = nullptr;
  const Instruction *line_ = nullptr; // the OpLine in force
  IdMap<llvm::DIFile *> files_;
  llvm::DenseMap<llvm::DIFile *, llvm::DIScope *> scopes_; // of the current function
};

} // namespace lockstep::compiler::spirv

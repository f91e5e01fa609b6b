// The source locations of instructions. Reports and the checker use them, so each instruction has
// its own: the place of OpLine or DebugLine in the scope of DebugScope, else the line that spirv-dis
// prints in the file <SPIR-V>.
#pragma once

#include "front_ends/spirv/debug_scopes.h"

#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/DebugLoc.h"

#include <map>

namespace llvm {
class Function;
}

namespace lockstep::compiler::spirv {

class Places {
public:
  // `is_debug`: the program is built with -g.
  Places(const Module &source, llvm::Module &target, bool is_debug);

  // Begins a function. Gives it a subprogram.
  void begin_function(const FunctionBody &body, llvm::Function &function);
  void begin_block();
  // Notes OpLine, OpNoLine and debug information.
  void note(const Instruction &instruction);
  llvm::DebugLoc location(const Instruction &instruction);
  // Once, after the last function.
  void finish() { builder_.finalize(); }

private:
  struct Line {
    llvm::DIFile *file;
    unsigned line, column;
  };

  llvm::DIFile *file_of(Id name);
  llvm::DIScope *scope_in(llvm::DILocalScope *scope, llvm::DIFile *file);
  llvm::DISubprogram *make_subprogram(const FunctionBody &body, const llvm::Function &function);
  void record_debug(const DebugInstruction &instruction);
  // The location in the scope of DebugScope; null: there is none that LLVM takes.
  llvm::DILocation *scoped_location();

  const Module &source_;
  llvm::DIBuilder builder_;
  llvm::DIFile *no_file_;
  DebugScopes scopes_;
  llvm::DISubprogram *subprogram_ = nullptr;
  // In force in the current block.
  std::optional<Line> line_;
  Id scope_ = 0, inlined_at_ = 0; // DebugScope
  IdMap<llvm::DIFile *> files_;
  std::map<std::pair<llvm::DILocalScope *, llvm::DIFile *>, llvm::DIScope *> scopes_in_files_;
};

} // namespace lockstep::compiler::spirv

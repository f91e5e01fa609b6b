// The functions, blocks and inlined calls of debug information: OpenCL.DebugInfo.100, and
// NonSemantic.Shader.DebugInfo.100 and .200, which have the same instructions. Types and variables
// are not read.
//
// Debug information has no effect on the meaning of a program, so nothing here is an error: what
// is not well formed is ignored.
#pragma once

#include "front_ends/spirv/module/module.h"

#include "llvm/IR/DIBuilder.h"

#include <functional>

namespace lockstep::compiler::spirv {

// A debug instruction, with its own operands.
struct DebugInstruction {
  uint32_t number = 0;
  llvm::ArrayRef<uint32_t> operands;
  bool has_literals = false; // else numbers are ids of constants
  Id result = 0;
};

// Numbers of instructions in the sets.
constexpr uint32_t debug_function = 20, debug_lexical_block = 21, debug_scope = 23,
                   debug_no_scope = 24, debug_inlined_at = 25, debug_source = 35,
                   debug_function_definition = 101, debug_line = 103, debug_no_line = 104;

class DebugScopes {
public:
  // `make_file` makes the file of an OpString.
  DebugScopes(const Module &source, llvm::DIBuilder &builder,
              std::function<llvm::DIFile *(Id)> make_file);

  // Absent: another instruction.
  std::optional<DebugInstruction> decode(const Instruction &instruction) const;
  // The value of a number that is an operand.
  uint32_t number(const DebugInstruction &instruction, size_t operand) const;

  // The subprogram that the debug information has for a function. Null: none.
  llvm::DISubprogram *subprogram_of(const FunctionBody &body);
  // Null: the id is not a function or lexical block.
  llvm::DILocalScope *scope(Id id) { return scope(id, 0); }
  // The place of an inlined call; null: none.
  llvm::DILocation *inlined_at(Id id) { return inlined_at(id, 0); }
  llvm::DIFile *file(Id debug_source);

private:
  llvm::DILocalScope *scope(Id id, unsigned depth);
  llvm::DILocalScope *make_scope(const DebugInstruction &instruction, unsigned depth);
  llvm::DISubprogram *make_subprogram(const DebugInstruction &instruction);
  llvm::DILocation *inlined_at(Id id, unsigned depth);
  const DebugInstruction *find(Id id, uint32_t number) const;

  const Module &source_;
  llvm::DIBuilder &builder_;
  std::function<llvm::DIFile *(Id)> make_file_;
  IdMap<DebugInstruction> instructions_; // outside of functions
  IdMap<uint32_t> constants_;            // of 32 bits
  IdMap<Id> functions_;                  // the DebugFunction of an OpFunction
  IdMap<llvm::DILocalScope *> scopes_;
  IdMap<llvm::DILocation *> calls_;
  IdMap<Id> owners_; // the OpFunction that has the subprogram of a DebugFunction
};

} // namespace lockstep::compiler::spirv

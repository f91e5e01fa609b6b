// A SPIR-V module whose structure was checked: sections in order, ids below the bound and defined
// once, annotations by the id that they belong to. Types and values are not checked yet.
#pragma once

#include "front_ends/spirv/module/words.h"

#include "llvm/ADT/DenseMap.h"

namespace lockstep::compiler::spirv {

struct Decoration {
  spv::Decoration kind;
  llvm::ArrayRef<uint32_t> operands; // literals, or ids after OpDecorateId
  std::optional<uint32_t> member;    // of a structure
  const Instruction *instruction;
};

struct EntryPoint {
  Id function = 0;
  std::string name;
  const Instruction *instruction = nullptr;
};

struct Block {
  Id label = 0;
  const Instruction *head = nullptr;
  llvm::ArrayRef<Instruction> body; // after the label; the last one is the terminator
};

struct FunctionBody {
  const Instruction *head = nullptr;           // OpFunction
  std::vector<const Instruction *> parameters; // OpFunctionParameter
  llvm::ArrayRef<Instruction> instructions;    // after OpFunction, before OpFunctionEnd
  std::vector<Block> blocks;                   // empty: a declaration
};

struct SpecConstantDeclaration {
  uint32_t spec_id = 0;
  uint32_t size = 0; // bytes
  const Instruction *instruction = nullptr;
};

struct Module {
  Words words;
  std::vector<const Instruction *> declared_capabilities, extensions, imports;
  const Instruction *memory_model = nullptr;
  IdMap<llvm::StringRef> extended_sets;       // OpExtInstImport
  IdMap<llvm::StringRef> names;               // OpName
  IdMap<llvm::StringRef> strings;             // OpString
  IdMap<std::vector<Decoration>> decorations; // groups are resolved
  std::vector<const Instruction *> group_uses;
  std::vector<EntryPoint> entry_points;
  IdMap<std::vector<const Instruction *>> execution_modes; // by function
  std::vector<SpecConstantDeclaration> spec_constants;
  std::vector<const Instruction *> globals;          // types, constants, variables, in order
  std::vector<const Instruction *> extended_globals; // OpExtInst outside of functions
  std::vector<FunctionBody> functions;

  llvm::ArrayRef<Decoration> decorations_of(Id id) const;
  // The first decoration of that kind of the id itself (not of a member), or null.
  const Decoration *find_decoration(Id id, spv::Decoration kind) const;
  bool has_decoration(Id id, spv::Decoration kind) const { return find_decoration(id, kind); }
  llvm::StringRef name_of(Id id) const { return names.lookup(id); }
};

// ErrorKind::invalid_binary: the binary is not SPIR-V, or its structure is wrong.
Result<Module> parse_module(std::string_view binary);

} // namespace lockstep::compiler::spirv

#include "front_ends/spirv/places.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace lockstep::compiler::spirv {

Places::Places(const Module &source, llvm::Module &target) : source_(source), builder_(target) {
  no_file_ = builder_.createFile("<SPIR-V>", "");
  builder_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_OpenCL), no_file_, "",
                             false, "", 0, "", llvm::DICompileUnit::NoDebug);
  target.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::DIFile *Places::file_of(Id name) {
  llvm::DIFile *&file = files_[name];
  if (!file) {
    const llvm::StringRef path = source_.strings.lookup(name);
    file = builder_.createFile(llvm::sys::path::filename(path), llvm::sys::path::parent_path(path));
  }
  return file;
}

void Places::begin_function(const FunctionBody &body, llvm::Function &function) {
  scopes_.clear();
  line_ = nullptr;
  // The function is where its first line is.
  const auto *line = std::ranges::find(body.instructions, Op::OpLine, &Instruction::opcode);
  const bool is_known = line != body.instructions.end();
  llvm::DIFile *file = is_known ? file_of(line->operands[0]) : no_file_;
  const unsigned number = is_known ? line->operands[1] : body.head->line;
  llvm::StringRef name = source_.name_of(body.head->result);
  if (name.empty())
    name = function.getName();
  subprogram_ = builder_.createFunction(
      file, name, function.getName(), file, number,
      builder_.createSubroutineType(builder_.getOrCreateTypeArray({})), number,
      llvm::DINode::FlagPrototyped, llvm::DISubprogram::SPFlagDefinition);
  function.setSubprogram(subprogram_);
}

void Places::note(const Instruction &instruction) {
  if (instruction.opcode == Op::OpLine)
    line_ = &instruction;
  else if (instruction.opcode == Op::OpNoLine)
    line_ = nullptr;
}

llvm::DIScope *Places::scope_in(llvm::DIFile *file) {
  if (file == subprogram_->getFile())
    return subprogram_;
  llvm::DIScope *&scope = scopes_[file];
  if (!scope)
    scope = builder_.createLexicalBlockFile(subprogram_, file);
  return scope;
}

llvm::DebugLoc Places::location(const Instruction &instruction) {
  llvm::LLVMContext &context = subprogram_->getContext();
  if (!line_)
    return llvm::DILocation::get(context, instruction.line, 0, scope_in(no_file_));
  return llvm::DILocation::get(context, line_->operands[1], line_->operands[2] & 0xffff,
                               scope_in(file_of(line_->operands[0])));
}

} // namespace lockstep::compiler::spirv

#include "front_ends/spirv/places.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace lockstep::compiler::spirv {

Places::Places(const Module &source, llvm::Module &target, bool is_debug)
    : source_(source), builder_(target), no_file_(builder_.createFile("<SPIR-V>", "")),
      scopes_(source, builder_, [this](Id name) { return file_of(name); }) {
  builder_.createCompileUnit(
      llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_OpenCL), no_file_, "", false, "", 0, "",
      is_debug ? llvm::DICompileUnit::LineTablesOnly : llvm::DICompileUnit::NoDebug);
  target.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
}

llvm::DIFile *Places::file_of(Id name) {
  llvm::DIFile *&file = files_[name];
  if (!source_.strings.contains(name))
    file = no_file_;
  if (!file)
    file = builder_.createFile(source_.strings.lookup(name), "");
  return file;
}

// The function is where its first line is.
llvm::DISubprogram *Places::make_subprogram(const FunctionBody &body,
                                            const llvm::Function &function) {
  const auto *line = std::ranges::find(body.instructions, Op::OpLine, &Instruction::opcode);
  const bool is_known = line != body.instructions.end();
  llvm::DIFile *file = is_known ? file_of(line->operands[0]) : no_file_;
  const unsigned number = is_known ? line->operands[1] : body.head->line;
  llvm::StringRef name = source_.name_of(body.head->result);
  if (name.empty())
    name = function.getName();
  return builder_.createFunction(file, name, function.getName(), file, number,
                                 builder_.createSubroutineType(builder_.getOrCreateTypeArray({})),
                                 number, llvm::DINode::FlagPrototyped,
                                 llvm::DISubprogram::SPFlagDefinition);
}

void Places::begin_function(const FunctionBody &body, llvm::Function &function) {
  begin_block();
  subprogram_ = scopes_.subprogram_of(body);
  if (!subprogram_)
    subprogram_ = make_subprogram(body, function);
  function.setSubprogram(subprogram_);
}

void Places::begin_block() {
  line_.reset();
  scope_ = inlined_at_ = 0;
}

void Places::note(const Instruction &instruction) {
  if (instruction.opcode == Op::OpLine)
    line_ = {file_of(instruction.operands[0]), instruction.operands[1], instruction.operands[2]};
  else if (instruction.opcode == Op::OpNoLine)
    line_.reset();
  else if (auto debug = scopes_.decode(instruction))
    record_debug(*debug);
}

void Places::record_debug(const DebugInstruction &instruction) {
  const auto operands = instruction.operands;
  switch (instruction.number) {
  case debug_scope:
    scope_ = operands.empty() ? 0 : operands[0];
    inlined_at_ = operands.size() > 1 ? operands[1] : 0;
    break;
  case debug_no_scope:
    scope_ = inlined_at_ = 0;
    break;
  case debug_line:
    if (!operands.empty())
      line_ = {scopes_.file(operands[0]), scopes_.number(instruction, 1),
               scopes_.number(instruction, 3)};
    break;
  case debug_no_line:
    line_.reset();
    break;
  default:
    break;
  }
}

llvm::DIScope *Places::scope_in(llvm::DILocalScope *scope, llvm::DIFile *file) {
  if (file == scope->getFile())
    return scope;
  llvm::DIScope *&made = scopes_in_files_[{scope, file}];
  if (!made)
    made = builder_.createLexicalBlockFile(scope, file);
  return made;
}

llvm::DILocation *Places::scoped_location() {
  llvm::DILocalScope *scope = scope_ ? scopes_.scope(scope_) : nullptr;
  if (!scope)
    return nullptr;
  auto *location =
      llvm::DILocation::get(scope->getContext(), line_->line, line_->column & 0xffff,
                            scope_in(scope, line_->file), scopes_.inlined_at(inlined_at_));
  // LLVM takes locations whose outermost function is this one.
  return location->getInlinedAtScope()->getSubprogram() == subprogram_ ? location : nullptr;
}

llvm::DebugLoc Places::location(const Instruction &instruction) {
  llvm::LLVMContext &context = subprogram_->getContext();
  if (!line_)
    return llvm::DILocation::get(context, instruction.line, 0, scope_in(subprogram_, no_file_));
  if (llvm::DILocation *location = scoped_location())
    return location;
  return llvm::DILocation::get(context, line_->line, line_->column & 0xffff,
                               scope_in(subprogram_, line_->file));
}

} // namespace lockstep::compiler::spirv

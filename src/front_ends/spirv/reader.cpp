#include "front_ends/spirv/reader.h"

#include "front_ends/spirv/constant_reader.h"
#include "front_ends/spirv/declaration_reader.h"
#include "front_ends/spirv/function_reader.h"
#include "front_ends/spirv/kernels.h"
#include "front_ends/spirv/module/admission.h"
#include "front_ends/spirv/places.h"
#include "front_ends/spirv/type_reader.h"

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace lockstep::compiler::spirv {
namespace {

// As clang has them for spir64-unknown-unknown.
constexpr const char *triple = "spir64-unknown-unknown";
constexpr const char *data_layout =
    "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:1024-G1";

constexpr size_t most_names = 64; // of one function: each is a copy

} // namespace

Reader::Reader(const Module &source, llvm::Module &target,
               const std::vector<SpecConstant> &constants, bool is_debug)
    : source_(source), target_(target), constants_(constants) {
  target_.setTargetTriple(llvm::Triple(triple));
  target_.setDataLayout(data_layout);
  places_ = std::make_unique<Places>(source, target, is_debug);
}

Reader::~Reader() = default;

const Type *Reader::find_type(Id id) const {
  return types_.lookup(id);
}

const TypedValue *Reader::find_global(Id id) const {
  auto found = globals_.find(id);
  return found == globals_.end() ? nullptr : &found->second;
}

std::optional<spv::BuiltIn> Reader::built_in(Id id) const {
  auto found = built_ins_.find(id);
  if (found == built_ins_.end())
    return {};
  return found->second;
}

llvm::ArrayRef<std::string> Reader::kernel_names(Id function) const {
  auto found = kernel_names_.find(function);
  if (found == kernel_names_.end())
    return {};
  return found->second;
}

Result<void> Reader::read() {
  LOCKSTEP_TRY(admit(source_));
  LOCKSTEP_TRY(read_entry_points());
  LOCKSTEP_TRY(read_globals());
  LOCKSTEP_TRY(read_functions());
  LOCKSTEP_TRY(read_bodies());
  places_->finish();
  return verify();
}

Result<void> Reader::read_entry_points() {
  for (const EntryPoint &entry : source_.entry_points) {
    if (entry.name.empty() || is_reserved_name(entry.name))
      return error_at(*entry.instruction, 3,
                      fmt::format("is '{}', which no kernel can be called", entry.name));
    if (!used_kernel_names_.insert(entry.name).second)
      return error_at(*entry.instruction, 3,
                      fmt::format("is '{}', the name of another kernel", entry.name));
    auto &names = kernel_names_[entry.function];
    names.push_back(entry.name);
    if (names.size() > most_names)
      return error_at(*entry.instruction, 2,
                      fmt::format("is a function of more than {} kernels", most_names));
  }
  for (const auto &[function, modes] : source_.execution_modes)
    for (const Instruction *mode : modes) {
      if (!kernel_names_.contains(function))
        return error_at(*mode, 1, "is not an entry point");
      if (static_cast<spv::ExecutionMode>(mode->operands[1]) == spv::ExecutionMode::ContractionOff)
        contracts_ = false;
    }
  return {};
}

Result<void> Reader::read_global(const Instruction &instruction) {
  if (TypeReader::reads(instruction.opcode))
    return TypeReader(*this).read(instruction);
  if (ConstantReader::reads(instruction.opcode))
    return ConstantReader(*this).read(instruction);
  return DeclarationReader(*this).read_variable(instruction);
}

Result<void> Reader::read_globals() {
  for (const Instruction *instruction : source_.globals) {
    if (instruction->opcode == Op::OpLine || instruction->opcode == Op::OpNoLine)
      continue;
    if (!instruction->row)
      return error_at(*instruction, "the instruction is not supported");
    LOCKSTEP_TRY(read_global(*instruction));
  }
  return {};
}

Result<void> Reader::read_functions() {
  for (const FunctionBody &body : source_.functions)
    LOCKSTEP_TRY(DeclarationReader(*this).declare(body));
  for (const EntryPoint &entry : source_.entry_points)
    if (!find_function(entry.function))
      return error_at(*entry.instruction, 2, "is not a function");
  return {};
}

Result<void> Reader::read_bodies() {
  for (const FunctionBody &body : source_.functions) {
    if (body.blocks.empty())
      continue;
    llvm::Function &function = *find_function(body.head->result);
    places_->begin_function(body, function);
    LOCKSTEP_TRY(FunctionReader(*this, function).read(body));
    if (is_kernel(body.head->result))
      LOCKSTEP_TRY(make_kernels(*this, body, function));
  }
  return {};
}

// All errors should have been found before, with their places.
Result<void> Reader::verify() {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(target_, &stream))
    return Error{ErrorKind::build_failure, "program.spv: the module is not valid: " + text};
  return {};
}

} // namespace lockstep::compiler::spirv

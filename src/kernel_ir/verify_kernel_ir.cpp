#include "kernel_ir/verify_kernel_ir.h"

#include "abi/address_spaces.h"

#include "kernel_ir/out_of_line_function.h"
#include "kernel_ir/primitives.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace lockstep::compiler {

namespace {

std::string in_function(const llvm::Function &function, const llvm::Twine &rule) {
  return (rule + " (in " + function.getName() + ")").str();
}

// The coroutine form ends as a coroutine that was split into several functions.
bool is_split_coroutine(const llvm::Module &module) {
  return module.getFunction("lockstep.start") != nullptr;
}

std::string check_instruction(const llvm::Instruction &instruction, KernelIrStage stage) {
  const llvm::Function &function = *instruction.getFunction();
  auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (llvm::isa<llvm::AllocaInst>(instruction) && stage <= KernelIrStage::sub_group &&
      stage != KernelIrStage::kernel && instruction.getParent() != &function.getEntryBlock())
    return in_function(function, "an alloca stands outside the entry block");
  if (!call)
    return {};
  if (stage != KernelIrStage::kernel && call->getCalledFunction() &&
      !call->getCalledFunction()->isDeclaration() && !is_out_of_line(*call->getCalledFunction()) &&
      !is_split_coroutine(*function.getParent()))
    return in_function(function, "a defined function is called after inlining: " +
                                     call->getCalledFunction()->getName());
  auto primitive = called_primitive(instruction);
  if (!primitive)
    return {};
  if (stage >= KernelIrStage::sub_group &&
      (*primitive == Primitive::lane || *primitive == Primitive::mask ||
       *primitive == Primitive::any_lane || *primitive == Primitive::reciprocal_sqrt ||
       *primitive == Primitive::serial_begin || *primitive == Primitive::serial_end ||
       *primitive == Primitive::sub_group_width || *primitive == Primitive::sub_group_id ||
       is_sub_group_operation(*primitive)))
    return in_function(function,
                       llvm::Twine("left after the lanes stage: ") + primitive_name(*primitive));
  if (stage >= KernelIrStage::work_group &&
      (*primitive == Primitive::local_id || *primitive == Primitive::barrier))
    return in_function(function,
                       llvm::Twine("left after work-item-loops: ") + primitive_name(*primitive));
  if (stage == KernelIrStage::launchable && *primitive != Primitive::printf)
    return in_function(function,
                       llvm::Twine("left after lower-launch: ") + primitive_name(*primitive));
  if (stage < KernelIrStage::work_group &&
      (is_group_operation(*primitive) || is_sub_group_operation(*primitive)) &&
      !call->isConvergent())
    return in_function(function, "a group operation is not convergent");
  return {};
}

// ---- names

bool is_our_name(llvm::StringRef name) {
  return name.starts_with("lockstep.") || name.starts_with("lockstep-");
}

// A row of names.def has it.
bool is_known_name(llvm::StringRef name) {
  static constexpr llvm::StringLiteral rows[] = {
#define LOCKSTEP_NAME(kind, name, writer, meaning) name,
#include "kernel_ir/names.def"
  };
  return llvm::any_of(rows, [&](llvm::StringRef row) {
    return row.consume_back("*") ? name.starts_with(row) : name == row;
  });
}

std::string check_name(llvm::StringRef name) {
  if (!is_our_name(name) || is_known_name(name))
    return {};
  return ("a name that is not in names.def: " + name).str();
}

std::string check_attributes(const llvm::AttributeList &list) {
  for (llvm::AttributeSet set : list)
    for (const llvm::Attribute &attribute : set)
      if (attribute.isStringAttribute())
        if (std::string broken = check_name(attribute.getKindAsString()); !broken.empty())
          return broken;
  return {};
}

std::string check_names(const llvm::Module &module) {
  for (const llvm::NamedMDNode &list : module.named_metadata())
    if (std::string broken = check_name(list.getName()); !broken.empty())
      return broken;
  llvm::SmallVector<llvm::StringRef> kinds;
  module.getMDKindNames(kinds);
  for (llvm::StringRef kind : kinds)
    if (std::string broken = check_name(kind); !broken.empty())
      return broken;
  for (const llvm::GlobalVariable &variable : module.globals())
    if (std::string broken = check_name(variable.getName()); !broken.empty())
      return broken;
  for (const llvm::Function &function : module) {
    for (std::string broken :
         {check_name(function.getName()), check_attributes(function.getAttributes())})
      if (!broken.empty())
        return broken;
    for (const llvm::Instruction &instruction : llvm::instructions(function))
      if (const auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
        if (std::string broken = check_attributes(call->getAttributes()); !broken.empty())
          return in_function(function, broken);
  }
  return {};
}

// Passes know a primitive by its attribute.
std::string check_primitive(const llvm::Function &function) {
  if (!function.isDeclaration() || primitive_of(function) == primitive_named(function.getName()))
    return {};
  return ("a declaration whose attribute is not that of its name: " + function.getName()).str();
}

} // namespace

std::string verify_kernel_ir(llvm::Module &module, KernelIrStage stage) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (llvm::verifyModule(module, &stream))
    return "invalid LLVM IR: " + text;
  if (std::string broken = check_names(module); !broken.empty())
    return broken;
  unsigned bodies = 0;
  for (llvm::Function &function : module) {
    if (std::string broken = check_primitive(function); !broken.empty())
      return broken;
    bodies += !function.isDeclaration() && !is_out_of_line(function);
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (std::string broken = check_instruction(instruction, stage); !broken.empty())
        return broken;
  }
  if (stage != KernelIrStage::kernel && bodies != 1 && !is_split_coroutine(module))
    return "there is not exactly one function with a body after inline-kernel";
  if (stage == KernelIrStage::launchable)
    for (llvm::GlobalVariable &variable : module.globals())
      if (variable.getAddressSpace() == local_space)
        return "a local variable is left after place-local-memory: " + variable.getName().str();
  return {};
}

llvm::PreservedAnalyses VerifyKernelIrPass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  if (std::string broken = verify_kernel_ir(module, stage_); !broken.empty())
    module.getContext().diagnose(
        llvm::DiagnosticInfoGeneric("kernel IR contract: " + broken, llvm::DS_Error));
  return llvm::PreservedAnalyses::all();
}

} // namespace lockstep::compiler

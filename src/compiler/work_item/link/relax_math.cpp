// Redirects calls that may be approximate to approximate functions.
//
// libclc's pow uses tables, with four gathers for each vector, so that its error is at most 16 ulp
// even where exponent and logarithm are both large. With -cl-fast-relaxed-math or
// -cl-unsafe-math-optimizations it may be exp2(y * log2(x)), which is what programs request by
// these options.
//
// libclc's native functions are LLVM's intrinsics, for which the CPU has no instructions: they would
// be calls of the host's scalar functions, lane after lane. The functions that need not be native
// are vector code.
//
// Requires: kernel IR whose builtins have their names; clang marks such calls with the flag `afn`.
// Ensures: calls of pow and powr on float with that flag call `__lockstep_relaxed_pow` and
// `__lockstep_relaxed_powr` (device_lib/maths/relaxed_powers.cl), and so does native_powr or
// half_powr, if the target is a CPU. There, other native_ and half_ functions are those without the
// prefix.
#include "compiler/work_item/link/passes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace lockstep::compiler {

namespace {

// The Itanium name without the prefix native_ or half_; empty if it has none, or the target may
// have an instruction.
std::string name_without_prefix(llvm::StringRef name) {
  unsigned length = 0;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length) || length > name.size())
    return {};
  llvm::StringRef function = name.take_front(length);
  const llvm::StringRef parameters = name.drop_front(length);
  if (!function.consume_front("native_") && !function.consume_front("half_"))
    return {};
  if (function == "powr")
    function = "__lockstep_relaxed_powr";
  else if (!llvm::is_contained(
               {"cos", "sin", "tan", "exp", "exp2", "exp10", "log", "log2", "log10"}, function))
    return {};
  return ("_Z" + llvm::Twine(function.size()) + function + parameters).str();
}

// The Itanium name of the approximate function; empty if there is none.
std::string relaxed_name(llvm::StringRef name, const llvm::Type &type) {
  if (!type.getScalarType()->isFloatTy())
    return {};
  for (const llvm::StringRef function : {"pow", "powr"}) {
    llvm::StringRef parameters = name;
    const std::string relaxed = ("__lockstep_relaxed_" + function).str();
    if (parameters.consume_front("_Z" + llvm::utostr(function.size())) &&
        parameters.consume_front(function))
      return "_Z" + llvm::utostr(relaxed.size()) + relaxed + parameters.str();
  }
  return {};
}

} // namespace

llvm::PreservedAnalyses RelaxMathPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      const llvm::Function *callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !callee->isDeclaration() || !llvm::isa<llvm::FPMathOperator>(call))
        continue;
      std::string name = is_cpu_ ? name_without_prefix(callee->getName()) : "";
      if (name.empty() && call->hasApproxFunc())
        name = relaxed_name(callee->getName(), *call->getType());
      if (!name.empty()) {
        call->setCalledFunction(
            module.getOrInsertFunction(name, callee->getFunctionType(), callee->getAttributes()));
        if (auto *relaxed = llvm::dyn_cast<llvm::Function>(call->getCalledOperand()))
          relaxed->setCallingConv(callee->getCallingConv());
      }
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

#include "front_ends/common/sort_without_recursion.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/Scalar/SCCP.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

namespace lockstep::compiler {
namespace {

constexpr unsigned depth_parameter = 2; // (first, last, depth, comparison)

bool sorts_to_a_depth(const llvm::Function &function) {
  return function.getName().starts_with("_ZSt16__introsort_loop") && !function.isDeclaration() &&
         function.arg_size() > depth_parameter &&
         function.getArg(depth_parameter)->getType()->isIntegerTy();
}

} // namespace

void sort_without_recursion(llvm::Module &module) {
  llvm::PassBuilder builder;
  llvm::FunctionAnalysisManager analyses;
  builder.registerFunctionAnalyses(analyses);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  passes.addPass(llvm::SCCPPass());
  passes.addPass(llvm::SimplifyCFGPass());
  for (llvm::Function &function : module)
    if (sorts_to_a_depth(function)) {
      llvm::Argument *depth = function.getArg(depth_parameter);
      depth->replaceAllUsesWith(llvm::ConstantInt::get(depth->getType(), 0));
      passes.run(function, analyses);
    }
}

} // namespace lockstep::compiler

// Puts an instruction of its own in front of each call that will be inlined, for a debugger.
//
// Input:  functions before inlining.
// Output: a volatile store, which writes a variable that nothing reads, at the place of each call of
//         a function with a body. A line that only calls such functions would have no instruction
//         after inlining, so no breakpoint could be set there.
#include "compiler/work_item/inline/passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"

namespace lockstep::compiler {

llvm::PreservedAnalyses MarkCallLinesPass::run(llvm::Function &function,
                                               llvm::FunctionAnalysisManager &) {
  llvm::SmallVector<llvm::CallInst *> calls;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        call && call->getDebugLoc() && call->getDebugLoc().getLine() != 0 &&
        call->getCalledFunction() && !call->getCalledFunction()->isDeclaration())
      calls.push_back(call);
  if (calls.empty() || !function.getSubprogram())
    return llvm::PreservedAnalyses::all();
  llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
  llvm::Value *variable = builder.CreateAlloca(builder.getInt8Ty(), nullptr, "call.line");
  for (llvm::CallInst *call : calls) {
    builder.SetInsertPoint(call); // also its place
    builder.CreateStore(builder.getInt8(0), variable, /*isVolatile=*/true);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace lockstep::compiler

#include "compiler/analysis/chains.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"

namespace lockstep::compiler {

bool is_chain(const llvm::Loop &loop) {
  if (!loop.isInnermost())
    return false;
  for (const llvm::BasicBlock *block : loop.blocks())
    for (const llvm::Instruction &instruction : *block)
      if (instruction.mayReadOrWriteMemory())
        return false;
  for (const llvm::PHINode &phi : loop.getHeader()->phis())
    if (phi.getType()->isFPOrFPVectorTy())
      return true;
  return false;
}

} // namespace lockstep::compiler

// Asks for what a work-group behind the next one will load, where the processor does not look so far.
//
//     temp[me] = from[...]; barrier; ... many steps in local memory ...; to[...] = temp[me];
//
// Groups run one after the other, but one that is longer than the processor looks ahead hides the next one's loads from it;
// and of groups that may wait, between which the runtime looks whether they do, it sees three at a time where it sees five
// others.
// Straight code is no help to the processor's own prefetchers, either: each line is loaded by an instruction of its own, and
// whether they follow depends on where the machine code happens to lie. A scan of 512 numbers for each group took 210 or 345 ns,
// from one build of the same program to the next, and takes 220 when it asks for the lines itself.
//
// Input:  the function of a work-group, or what starts one that may wait, after all optimisation.
// Output: `llvm.prefetch` behind the group's own loads, once for each line. Straight code only: loops are left to
//         prefetch-strides and the processor. What lies behind the last group is fetched too, maybe from outside of all
//         buffers: a prefetch does not fault.
//
// Last, with prefetch-strides: the code is as it will be.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class PrefetchGroupsPass : public llvm::PassInfoMixin<PrefetchGroupsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

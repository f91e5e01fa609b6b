// Loops, and other code, that each lane runs alone.
//
// Where lanes contend (analyze/lane_turns.h), mark-waits has marked what a lane does in its turn.
//
// A loop that does little but load from anywhere (a row of a sparse matrix: value[i] *
// x[column[i]]) has no use for lanes: a gather is as many loads as it has lanes, and costs more
// than those, while lanes that are finished wait for the longest row. Run alone, each lane's loads
// follow each other in memory and the CPU overlaps the iterations.
//
// serialise-loops, before linearize, moves both into a function of its own, which packetize
// calls for one active lane after the other like any call that has no vector form.
// inline-serial-loops puts it back afterwards. So neither has to know about the other's control
// flow.
//
// Input:  the kernel as canonicalise-flow leaves it. Unmarked: only innermost loops whose number of
//         iterations does not depend on what they load: pointer chasing and searches gain from
//         lanes, since each lane's loads wait for the ones before.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Attribute of the functions that serialise-loops makes; its value says why, for a remark.
inline constexpr char serial_loop[] = "lockstep-serial-loop";

class SerialiseLoopsPass : public llvm::PassInfoMixin<SerialiseLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

class InlineSerialLoopsPass : public llvm::PassInfoMixin<InlineSerialLoopsPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &analyses);
  static bool isRequired() { return true; }
};

} // namespace lockstep::compiler

// Serializes loops and contended code: each lane runs them alone, one lane after the other.
//
// Where lanes contend (analysis/serial_regions.h), mark-waits has marked the serialized region of a
// lane.
//
// A loop that does little but load from arbitrary addresses (a row of a sparse matrix: value[i] *
// x[column[i]]) does not profit from lanes. A gather costs more than one load per lane, and lanes
// that are finished wait for the longest row. If a lane runs alone, its loads are consecutive in
// memory and the CPU overlaps the iterations.
//
// serialize-loops moves both kinds into functions, which packetize calls for one active lane after
// the other, like any call without a vector form. inline-serial-loops inlines the functions
// afterwards. Neither linearize nor packetize has to handle the control flow of these loops.
//
// Input:  the kernel as canonicalize-flow leaves it, before linearize.
// Output: outlined regions. An unmarked loop is chosen only if it is innermost and its trip count
//         does not depend on its loads. Pointer chasing and searches profit from lanes, since each
//         lane's loads wait for the preceding ones.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Attribute of the outlined functions; its value is the reason, for a remark.
inline constexpr char serial_loop[] = "lockstep-serial-loop";

class SerializeLoopsPass : public llvm::PassInfoMixin<SerializeLoopsPass> {
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

// Decides which values a coroutine rematerializes after a suspension instead of keeping them in its
// frame.
//
// Frames dominate the cost of a waiting group. Most values live across a suspension come from few
// sources: kernel arguments and sizes, which can be loaded again from the launch's structs, ids,
// which are computed from the sub-group's number, and addresses derived from these. LLVM's
// CoroSplitPass queries for each instruction whether it may be repeated.
#pragma once

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

bool is_cheap_to_rematerialize(llvm::Instruction &instruction);

} // namespace lockstep::compiler

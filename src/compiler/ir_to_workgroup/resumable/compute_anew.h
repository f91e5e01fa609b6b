// Which values a coroutine computes anew after a suspension instead of keeping them in its frame.
//
// Frames are what a waiting group costs, and most of what lives across a suspension comes from few
// things: kernel arguments and sizes, which can be loaded again from the launch's structs, ids,
// which are computed from the sub-group's number, and addresses made of those. LLVM's CoroSplitPass
// asks for each instruction whether it may be repeated.
#pragma once

namespace llvm {
class Instruction;
}

namespace lockstep::compiler {

bool is_cheap_to_compute_anew(llvm::Instruction &instruction);

} // namespace lockstep::compiler

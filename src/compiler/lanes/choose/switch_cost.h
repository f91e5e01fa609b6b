// Estimates whether lanes are slower than single work-items in switches where each work-item may
// take a different case.
//
// linearize turns a divergent switch into the sequence of all its cases, each behind a test whether
// any lane takes it. If every lane takes a different case, the sub-group saves one jump per lane
// and pays one test per case. An interpreter of 250 instructions takes 2.5 to 4 times as long in 16
// lanes as with one. Lanes win where they agree, but that depends on the data. The estimate assumes
// that they do not agree, so that users need not know about it.
//
// The estimate weights instructions by LLVM's block frequencies and by their average times in
// scalar and in vector code. The times were measured on an Intel Xeon with AVX-512. The ratio
// between cases and tests differs little between processors.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Runs before lane-ids. Returns true for an out-of-line function with any large switch. Such a
// function exists for its switch (hashcat's functions that move bytes by a variable distance). In
// lanes each case is a series of masked stores, and compiling them would take many times as long as
// compiling the whole kernel.
bool lanes_lose_in_switches(llvm::Function &function, unsigned width,
                            llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler

// Whether lanes lose against one work-item after the other in switches through which each goes in its own way.
//
// In lanes a switch becomes a line of all its cases, each with a test of whether a lane wants it (linearize). Where every
// lane wants another one, all that the sub-group saves is one jump for each lane, at the price of a test for each case: an
// interpreter of 250 instructions takes 2.5 to 4 times as long in 16 lanes as with one. Where the lanes agree, lanes win;
// but that depends on the data, and nobody should have to know of it. So this assumes that they do not.
//
// The estimate counts instructions by how often LLVM expects their blocks to run, with the times that they take in scalar
// and in vector code on average (measured on an Intel Xeon with AVX-512; how fast cases are in relation to tests differs
// little between processors).
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

// Before lane-ids. A function that is kept loses if it has a large switch at all: such functions are large for that switch
// (hashcat's move bytes by any number of places), and each of its cases in lanes is a row of masked stores, of which LLVM
// would have to make code for many times what the whole kernel is.
bool lanes_lose_in_switches(llvm::Function &function, unsigned width,
                            llvm::FunctionAnalysisManager &analyses);

} // namespace lockstep::compiler

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

namespace llvm {
class BlockFrequencyInfo;
class DominatorTree;
class Function;
} // namespace llvm

namespace lockstep::compiler {

// Before lane-ids. False if there is no switch with many cases; that is found out quickly.
bool lanes_lose_in_switches(llvm::Function &function, unsigned width,
                            const llvm::DominatorTree &dominators,
                            const llvm::BlockFrequencyInfo &frequencies);

bool has_large_switch(const llvm::Function &function);

} // namespace lockstep::compiler

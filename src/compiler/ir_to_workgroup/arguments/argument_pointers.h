// Says what is known of pointers that a kernel finds in its struct arguments: they point to global memory, and stay.
//
// Input:  the kernel after privatise-arguments and SROA; a struct argument is a pointer into the argument block.
// Output: a generic pointer that is loaded from there is cast to addrspace(1) and back; loads from there are marked
//         `invariant.load`. LLVM's infer-address-spaces, right after, brings the address space to the accesses.
//
// A function object of SYCL holds its accessors and pointers as C++ has them, generic. The host gives it no other memory
// than global: local memory comes in as variables (privatise-arguments). Without this, no access of a SYCL kernel would
// be known to be apart from local memory and from the argument block itself.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ArgumentPointersPass : public llvm::PassInfoMixin<ArgumentPointersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler

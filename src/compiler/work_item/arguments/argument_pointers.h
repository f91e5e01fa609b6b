// Marks pointers in a kernel's struct arguments as global and invariant.
//
// Requires: the kernel after privatize-arguments and SROA; a struct argument is a pointer into the
// argument block.
// Ensures: a generic pointer that is loaded from there is cast to addrspace(1) and back; loads from
// there are marked `invariant.load`. LLVM's infer-address-spaces, right after, propagates the
// address space to the accesses.
//
// A function object of SYCL holds its accessors and pointers as C++ does, as generic ones. The host
// passes only global memory in it: local memory comes in as variables (privatize-arguments).
// Without this pass, LLVM could not prove that accesses of SYCL kernels are disjoint from local
// memory and from the argument block.
#pragma once

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class ArgumentPointersPass : public llvm::PassInfoMixin<ArgumentPointersPass> {
public:
  llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &);
};

} // namespace lockstep::compiler

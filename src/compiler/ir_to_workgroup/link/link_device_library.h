// Resolves the builtins that a kernel calls and makes the module one for the CPU.
//
// Input:  kernel IR as source_to_ir leaves it (spir64, any number of kernels), and the name of one
//         kernel.
// Output: that kernel and what it needs; all other kernels are gone. Builtins are defined: first
//         from our device library, then from libclc (whose own work-item functions and barriers
//         call ours). What is still declared is a primitive or an LLVM intrinsic. Triple, data
//         layout, CPU and features are the host's; calling conventions are C. Address spaces stay:
//         on x86 they are plain pointers, and they serve alias analysis.
//
// Where libclc's function is wrong for some arguments, ours of the same name calls it as
// "__libclc_<name>" for the others: libclc's gets that name when it is linked.
//
// Conversions of floating-point numbers to integers in what is linked are frozen: libclc converts numbers that do not fit
// where it does not use the result, and that must not become undefined.
//
// First, because everything after works on whole kernels.
#pragma once

#include "llvm/IR/PassManager.h"

#include <string>
#include <string_view>

namespace llvm {
class TargetMachine;
}

namespace lockstep::compiler {

class LinkDeviceLibraryPass : public llvm::PassInfoMixin<LinkDeviceLibraryPass> {
public:
  // `kernel` empty: the only kernel of the module.
  LinkDeviceLibraryPass(const llvm::TargetMachine &target, std::string kernel)
      : target_(target), kernel_(std::move(kernel)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
  std::string kernel_;
};

// Defines what the module declares and the library (bitcode, called `name` in errors) has. A function that the module
// itself defines stays.
void link_functions(llvm::Module &module, std::string_view bitcode, const char *name);

} // namespace lockstep::compiler

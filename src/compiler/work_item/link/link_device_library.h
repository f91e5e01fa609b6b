// Resolves the builtins that a kernel calls, and retargets the module to the CPU.
//
// Requires: kernel IR as front_ends produces it (spir64, any number of kernels), and the name of
// one kernel.
// Ensures: only that kernel and its dependencies are left. Builtins are defined, from our device
// library if it has them, else from libclc (whose own work-item functions and barriers call ours).
// Declarations that are left are primitives or LLVM intrinsics. Triple, data layout, CPU and
// features are the host's; calling conventions are C. Address spaces stay: on x86 they are plain
// pointers, and they serve alias analysis.
//
// If libclc's function is wrong for some arguments, ours of the same name calls it as
// "__libclc_<name>" for the others: libclc's function is renamed when it is linked.
//
// Conversions of floating-point numbers to integers in linked code are frozen: libclc converts
// numbers that do not fit where it does not use the result, and that must not be undefined.
//
// Position: first, because all later passes work on whole kernels.
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
  // `kernel` empty: the only kernel of the module. `flushes`: its code runs with subnormal numbers of
  // float taken for zero, so constants are folded in this way.
  LinkDeviceLibraryPass(const llvm::TargetMachine &target, std::string kernel, bool flushes)
      : target_(target), kernel_(std::move(kernel)), flushes_(flushes) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
  static bool isRequired() { return true; }

private:
  const llvm::TargetMachine &target_;
  std::string kernel_;
  bool flushes_;
};

// Links the module's undefined functions from a library (bitcode, called `name` in errors).
// Functions that the module defines do not change.
void link_functions(llvm::Module &module, std::string_view bitcode, const char *name);

} // namespace lockstep::compiler

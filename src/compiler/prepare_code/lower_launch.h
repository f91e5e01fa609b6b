// Binds the kernel to the launch ABI (abi/launch_abi.h).
//
// Requires: the function of one work-group, as work-item-loops produces it: kernel arguments are
// parameters, group ids and sizes are primitives.
// Ensures: the module defines `void @lockstep.workgroup(ptr launch, ptr group)`, in the coroutine
// form `void @lockstep.sub_group(ptr launch, ptr group, ptr frame, i64 sub_group)`. The old
// function is inlined there. Arguments are loaded from the argument block, primitives from
// LaunchInfo and GroupInfo; printf calls the host. Loads and stores carry alias scopes by address
// space: local memory, global memory and the launch structs never overlap, which x86's flat address
// space does not express.
//
// Position: before the final optimization, which benefits from all of that. Local variables stay
// addrspace(3) globals until place-local-memory, because distinct globals are the best alias
// information.
#pragma once

#include "kernel_ir/kernel_info.h"

#include "llvm/IR/PassManager.h"

namespace lockstep::compiler {

class LowerLaunchPass : public llvm::PassInfoMixin<LowerLaunchPass> {
public:
  explicit LowerLaunchPass(KernelInfo kernel) : kernel_(std::move(kernel)) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);
  static bool isRequired() { return true; }

private:
  KernelInfo kernel_;
};

} // namespace lockstep::compiler

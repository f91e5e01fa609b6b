// Runs the stages of a pipeline: measures each, verifies the contract after it, shows the IR to a
// listener, and turns errors that passes report through the LLVMContext into a Result.
#pragma once

#include "compiler/compile.h"
#include "compiler/kernel_ir/verify_kernel_ir.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>

namespace llvm {
class PassBuilder;
class TargetMachine;
struct DiagnosticHandler;
} // namespace llvm

namespace lockstep::compiler {

class StageRunner {
public:
  StageRunner(llvm::Module &module, llvm::TargetMachine &target, bool verify,
              const StageListener *listener);
  ~StageRunner();

  using Fill = llvm::function_ref<void(llvm::ModulePassManager &, llvm::PassBuilder &)>;
  // Shows the IR as it is before the first stage.
  Result<void> start(const char *name);
  Result<void> run(const char *name, KernelIrStage holds_after, Fill fill);

  std::vector<std::string> remarks() const;

private:
  class Diagnostics;

  Result<void> check(const char *name, KernelIrStage stage);

  llvm::Module &module_;
  llvm::TargetMachine &target_;
  const StageListener *listener_;
  Diagnostics *diagnostics_; // owned by the LLVMContext
  std::unique_ptr<llvm::DiagnosticHandler>
      handler_afterwards_; // made first: a destructor must not throw
  bool verify_;
};

} // namespace lockstep::compiler

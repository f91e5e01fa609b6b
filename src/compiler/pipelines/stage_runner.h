// Runs the stages of a pipeline.
//
// It measures each stage, verifies its contract, and passes the IR to a listener. Errors that
// passes report through the LLVMContext are returned as a Result.
#pragma once

#include "compiler/pipelines/stage_listener.h"
#include "kernel_ir/verify_kernel_ir.h"
#include "support/result.h"

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
  // Passes the IR before the first stage to the listener.
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
      handler_afterwards_; // created early: a destructor must not throw
  bool verify_;
};

} // namespace lockstep::compiler

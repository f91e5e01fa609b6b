#include "compiler/pipelines/stage_runner.h"

#include "compiler/pipelines/pipeline.h"

#include "compiler/work_item/work_item_target.h"

#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/StructuralHash.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <ctime>

namespace lockstep::compiler {

// Errors end the pipeline. Remarks of our own passes are collected. LLVM's own remarks and warnings
// are ignored.
class StageRunner::Diagnostics final : public llvm::DiagnosticHandler {
public:
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    if (info.getSeverity() == llvm::DS_Error)
      (error.empty() ? error : ignored) = text;
    else if (info.getSeverity() == llvm::DS_Remark && info.getKind() == llvm::DK_Generic)
      remarks.push_back(text);
    return true;
  }

  std::string error, ignored;
  std::vector<std::string> remarks;
};

StageRunner::StageRunner(llvm::Module &module, llvm::TargetMachine &target, bool verify,
                         const StageListener *listener)
    : module_(module), target_(target), listener_(listener),
      handler_afterwards_(std::make_unique<llvm::DiagnosticHandler>()), verify_(verify) {
  auto diagnostics = std::make_unique<Diagnostics>();
  diagnostics_ = diagnostics.get();
  module.getContext().setDiagnosticHandler(std::move(diagnostics));
}

StageRunner::~StageRunner() {
  module_.getContext().setDiagnosticHandler(std::move(handler_afterwards_));
}

std::vector<std::string> StageRunner::remarks() const {
  return diagnostics_->remarks;
}

Result<void> StageRunner::check(const char *name, KernelIrStage stage) {
  if (!diagnostics_->error.empty())
    return Error{ErrorKind::build_failure, diagnostics_->error};
  if (!verify_)
    return {};
  if (std::string broken = verify_kernel_ir(module_, stage); !broken.empty())
    return Error{ErrorKind::internal, std::string("after stage '") + name + "': " + broken};
  return {};
}

static std::string text_of(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

Result<void> StageRunner::start(const char *name) {
  if (listener_ && listener_->after_stage)
    listener_->after_stage(
        name, listener_->want_ir && listener_->want_ir(name) ? text_of(module_) : "", true, 0);
  return check(name, KernelIrStage::kernel);
}

// CPU time of this thread only, so the load of the machine does not affect the measurement.
static double milliseconds_of_processor() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

Result<void> StageRunner::run(const char *name, KernelIrStage holds_after, Fill fill) {
  llvm::stable_hash before = listener_ ? llvm::StructuralHash(module_, /*DetailedHash=*/true) : 0;
  double begin = milliseconds_of_processor();
  {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager sccs;
    llvm::ModuleAnalysisManager modules;
    llvm::PassInstrumentationCallbacks callbacks;
    if (listener_ && listener_->before_pass)
      callbacks.registerBeforeNonSkippedPassCallback(
          [&](llvm::StringRef pass, const llvm::Any &) { listener_->before_pass(pass); });
    llvm::PassBuilder builder(&target_, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
    if (holds_after <= KernelIrStage::inlined) // the first registration wins
      functions.registerPass([] { return work_item_target(); });
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(sccs);
    builder.registerFunctionAnalyses(functions);
    register_analyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, sccs, modules);
    llvm::ModulePassManager manager;
    fill(manager, builder);
    manager.run(module_, modules);
  }
  double milliseconds = milliseconds_of_processor() - begin;
  if (listener_ && listener_->after_stage)
    listener_->after_stage(name,
                           listener_->want_ir && listener_->want_ir(name) ? text_of(module_) : "",
                           llvm::StructuralHash(module_, true) != before, milliseconds);
  return check(name, holds_after);
}

} // namespace lockstep::compiler

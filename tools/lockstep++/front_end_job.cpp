#include "tools/lockstep++/front_end_job.h"

#include "tools/lockstep++/attribute_tokens.h"
#include "tools/lockstep++/embed_image.h"
#include "tools/lockstep++/prepared_headers.h"

#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/FrontendTool/Utils.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TimeProfiler.h"
#include "llvm/Support/Timer.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <filesystem>

namespace lockstep::driver {

DriverRun::DriverRun(const Installation &installation, Arguments arguments, Warnings warnings)
    : arguments_(std::move(arguments)) {
  auto *printer = new clang::TextDiagnosticPrinter(llvm::errs(), options_);
  printer->setPrefix("lockstep++");
  options_.ShowColors = llvm::errs().has_colors();
  diagnostics_ = clang::CompilerInstance::createDiagnostics(*llvm::vfs::getRealFileSystem(),
                                                            options_, printer);
  diagnostics_->setIgnoreAllWarnings(warnings == Warnings::hidden);
  driver_ = std::make_unique<clang::driver::Driver>(
      installation.clang, llvm::sys::getDefaultTargetTriple(), *diagnostics_, "lockstep++");
  std::vector<const char *> texts;
  for (const std::string &argument : arguments_)
    texts.push_back(argument.c_str());
  compilation_.reset(driver_->BuildCompilation(texts));
}

DriverRun::~DriverRun() = default;

const clang::driver::Command *DriverRun::first_front_end_job() const {
  if (!compilation_ || has_failed())
    return nullptr;
  for (const clang::driver::Command &command : compilation_->getJobs())
    if (is_front_end_job(command))
      return &command;
  return nullptr;
}

bool is_front_end_job(const clang::driver::Command &command) {
  const llvm::opt::ArgStringList &arguments = command.getArguments();
  return !arguments.empty() && llvm::StringRef(arguments.front()) == "-cc1";
}

std::unique_ptr<clang::CompilerInstance> make_compiler(llvm::ArrayRef<const char *> arguments,
                                                       const Installation &installation) {
  clang::DiagnosticOptions options;
  auto diagnostics =
      clang::CompilerInstance::createDiagnostics(*llvm::vfs::getRealFileSystem(), options);
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (!clang::CompilerInvocation::CreateFromArgs(*invocation, arguments.drop_front(), *diagnostics))
    return nullptr;
  llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> files = llvm::vfs::getRealFileSystem();
  use_prepared_headers(*invocation, arguments, installation, files);
  auto compiler = std::make_unique<clang::CompilerInstance>(std::move(invocation));
  compiler->createVirtualFileSystem(files);
  compiler->createDiagnostics();
  change_attribute_tokens(*compiler);
  return compiler;
}

namespace {

// -ftime-report needs a timer that the compiler instance does not make itself, and -ftime-trace writes
// its file at the end.
bool execute(clang::CompilerInstance &compiler) {
  const clang::FrontendOptions &options = compiler.getFrontendOpts();
  if (compiler.getCodeGenOpts().TimePasses)
    compiler.createFrontendTimer();
  if (!options.TimeTracePath.empty())
    llvm::timeTraceProfilerInitialize(options.TimeTraceGranularity, "lockstep++",
                                      options.TimeTraceVerbose);
  const bool success = clang::ExecuteCompilerInvocation(&compiler);
  llvm::TimerGroup::printAll(llvm::errs());
  llvm::TimerGroup::clearAll();
  if (llvm::timeTraceProfilerEnabled()) {
    std::error_code failed;
    llvm::raw_fd_ostream file(options.TimeTracePath, failed);
    if (failed)
      llvm::errs() << "lockstep++: warning: -ftime-trace: cannot write " << options.TimeTracePath
                   << ": " << failed.message() << "\n";
    else
      llvm::timeTraceProfilerWrite(file);
    llvm::timeTraceProfilerCleanup();
  }
  return success;
}

} // namespace

int run_front_end_job(const clang::driver::Command &command, const Installation &installation,
                      const UserOptions &user) {
  auto compiler = make_compiler(command.getArguments(), installation);
  if (!compiler)
    return 1;
  const auto &inputs = compiler->getFrontendOpts().Inputs;
  bool device_failed = false;
  if (compiler->getLangOpts().SYCLIsHost && !inputs.empty() && inputs[0].isFile()) {
    const std::string source = inputs[0].getFile().str();
    compiler->getCodeGenOpts().PassBuilderCallbacks.push_back(
        [&, source](llvm::PassBuilder &builder) {
          builder.registerPipelineStartEPCallback(
              [&, source](llvm::ModulePassManager &passes, llvm::OptimizationLevel) {
                passes.addPass(EmbedImagePass({installation, user, source, &device_failed}));
              });
        });
  }
  const bool success = execute(*compiler);
  if (success && !device_failed)
    return 0;
  std::error_code ignored; // the output lacks its device side
  // Remove it only if it is a regular file, not /dev/null, for example.
  if (const std::string &file = compiler->getFrontendOpts().OutputFile;
      std::filesystem::is_regular_file(file, ignored))
    std::filesystem::remove(file, ignored);
  return 1;
}

} // namespace lockstep::driver

// Runs clang's driver and front end as functions of this process.
#pragma once

#include "tools/lockstep++/arguments.h"

#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/IntrusiveRefCntPtr.h"

#include <memory>

namespace lockstep::driver {

// The result of clang's driver for the arguments. The first argument is the path of clang.
class DriverRun {
public:
  enum class Warnings { shown, hidden };
  DriverRun(const Installation &installation, Arguments arguments,
            Warnings warnings = Warnings::shown);
  ~DriverRun();

  clang::driver::Driver &driver() { return *driver_; }
  // Returns null if the driver reported an error.
  clang::driver::Compilation *compilation() { return compilation_.get(); }
  bool has_failed() const { return diagnostics_->hasErrorOccurred(); }
  // Returns null if the driver reported an error.
  const clang::driver::Command *first_front_end_job() const;

private:
  const Arguments arguments_;
  clang::DiagnosticOptions options_;
  llvm::IntrusiveRefCntPtr<clang::DiagnosticsEngine> diagnostics_;
  std::unique_ptr<clang::driver::Driver> driver_;
  std::unique_ptr<clang::driver::Compilation> compilation_;
};

bool is_front_end_job(const clang::driver::Command &command);

// Creates a compiler for a `-cc1` command line. Returns null if clang rejects it and reported the
// error.
std::unique_ptr<clang::CompilerInstance> make_compiler(llvm::ArrayRef<const char *> arguments,
                                                       const Installation &installation);

// Runs one front-end job of the host side and embeds the device image of its source in the output.
// Returns the exit status.
int run_front_end_job(const clang::driver::Command &command, const Installation &installation,
                      const UserOptions &user);

} // namespace lockstep::driver

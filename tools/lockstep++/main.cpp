// lockstep++: clang++ for SYCL. clang's driver determines the steps. Each front-end job runs in its
// own child process and embeds the device image in its output (embed_image.h). The system's linker
// links with liblockstep_sycl.so.
#include "tools/lockstep++/arguments.h"
#include "tools/lockstep++/front_end_job.h"
#include "tools/lockstep++/installation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Allocator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <sys/wait.h>
#include <unistd.h>

namespace lockstep::driver {
namespace {

Arguments expanded_arguments(int count, char **words) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char *, 64> texts(words + 1, words + count);
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, texts);
  Arguments arguments(texts.begin(), texts.end());
  // The CMake package passes --in-place-of, followed by another compiler and its arguments.
  if (arguments.size() >= 2 && arguments[0] == "--in-place-of")
    arguments.erase(arguments.begin(), arguments.begin() + 2);
  return arguments;
}

// Runs each job in its own process, as clang does, because LLVM's options are globals that are set
// once.
int run_in_child(const clang::driver::Command &command, const Installation &installation,
                 const UserOptions &user) {
  const pid_t child = ::fork();
  if (child == 0) {
    const int status = run_front_end_job(command, installation, user);
    llvm::outs().flush();
    llvm::errs().flush();
    ::_exit(status);
  }
  int status = 0;
  if (child < 0 || ::waitpid(child, &status, 0) != child) {
    llvm::errs() << "lockstep++: error: the system gives no process for a compilation\n";
    return 1;
  }
  if (WIFSIGNALED(status)) {
    llvm::errs() << "lockstep++: error: the compiler was ended by signal " << WTERMSIG(status)
                 << "\n";
    return 1;
  }
  return WEXITSTATUS(status);
}

int run_job(DriverRun &run, const clang::driver::Command &command, const Installation &installation,
            const UserOptions &user) {
  if (run.driver().getOpts().getNumOptions() && is_front_end_job(command))
    return run_in_child(command, installation, user);
  const clang::driver::Command *failing = nullptr;
  return run.compilation()->ExecuteCommand(command, failing);
}

constexpr const char *help =
    "lockstep++ compiles and links SYCL 2020 programs. It takes the options of clang++ 22.\n"
    "\n"
    "Usage: lockstep++ [options] file...\n"
    "\n"
    "  -o FILE, -c, -O2, -g, -I DIR, -D NAME, -l NAME, ...\n"
    "                        as for clang++; `clang++-22 --help` lists all of them\n"
    "  -g                    reports of the checker name lines of the host's code, and\n"
    "                        `lockstep debug` steps through kernels\n"
    "  -fsycl, -fsycl-targets=spir64, -fp-model=fast, -xHost, ...\n"
    "                        options of DPC++ and icpx are accepted, translated, or rejected\n"
    "                        with a reason; targets that are not CPUs are left out\n"
    "  --aot[=PROCESSORS]    compile kernels now, for these processors (LLVM's names, separated "
    "by\n"
    "                        commas), or for this machine's\n"
    "  --aot-local-size=SIZE with --aot: also for this local range, as in 256 or 16,16\n"
    "  -w                    no warnings, also of variables that kernels capture\n"
    "  -###                  print the steps, and run none\n"
    "  --clangd-config       print a file .clangd, with which clangd understands SYCL sources\n"
    "  --version, --help     this text, and the versions of Lockstep and clang\n"
    "\n"
    "Kernels are a part of the object files. Without --aot they are compiled for the machine when\n"
    "the program uses them, and are kept in the disk cache.\n"
    "\n"
    "Examples:\n"
    "  lockstep++ -O2 saxpy.cpp -o saxpy    compile and link\n"
    "  lockstep check ./saxpy               look for data races in the kernels\n"
    "With CMake: find_package(Lockstep) and add_sycl_to_target(TARGET saxpy SOURCES saxpy.cpp)\n";

int compile(const Installation &installation, const UserOptions &user) {
  DriverRun run(installation, host_arguments(installation, user));
  if (!run.compilation() || run.has_failed())
    return 1;
  clang::driver::Compilation &compilation = *run.compilation();
  if (compilation.getArgs().hasArg(clang::options::OPT__HASH_HASH_HASH)) {
    compilation.getJobs().Print(llvm::errs(), "\n", /*Quote=*/true);
    return 0;
  }
  int status = 0;
  for (const clang::driver::Command &command : compilation.getJobs()) {
    if (status) // later sources still report their errors
      if (!is_front_end_job(command))
        continue;
    if (int failed = run_job(run, command, installation, user))
      status = failed;
  }
  compilation.CleanupFileList(compilation.getTempFiles());
  return status;
}

} // namespace
} // namespace lockstep::driver

int main(int count, char **words) {
  using namespace lockstep::driver;
  llvm::InitializeAllTargets(); // --target
  llvm::InitializeAllTargetMCs();
  llvm::InitializeAllAsmPrinters();
  llvm::InitializeAllAsmParsers();
  const Installation installation = find_installation(words[0]);
  if (!installation.problem.empty()) {
    llvm::errs() << "lockstep++: error: " << installation.problem << "\n";
    return 1;
  }
  const Arguments given = expanded_arguments(count, words);
  if (llvm::is_contained(given, "--help")) {
    llvm::outs() << help;
    return 0;
  }
  if (llvm::is_contained(given, "--clangd-config")) {
    // Options that are added to every compilation, and what clangd cannot know of this driver.
    llvm::outs() << "CompileFlags:\n  Add: [-Xclang, -fsycl-is-host, -Xclang, -sycl-std=2020, "
                    "-isystem, \""
                 << installation.headers << "\"]\n";
    return 0;
  }
  if (llvm::is_contained(given, "--version")) // clang's version follows
    llvm::outs() << "lockstep++ " LOCKSTEP_VERSION " (Lockstep, SYCL 2020)\n";
  llvm::outs().flush();
  const UserOptions user = read_foreign_options(given);
  for (const std::string &warning : user.warnings)
    llvm::errs() << "lockstep++: warning: " << warning << "\n";
  for (const std::string &error : user.errors)
    llvm::errs() << "lockstep++: error: " << error << "\n";
  return user.errors.empty() ? compile(installation, user) : 1;
}

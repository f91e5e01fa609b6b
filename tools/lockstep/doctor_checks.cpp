#include "tools/lockstep/doctor_checks.h"

#include "platform/linux/temporary_file.h"
#include "support/environment.h"
#include "tools/lockstep/fill.h"
#include "tools/lockstep/library.h"
#include "tools/lockstep/opencl_session.h"
#include "tools/lockstep/terminal.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

extern "C" const char lockstep_environment_table_begin[], lockstep_environment_table_end[];
extern char **environ;

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Finding finding(Verdict verdict, std::string topic, std::string text, std::string advice = "") {
  return {verdict, std::move(topic), std::move(text), std::move(advice)};
}

// Returns the file that defines a symbol of this process.
std::string file_of(void *symbol) {
  Dl_info info{};
  return symbol && dladdr(symbol, &info) && info.dli_fname ? info.dli_fname : "";
}

// ---- The loader's list of platforms

struct IcdFile {
  fs::path path;
  std::string library; // its first line
};

std::string vendors_folder() {
  return system_variable("OCL_ICD_VENDORS").value_or("/etc/OpenCL/vendors");
}

std::vector<IcdFile> icd_files(const fs::path &folder) {
  std::vector<IcdFile> files;
  std::error_code error;
  auto add = [&](const fs::path &path) {
    std::string line;
    std::ifstream file(path);
    std::getline(file, line);
    files.push_back({path, line});
  };
  if (fs::is_regular_file(folder, error))
    add(folder);
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".icd")
      add(entry->path());
  return files;
}

std::string how_to_register() {
  std::string vendors = build_tree_vendors();
  return vendors.empty()
             ? "install Lockstep (`make install`), or export OCL_ICD_VENDORS=<build tree>/vendors"
             : fmt::format("export OCL_ICD_VENDORS={}", vendors);
}

Finding check_library(const IcdFile &icd) {
  std::error_code error;
  if (icd.library.find('/') != std::string::npos && !fs::exists(icd.library, error))
    return finding(Verdict::problem, "library",
                   fmt::format("{} names {}, which does not exist", icd.path.string(), icd.library),
                   "build it (`make build`) or install it (`make install`)");
  void *library = dlopen(icd.library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    std::string reason = dlerror();
    bool llvm =
        reason.find("libLLVM") != std::string::npos || reason.find("libclang") != std::string::npos;
    return finding(Verdict::problem, "library",
                   fmt::format("{} cannot be loaded: {}", icd.library, reason),
                   llvm ? "apt-get install libllvm22 libclang-cpp22"
                        : "scripts/install_dependencies.sh installs what it needs");
  }
  return finding(Verdict::ok, "library", fmt::format("{} can be loaded", icd.library));
}

} // namespace

Findings check_loader() {
  Findings findings;
  findings.push_back(finding(Verdict::ok, "loader",
                             file_of(reinterpret_cast<void *>(&clGetPlatformIDs)) +
                                 " is what OpenCL programs load"));
  std::string folder = vendors_folder();
  std::vector<IcdFile> files = icd_files(folder);
  auto ours = std::find_if(files.begin(), files.end(), [](const IcdFile &icd) {
    return icd.library.find("liblockstep") != std::string::npos;
  });
  std::error_code error;
  if (ours == files.end()) {
    findings.push_back(finding(
        Verdict::problem, "platforms",
        fs::exists(folder, error)
            ? fmt::format("no .icd file in {} names liblockstep.so, so no program finds Lockstep",
                          folder)
            : fmt::format("{}, where the loader looks for platforms, does not exist", folder),
        how_to_register()));
    return findings;
  }
  findings.push_back(
      finding(Verdict::ok, "platforms", ours->path.string() + " leads the loader to Lockstep"));
  if (!build_tree_vendors().empty() &&
      fs::weakly_canonical(folder, error) == fs::weakly_canonical(build_tree_vendors(), error) &&
      icd_files("/etc/OpenCL/vendors/lockstep.icd").empty())
    findings.push_back(finding(
        Verdict::note, "platforms",
        "Lockstep is not installed; other programs find this build only with", how_to_register()));
  findings.push_back(check_library(*ours));
  return findings;
}

Findings check_platform() {
  std::vector<std::string> names = platform_names();
  std::string list = names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
  auto device = find_device("Lockstep", "0");
  if (!device)
    return {finding(Verdict::problem, "platform",
                    fmt::format("the loader does not list Lockstep; it lists: {}", list),
                    "LOCKSTEP_DEBUG=1 clinfo -l may say more; first solve the problems above")};
  Findings findings{finding(Verdict::ok, "platform", fmt::format("the loader lists: {}", list))};
  std::string version = text_info(device->device, CL_DRIVER_VERSION);
  if (version != LOCKSTEP_VERSION)
    findings.push_back(finding(
        Verdict::problem, "version",
        fmt::format("the library is Lockstep {}, this tool is {}", version, LOCKSTEP_VERSION),
        "install both from the same build, or set OCL_ICD_VENDORS to the build tree of this tool"));
  else
    findings.push_back(
        finding(Verdict::ok, "version",
                fmt::format("{} {}", text_info(device->platform, CL_PLATFORM_VERSION), version)));
  return findings;
}

Findings check_compiler() {
  Findings findings;
  auto library = inspection();
  if (!library)
    return {finding(Verdict::problem, "compiler", library.error().message,
                    "build or install Lockstep again")};
  unsigned major = 0, minor = 0, patch = 0;
  // A function of LLVM's C interface, looked up by name because the tool includes no LLVM header.
  auto version = reinterpret_cast<void (*)(unsigned *, unsigned *, unsigned *)>(
      find_in_library("LLVMGetVersion"));
  if (version)
    version(&major, &minor, &patch);
  std::string running = fmt::format("LLVM {}.{}.{}", major, minor, patch),
              built = (*library)->compiler_version();
  if (built.find(running) == std::string::npos)
    findings.push_back(finding(
        Verdict::warning, "LLVM", fmt::format("built as '{}', but {} is installed", built, running),
        "build Lockstep again: its cache is keyed by the version it was built with"));
  else
    findings.push_back(
        finding(Verdict::ok, "LLVM",
                fmt::format("{} in {}", running, file_of(reinterpret_cast<void *>(version)))));
  std::error_code error;
  if (fs::file_size(LOCKSTEP_LIBCLC_BITCODE, error) > 0 && !error)
    findings.push_back(finding(Verdict::ok, "libclc", LOCKSTEP_LIBCLC_BITCODE));
  else
    findings.push_back(finding(Verdict::problem, "libclc",
                               LOCKSTEP_LIBCLC_BITCODE
                               " is missing: kernels that use maths cannot be built",
                               "apt-get install libclc-22"));
  const compiler::TargetInfo &target = (*library)->code_options().target;
  findings.push_back(
      finding(target.vector_bits >= 256 ? Verdict::ok : Verdict::note, "processor",
              fmt::format("compiles for {}, vectors of {} bits{}", target.cpu, target.vector_bits,
                          environment("CPU") ? " (LOCKSTEP_CPU is set)" : "")));
  return findings;
}

// `lockstep++ --version` looks for clang, the headers of SYCL and its library, and fails without
// them.
Findings check_sycl() {
  std::error_code error;
  const fs::path driver = fs::read_symlink("/proc/self/exe", error).parent_path() / "lockstep++";
  if (error || !fs::exists(driver))
    return {finding(Verdict::note, "SYCL", "lockstep++ is not installed beside this tool",
                    "to compile SYCL programs, install the package lockstep-sycl-dev")};
  const TemporaryFile output("lockstep-doctor-");
  if (!output.is_made())
    return {};
  const pid_t child = fork();
  if (child == 0) {
    const int file = open(output.path().c_str(), O_WRONLY);
    dup2(file, STDOUT_FILENO);
    dup2(file, STDERR_FILENO);
    execl(driver.c_str(), driver.c_str(), "--version", nullptr);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child)
    return {};
  std::ifstream lines(output.path());
  std::string first;
  std::getline(lines, first);
  if (status == 0)
    return {finding(Verdict::ok, "SYCL", first)};
  return {finding(Verdict::problem, "SYCL",
                  first.empty() ? driver.string() + " cannot be run" : first,
                  "install clang-22 and the package lockstep-sycl-dev, or install Lockstep again")};
}

Findings check_devices() {
  auto library = inspection();
  if (!library)
    return {}; // check_compiler has reported it
  using State = runtime::DeviceReport::State;
  Findings findings;
  for (runtime::DeviceReport &report : (*library)->report_other_devices())
    findings.push_back(finding(report.state == State::usable       ? Verdict::ok
                               : report.state == State::obstructed ? Verdict::warning
                                                                   : Verdict::note,
                               std::move(report.topic), std::move(report.text)));
  return findings;
}

Findings check_cache() {
  auto library = inspection();
  if (!library)
    return {}; // check_compiler has reported it
  compiler::CacheStatistics cache = (*library)->cache_statistics();
  if (!cache.enabled)
    return {finding(Verdict::warning, "disk cache",
                    "not used, so every program compiles its kernels again: " + cache.problem,
                    environment("CACHE") == "0"
                        ? "unset LOCKSTEP_CACHE"
                        : "set LOCKSTEP_CACHE_DIR to a folder of your own that no other user can "
                          "write to; docs/trust.md has the rules")};
  return {finding(
      Verdict::ok, "disk cache",
      fmt::format("{}: {} entries, {}", cache.directory, cache.entries, bytes_text(cache.bytes)))};
}

Findings check_environment() {
  Findings findings;
  std::string_view table(
      lockstep_environment_table_begin,
      static_cast<size_t>(lockstep_environment_table_end - lockstep_environment_table_begin));
  std::string set;
  for (char **entry = environ; *entry; ++entry) {
    std::string_view variable = *entry;
    std::string_view name = variable.substr(0, variable.find('='));
    if (!name.starts_with("LOCKSTEP_"))
      continue;
    set += fmt::format("{}{}", set.empty() ? "" : ", ", variable);
    if (table.find(fmt::format("| `{}`", name)) == std::string_view::npos)
      findings.push_back(finding(Verdict::warning, "environment",
                                 fmt::format("nothing reads {}", name),
                                 "docs/environment.md lists the variables that exist"));
  }
  if (!set.empty())
    findings.push_back(finding(Verdict::note, "environment", "set: " + set));
  return findings;
}

// ---- One kernel, run by `lockstep run` in its own process, so that a crash or a hang is a finding
// too

namespace {

constexpr const char *kernel_source =
    "kernel void doctor(global int *out, local int *shared) {\n"
    "  size_t i = get_local_id(0), n = get_local_size(0);\n"
    "  shared[i] = (int)(sqrt((float)(get_global_id(0) * get_global_id(0))) + 0.5f);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[get_global_id(0)] = shared[n - 1 - i] + (int)(2 * i) + 1 - (int)n;\n"
    "}\n";

struct Ended {
  int status = 0;
  std::string output;
};

Result<Ended> run_tool(std::vector<std::string> arguments, unsigned seconds) {
  int ends[2];
  if (pipe(ends) != 0)
    return Error{ErrorKind::io_failure, "pipe() failed"};
  std::vector<char *> argv;
  for (std::string &argument : arguments)
    argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    alarm(seconds);
    execv("/proc/self/exe", argv.data());
    _exit(127);
  }
  close(ends[1]);
  Ended ended;
  std::array<char, 4096> block;
  for (ssize_t got; (got = ::read(ends[0], block.data(), block.size())) > 0;)
    ended.output.append(block.data(), static_cast<size_t>(got));
  close(ends[0]);
  if (child < 0 || waitpid(child, &ended.status, 0) != child)
    return Error{ErrorKind::io_failure, "no process could be started"};
  return ended;
}

} // namespace

Findings check_a_kernel() {
  const TemporaryFile file("lockstep-doctor-", ".cl");
  if (!file.is_made())
    return {finding(
        Verdict::warning, "kernel",
        fmt::format("not tried: {} cannot be created: {}", file.path(), std::strerror(errno)))};
  if (auto written = write_file(file.path(), kernel_source, std::string_view(kernel_source).size());
      !written)
    return {finding(Verdict::warning, "kernel", "not tried: " + written.error().message)};
  auto ended = run_tool({"lockstep", "run", file.path(), "--global", "256", "--local", "64",
                         "--arg", "buf:int:256", "--arg", "local:int:64", "--compare", "0=iota"},
                        60);
  if (!ended)
    return {finding(Verdict::warning, "kernel", "not tried: " + ended.error().message)};
  if (WIFEXITED(ended->status) && WEXITSTATUS(ended->status) == 0)
    return {finding(Verdict::ok, "kernel",
                    "a kernel with maths and a barrier compiles, runs and is right")};
  std::string what = WIFSIGNALED(ended->status) && WTERMSIG(ended->status) == SIGALRM
                         ? "it did not end within a minute"
                     : WIFSIGNALED(ended->status)
                         ? fmt::format("it ended by signal {}", WTERMSIG(ended->status))
                         : ended->output.substr(0, ended->output.find('\n'));
  return {finding(Verdict::problem, "kernel",
                  "a kernel with maths and a barrier does not work: " + what,
                  "solve the problems above first; if there is none, this is a bug of Lockstep")};
}

} // namespace lockstep::cli

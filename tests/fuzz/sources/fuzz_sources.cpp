// Builds damaged sources with clBuildProgram, clCompileProgram and clLinkProgram. Each must give a
// program or an error with its reason: clang runs in the user's process, which it may neither end,
// delay, nor fill with leaked memory. A source that still is a program is also compiled to machine
// code (a query for the sub-group size does that), but not run.
//
//   fuzz_sources --seed 1 --count 150          the seeds of the test suite
//   fuzz_sources --seconds 3600                as many as fit
//   fuzz_sources --seed 42 --print             the damaged source
//
// The sources are the .cl files of the project and random kernels (generate.h). The work is done in
// child processes. A crash or hang is reported with its seed, and the next child continues after
// it. A crash of clang that became a build error (src/process/crash_guard.h) is a finding too.
#include "../generate.h"
#include "damage.h"

#include <CL/cl.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace lockstep::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  uint64_t seed = 1, count = 100;
  double seconds = 0; // in place of a count
  double time_limit = 120;
  uint64_t memory = uint64_t{12} << 30; // the limit of a child's address space
  bool print = false;
};

// Memory that child and parent share.
struct Shared {
  std::atomic<uint64_t> seed, programs, findings, errors;
};

std::vector<std::string> sources_of_project() {
  std::vector<std::filesystem::path> files;
  for (const char *folder : {"examples", "benchmarks", "tests/cli/kernels"})
    for (const auto &entry : std::filesystem::recursive_directory_iterator(
             std::filesystem::path(PROJECT_FOLDER) / folder))
      if (entry.path().extension() == ".cl")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end()); // for a fixed order on every machine
  std::vector<std::string> sources;
  for (const auto &file : files) {
    std::stringstream text;
    text << std::ifstream(file).rdbuf();
    sources.push_back(text.str());
  }
  return sources;
}

struct Case {
  std::string source, other, options, link_options;
  bool compiles_and_links, other_is_header;
};

std::string right_source(const std::vector<std::string> &sources, Random &random) {
  return random.chance(60) ? random.pick(sources)
                           : print(generate(random.next() >> 1, everything()));
}

Case make_case(uint64_t seed, const std::vector<std::string> &sources) {
  Random random(seed);
  const std::string source = right_source(sources, random), other = right_source(sources, random);
  Case made;
  made.source = random.chance(95) ? damaged(source, other, random) : source;
  made.other = random.chance(30) ? damaged(other, source, random) : other;
  made.options = random.chance(70) ? "-cl-std=CL3.0" : random_options(random, random.chance(30));
  made.link_options = random_link_options(random);
  made.compiles_and_links = random.chance(30);
  made.other_is_header = random.chance(50);
  return made;
}

struct Notified {
  std::string sentences;
  static void CL_CALLBACK receive(const char *sentence, const void *, size_t, void *self) {
    static_cast<Notified *>(self)->sentences += std::string(sentence) + "\n";
  }
};

class Builder {
public:
  Builder() {
    cl_platform_id platforms[16];
    cl_uint count = 0;
    clGetPlatformIDs(16, platforms, &count);
    for (cl_uint i = 0; i < std::min(count, 16u); ++i) {
      char name[64] = "";
      clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
      if (std::strstr(name, "Lockstep"))
        clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device_, nullptr);
    }
    if (!device_)
      throw std::runtime_error("no platform is named Lockstep; is OCL_ICD_VENDORS set?");
    context_ = clCreateContext(nullptr, 1, &device_, Notified::receive, &notified_, nullptr);
  }

  // Returns what is wrong with the outcome of the case, or an empty string.
  std::string run(const Case &of, bool &builds) {
    complaint_.clear();
    notified_.sentences.clear();
    const cl_program program = of.compiles_and_links ? link(of) : build(of);
    builds = program != nullptr;
    if (program) {
      compile_kernels(program);
      clReleaseProgram(program);
    }
    if (notified_.sentences.find("crashed") != std::string::npos)
      complain("a crash became an error: " + notified_.sentences);
    return complaint_;
  }

private:
  void complain(const std::string &text) {
    if (complaint_.empty())
      complaint_ = text.substr(0, 400);
  }

  cl_program make(const std::string &source) {
    const char *text = source.data();
    const size_t length = source.size();
    cl_int status = 1;
    cl_program program = clCreateProgramWithSource(context_, 1, &text, &length, &status);
    if (status != CL_SUCCESS && !(status == CL_INVALID_VALUE && length == 0))
      complain("clCreateProgramWithSource: " + std::to_string(status));
    return program;
  }

  // The status must be one of two errors, and a failure must have a log.
  bool check(const char *what, cl_program program, cl_int status, cl_int failure, cl_int options) {
    if (status == CL_SUCCESS)
      return true;
    if (status != failure && status != options && status != CL_OUT_OF_HOST_MEMORY)
      complain(std::string(what) + ": " + std::to_string(status));
    size_t size = 0;
    if (status == failure && program) {
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
      std::string log(size, '\0');
      clGetProgramBuildInfo(program, device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
      if (size <= 1)
        complain(std::string(what) + " fails and says nothing");
      if (log.find("LLVM crashed") != std::string::npos)
        complain("a crash became an error: " + log);
    }
    return false;
  }

  cl_program build(const Case &of) {
    cl_program program = make(of.source);
    if (!program)
      return nullptr;
    const cl_int status =
        clBuildProgram(program, 1, &device_, of.options.c_str(), nullptr, nullptr);
    if (check("clBuildProgram", program, status, CL_BUILD_PROGRAM_FAILURE,
              CL_INVALID_BUILD_OPTIONS))
      return program;
    clReleaseProgram(program);
    return nullptr;
  }

  cl_program link(const Case &of) {
    cl_program parts[2] = {make(of.source), make(of.other)};
    cl_program linked = nullptr;
    if (parts[0] && parts[1]) {
      const char *name = "damaged.h";
      auto compiles = [&](cl_program part) {
        const cl_int status =
            clCompileProgram(part, 1, &device_, of.options.c_str(), of.other_is_header ? 1 : 0,
                             of.other_is_header ? &parts[1] : nullptr,
                             of.other_is_header ? &name : nullptr, nullptr, nullptr);
        return check("clCompileProgram", part, status, CL_COMPILE_PROGRAM_FAILURE,
                     CL_INVALID_COMPILER_OPTIONS);
      };
      if (compiles(parts[0]) && (of.other_is_header || compiles(parts[1]))) {
        cl_int status = 1;
        linked = clLinkProgram(context_, 1, &device_, of.link_options.c_str(),
                               of.other_is_header ? 1 : 2, parts, nullptr, nullptr, &status);
        if (!check("clLinkProgram", linked, status, CL_LINK_PROGRAM_FAILURE,
                   CL_INVALID_LINKER_OPTIONS) &&
            linked) {
          clReleaseProgram(linked);
          linked = nullptr;
        }
      }
    }
    for (cl_program part : parts)
      if (part)
        clReleaseProgram(part);
    return linked;
  }

  // Queries the sub-groups of a local size, which compiles the kernel for it.
  void compile_kernels(cl_program program) {
    cl_kernel kernels[3];
    cl_uint count = 0;
    if (clCreateKernelsInProgram(program, 0, nullptr, &count) != CL_SUCCESS || count > 3)
      return;
    if (clCreateKernelsInProgram(program, count, kernels, nullptr) != CL_SUCCESS)
      return;
    for (cl_uint i = 0; i < count; ++i) {
      const size_t local = 16;
      size_t answer = 0;
      clGetKernelSubGroupInfo(kernels[i], device_, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                              sizeof local, &local, sizeof answer, &answer, nullptr);
      clReleaseKernel(kernels[i]);
    }
  }

  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  Notified notified_;
  std::string complaint_;
};

size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * size_t(sysconf(_SC_PAGESIZE));
}

// Seeds per child. A child fails if it leaks memory in most of those after the warm-up.
constexpr uint64_t seeds_of_child = 200, seeds_to_warm_up = 50;
constexpr size_t may_grow = size_t{256} << 20;

int work(const Options &options, Shared &shared, uint64_t end) {
  const rlimit limit{options.memory, options.memory};
  setrlimit(RLIMIT_AS, &limit); // a runaway gets an error and leaves the memory of others alone
  const std::vector<std::string> sources = sources_of_project();
  Builder builder;
  size_t warm = 0;
  const uint64_t begin = shared.seed;
  for (uint64_t seed = begin; seed < end; shared.seed = ++seed) {
    bool builds = false;
    const std::string complaint = builder.run(make_case(seed, sources), builds);
    ++(builds ? shared.programs : shared.errors);
    if (!complaint.empty()) {
      std::printf("seed %lu: %s\n", seed, complaint.c_str());
      std::fflush(stdout);
      ++shared.findings;
    }
    if (seed == begin + seeds_to_warm_up)
      warm = resident_bytes();
  }
  if (warm && resident_bytes() > warm + may_grow) {
    std::printf("seeds %lu to %lu: memory grew from %zu to %zu MiB\n", begin, end, warm >> 20,
                resident_bytes() >> 20);
    ++shared.findings;
  }
  std::fflush(stdout);
  _exit(0); // skips the platform's exit handlers, which are not tested here
}

// Returns how the child ended, if it did not finish.
std::string wait_for(pid_t child, const Options &options, Shared &shared) {
  uint64_t last = shared.seed;
  for (Clock::time_point since = Clock::now();;) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG) == child)
      return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? ""
             : WIFSIGNALED(status) ? strsignal(WTERMSIG(status))
                                   : "exit code " + std::to_string(WEXITSTATUS(status));
    if (shared.seed != last) {
      last = shared.seed;
      since = Clock::now();
    } else if (Clock::now() - since > std::chrono::duration<double>(options.time_limit)) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return "hangs";
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

int campaign(const Options &options) {
  auto *shared =
      new (mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
          Shared{};
  shared->seed = options.seed;
  const Clock::time_point start = Clock::now();
  const auto is_over = [&] {
    return options.seconds > 0
               ? Clock::now() - start > std::chrono::duration<double>(options.seconds)
               : shared->seed >= options.seed + options.count;
  };
  while (!is_over()) {
    uint64_t end = shared->seed + seeds_of_child;
    if (options.seconds <= 0)
      end = std::min(end, options.seed + options.count);
    const pid_t child = fork();
    if (child < 0)
      throw std::runtime_error("fork failed");
    if (child == 0)
      work(options, *shared, end);
    const std::string how = wait_for(child, options, *shared);
    if (how.empty())
      continue;
    std::printf("seed %lu: %s\n", shared->seed.load(), how.c_str());
    std::fflush(stdout);
    ++shared->findings;
    ++shared->seed;
  }
  std::printf("%lu sources: %lu programs, %lu errors, %lu findings\n", shared->seed - options.seed,
              shared->programs.load(), shared->errors.load(), shared->findings.load());
  return shared->findings ? 1 : 0;
}

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--print") {
      options.print = true;
      continue;
    }
    if (i + 1 >= argc)
      throw std::runtime_error(name + " needs a value");
    const std::string value = argv[++i];
    if (name == "--seed")
      options.seed = std::stoull(value);
    else if (name == "--count")
      options.count = std::stoull(value);
    else if (name == "--seconds")
      options.seconds = std::stod(value);
    else if (name == "--time-limit")
      options.time_limit = std::stod(value);
    else
      throw std::runtime_error("unknown option " + name);
  }
  return options;
}

int print_case(uint64_t seed) {
  const Case made = make_case(seed, sources_of_project());
  std::fprintf(stderr, "options: %s\n", made.options.c_str());
  if (made.compiles_and_links)
    std::fprintf(stderr, "linked with '%s' %s\n", made.link_options.c_str(),
                 made.other_is_header ? "alone; damaged.h follows" : "and what follows");
  std::fwrite(made.source.data(), 1, made.source.size(), stdout);
  if (made.compiles_and_links)
    std::printf("\n// ---- the other\n%s", made.other.c_str());
  return 0;
}

} // namespace
} // namespace lockstep::fuzz

int main(int argc, char **argv) {
  try {
    const auto options = lockstep::fuzz::parse(argc, argv);
    return options.print ? lockstep::fuzz::print_case(options.seed)
                         : lockstep::fuzz::campaign(options);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fuzz_sources: %s\n", error.what());
    return 2;
  }
}

// Runs random kernels that compute with undefined values under the checker. The reference tracks
// for each bit whether it is defined. Both must report the same lines with the same findings.
//
//   fuzz_undefined [--seed N] [--count N | --seconds N] [--show]
//
// --show prints each program with the expected and the actual reports. The environment chooses
// width and form of the compiled kernel (LOCKSTEP_SUB_GROUP_SIZE, LOCKSTEP_FORM).
#include "program.h"

#define CL_HPP_ENABLE_EXCEPTIONS
#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace lockstep::fuzz::undefined {

namespace {

struct Options {
  uint64_t seed = 1, count = 100;
  double seconds = 0;
  bool shows = false;
};

Options parse(int argc, char **argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--show")
      o.shows = true;
    else if (argument == "--seed" && i + 1 < argc)
      o.seed = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--count" && i + 1 < argc)
      o.count = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--seconds" && i + 1 < argc)
      o.seconds = std::strtod(argv[++i], nullptr);
    else
      throw std::runtime_error("'" + std::string(argument) +
                               "' is none of --seed N, --count N, --seconds N, --show");
  }
  return o;
}

cl::Device find_device() {
  std::vector<cl::Platform> platforms;
  cl::Platform::get(&platforms);
  for (const cl::Platform &platform : platforms) {
    if (platform.getInfo<CL_PLATFORM_NAME>() != "Lockstep")
      continue;
    std::vector<cl::Device> devices;
    platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
    return devices.at(0);
  }
  throw std::runtime_error("there is no platform Lockstep");
}

// Reads the reports that the checker writes to a file.
class Reports {
public:
  Reports() {
    char name[] = "/tmp/fuzz_undefined_XXXXXX";
    const int file = mkstemp(name);
    if (file < 0)
      throw std::runtime_error("no file for reports can be made in /tmp");
    close(file);
    name_ = name;
    setenv("LOCKSTEP_CHECK", "undefined", 1);
    setenv("LOCKSTEP_CHECK_FILE", name, 1);
    read_.open(name_);
  }
  ~Reports() { unlink(name_.c_str()); }
  Reports(const Reports &) = delete;
  Reports &operator=(const Reports &) = delete;

  Findings next() { // since the last call
    Findings found;
    read_.clear();
    for (std::string line; std::getline(read_, line);) {
      const auto report = nlohmann::json::parse(line);
      if (report.contains("places"))
        for (const auto &place : report["places"])
          found.insert({place["line"].get<unsigned>(), place["what"].get<std::string>()});
    }
    return found;
  }

private:
  std::string name_;
  std::ifstream read_;
};

std::string said; // errors that the platform has reported
void CL_CALLBACK hear(const char *sentence, const void *, size_t, void *) {
  said += std::string("\n") + sentence;
}

class Machine {
public:
  Machine() : context_(device_, nullptr, hear), queue_(context_, device_) {}

  // Stores the content of its buffers to `contents`. The file name in reports identifies the
  // program.
  void run(const Program &program, const std::string &source, Contents &contents) {
    cl::Program built(context_, "#line 1 \"" + std::to_string(program.seed) + ".cl\"\n" + source);
    try {
      built.build(device_, "-cl-std=CL3.0");
    } catch (const cl::Error &) {
      throw std::runtime_error(built.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_));
    }
    // In every second program, `fresh` is in memory that the host writes itself.
    cl_uint *shared = program.seed % 2 ? share(sizeof(cl_uint) * fresh_size) : nullptr;
    cl::Buffer fresh(context_, CL_MEM_READ_WRITE, sizeof(cl_uint) * fresh_size),
        mine(context_, CL_MEM_READ_WRITE, sizeof(cl_uint) * items * mine_slots),
        out(context_, CL_MEM_READ_WRITE, sizeof(cl_uint) * items * out_slots);
    std::vector<cl_uint> first(defined_words(program));
    for (unsigned i = 0; i != first.size(); ++i)
      first[i] = i * 0x01010101u;
    queue_.enqueueWriteBuffer(fresh, CL_TRUE, 0, sizeof(cl_uint) * first.size(), first.data());
    if (shared)
      std::ranges::copy(first, shared);
    contents = {std::vector<uint32_t>(fresh_size), std::vector<uint32_t>(items * mine_slots)};
    queue_.enqueueReadBuffer(fresh, CL_TRUE, 0, sizeof(cl_uint) * fresh_size,
                             contents.fresh.data());
    if (shared)
      std::copy_n(shared, fresh_size, contents.fresh.begin());
    queue_.enqueueReadBuffer(mine, CL_TRUE, 0, sizeof(cl_uint) * contents.mine.size(),
                             contents.mine.data());
    cl::Kernel kernel(built, "undefined");
    if (shared)
      clSetKernelArgSVMPointer(kernel(), 0, shared);
    else
      kernel.setArg(0, fresh);
    kernel.setArg(1, mine);
    kernel.setArg(2, out);
    queue_.enqueueNDRangeKernel(kernel, 0, items, group_size);
    queue_.finish();
    if (shared)
      clSVMFree(context_(), shared);
  }

private:
  cl_uint *share(size_t size) {
    void *made = clSVMAlloc(context_(), CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, size, 0);
    if (!made)
      throw std::runtime_error("there is no shared virtual memory");
    return static_cast<cl_uint *>(made);
  }

  cl::Device device_ = find_device();
  cl::Context context_;
  cl::CommandQueue queue_;
};

void show(const char *title, const Findings &findings, const Findings &but) {
  std::printf("%s:\n", title);
  for (const Finding &each : findings)
    std::printf("  line %u: %s%s\n", each.line, each.what.c_str(),
                but.contains(each) ? "" : "  <--");
}

void show_source(const std::string &source) {
  unsigned number = 0;
  for (size_t begin = 0; begin < source.size();) {
    const size_t end = source.find('\n', begin);
    std::printf("%3u %s\n", ++number, source.substr(begin, end - begin).c_str());
    begin = end + 1;
  }
}

int run(int argc, char **argv) {
  const Options options = parse(argc, argv);
  Reports reports;                             // before the platform reads the environment
  if (!std::freopen("/dev/null", "w", stderr)) // the same reports as text
    throw std::runtime_error("/dev/null cannot be written");
  Machine machine;
  const auto begin = std::chrono::steady_clock::now();
  uint64_t runs = 0, findings = 0, clean = 0, different = 0;
  auto goes_on = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return options.seconds > 0 ? passed.count() < options.seconds : runs != options.count;
  };
  for (uint64_t seed = options.seed; goes_on(); ++seed, ++runs) {
    Program program = generate(seed);
    const std::string source = print(program);
    if (options.shows) {
      show_source(source);
      std::fflush(stdout);
    }
    Contents contents;
    machine.run(program, source, contents);
    const Findings wanted = interpret(program, contents), told = reports.next();
    findings += told.size();
    clean += told.empty();
    const bool differs = wanted != told;
    if (options.shows) {
      show("wanted", wanted, told);
      show("told", told, wanted);
    }
    if (differs) {
      ++different;
      std::printf("seed %llu: the check and the reference differ\n",
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
  }
  std::printf("%llu runs, %llu findings, %llu runs without any, %llu differ\n",
              static_cast<unsigned long long>(runs), static_cast<unsigned long long>(findings),
              static_cast<unsigned long long>(clean), static_cast<unsigned long long>(different));
  return different != 0 || findings == 0;
}

} // namespace

} // namespace lockstep::fuzz::undefined

int main(int argc, char **argv) {
  try {
    return lockstep::fuzz::undefined::run(argc, argv);
  } catch (const std::exception &problem) {
    std::printf("%s: %s%s\n", argv[0], problem.what(), lockstep::fuzz::undefined::said.c_str());
    return 2;
  }
}

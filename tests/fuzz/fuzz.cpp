// Tests random OpenCL kernels with barriers and control flow against a reference interpreter of
// their syntax trees.
//
// Barriers in loops, branches and functions are what OpenCL on CPUs most often gets wrong.
// generate.h makes a program from a seed, interpret.h computes the expected result, print.cpp
// prints OpenCL C, run_opencl.h runs it on a platform, and compare.h compares all buffers bit by
// bit.
//
//   fuzz --platform Lockstep --count 30          the seeds of the test suite
//   fuzz --platform Lockstep --seconds 3600      as many seeds as fit
//   fuzz --all-settings --jobs 16 --save d       with every setting (settings.h), 16 programs at a
//                                                time; failures in d/<seed>
//   fuzz --mazes --seconds 3600                  with gotos of all kinds where allowed
//   fuzz --one --seed 42                         one program: source, launch, verdict
//   fuzz --reduce --seed 42                      the same, made small
//   fuzz --one --seed 42 --save d                also as files in folder d: save.h
//   fuzz --print --seed 42                       only the source, without OpenCL
//   fuzz --time-limit 60 --build-limit 600       processor time of a kernel and its compilation
//
// A failure with all settings or mazes is reproduced with the same option.
#include "interpret.h"
#include "save.h"
#include "settings.h"
#include "supervise.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <stdexcept>

namespace {

using namespace lockstep::fuzz;

struct Options {
  Campaign campaign;
  bool seed_given = false, worker = false, one = false, quiet = false, reduce = false,
       print = false;
  std::vector<int> cuts;
};

std::vector<int> numbers(const std::string &text) {
  std::vector<int> list;
  for (size_t at = 0; at < text.size();) {
    list.push_back(std::stoi(text.substr(at)));
    at = text.find(',', at);
    at = at == std::string::npos ? text.size() : at + 1;
  }
  return list;
}

Options parse(int argc, char **argv) {
  Options o;
  o.campaign.platform = "Lockstep";
  for (int i = 1; i < argc; ++i) {
    auto is = [&](const char *option) { return !std::strcmp(argv[i], option); };
    auto value = [&]() -> std::string {
      if (i + 1 >= argc)
        throw std::runtime_error(std::string(argv[i]) + " needs a value");
      return argv[++i];
    };
    if (is("--platform"))
      o.campaign.platform = value();
    else if (is("--seed"))
      o.campaign.first_seed = std::stoull(value()), o.seed_given = true;
    else if (is("--count"))
      o.campaign.count = std::stoull(value());
    else if (is("--seconds"))
      o.campaign.seconds = std::stod(value());
    else if (is("--time-limit"))
      o.campaign.limits.run = std::stod(value());
    else if (is("--build-limit"))
      o.campaign.limits.build = std::stod(value());
    else if (is("--reports"))
      o.campaign.reports = std::stoi(value());
    else if (is("--cut"))
      o.cuts = numbers(value());
    else if (is("--save"))
      o.campaign.folder = value();
    else if (is("--jobs"))
      o.campaign.jobs = std::stoi(value());
    else if (is("--all-settings"))
      o.campaign.all_settings = true;
    else if (is("--mazes"))
      o.campaign.mazes = true;
    else if (is("--worker"))
      o.worker = true;
    else if (is("--one"))
      o.one = true;
    else if (is("--quiet"))
      o.quiet = true;
    else if (is("--reduce"))
      o.reduce = true;
    else if (is("--print"))
      o.print = true;
    else
      throw std::runtime_error(std::string("unknown option ") + argv[i] +
                               "; the head of fuzz.cpp lists them");
  }
  return o;
}

// Returns the first line, and the first line that names an error.
std::string one_line(const std::string &text) {
  std::string line = text.substr(0, text.find('\n'));
  size_t error = text.find("error:");
  if (error != std::string::npos)
    line += " ... " + text.substr(error, text.find('\n', error) - error);
  return line;
}

Program program_of(uint64_t seed, Capabilities capabilities, const Options &o) {
  capabilities.mazes = o.campaign.mazes;
  return generate(seed, capabilities);
}

int worker(const Options &o) {
  OpenClDevice device(o.campaign.platform);
  for (uint64_t i = 0; i < o.campaign.count; ++i) {
    const uint64_t seed = o.campaign.first_seed + i;
    Report report = compare(program_of(seed, device.capabilities(), o), device);
    std::printf("@ %llu %s %s\n", static_cast<unsigned long long>(seed), name(report.verdict),
                one_line(report.sentence).c_str());
    std::fflush(stdout);
  }
  return 0;
}

int one(const Options &o) {
  OpenClDevice device(o.campaign.platform);
  Program program = program_of(o.campaign.first_seed, device.capabilities(), o);
  std::printf("@ parts %zu\n", parts(program).size());
  cut(program, o.cuts);
  if (!o.quiet)
    std::printf(
        "%s// seed %llu, %s, %s, %s%s\n", print(program).c_str(),
        static_cast<unsigned long long>(o.campaign.first_seed), build_options(program).c_str(),
        describe(program.launch).c_str(), name(program.memory),
        o.campaign.all_settings ? (", " + describe(settings_of(o.campaign.first_seed))).c_str()
                                : "");
  if (!o.campaign.folder.empty())
    save(program, o.campaign.folder);
  std::fflush(stdout); // before the platform has a chance to die
  Report report = compare(program, device);
  if (!o.quiet)
    std::printf("// %s: %s\n", name(report.verdict), report.sentence.c_str());
  return int(report.verdict);
}

int print_only(const Options &o) {
  Program program = program_of(o.campaign.first_seed, lockstep::fuzz::everything(), o);
  std::printf("%s// %s\n", print(program).c_str(), describe(program.launch).c_str());
  auto start = std::chrono::steady_clock::now();
  Outcome outcome = interpret(program);
  std::printf("// interpreted in %.3f s%s%s\n",
              std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
              outcome.illegal.empty() ? "" : ", illegal: ", outcome.illegal.c_str());
  return outcome.illegal.empty() ? 0 : int(Verdict::illegal);
}

} // namespace

int main(int argc, char **argv) {
  try {
    Options o = parse(argc, argv);
    // These kernels are built only once: keep them out of the user's caches.
    setenv("LOCKSTEP_CACHE", "0", 0);
    setenv("POCL_KERNEL_CACHE", "0", 0);
    // Reports a crash of LLVM's code generator as a failure instead of falling back to slower code.
    setenv("LOCKSTEP_VERIFY", "1", 0);
    if (o.print)
      return print_only(o);
    if (o.campaign.all_settings && (o.worker || o.one))
      for (const auto &[name, value] : settings_of(o.campaign.first_seed))
        setenv(name.c_str(), value.c_str(), 1);
    if (o.worker)
      return worker(o);
    if (o.one)
      return one(o);
    if (o.reduce)
      return reduce(o.campaign);
    if (o.campaign.seconds && !o.seed_given)
      o.campaign.first_seed = uint64_t(std::time(nullptr)) * 1000;
    return run_campaign(o.campaign);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "fuzz: %s\n", error.what());
    return int(Verdict::unusable);
  }
}

// Runs kernels with random locks, barriers and flags between random work-items, with and without a
// planted deadlock.
//
//   torture [--seed N] [--count N | --seconds S] [--one] [--only KIND] [--kinds] [--platform NAME]
//
// Each kernel must terminate: with the expected results, or, if it has a trap, with an error and a
// report that names the trap's line. `--one` prints the kernel of the seed and runs it; `--only`
// generates kernels of one kind of phase or trap; `--kinds` lists the kinds. Exit code 0: every
// verdict and every result was correct; 3: a kernel did not end within two minutes.
#include "program.h"

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#include <CL/opencl.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace torture {
namespace {

struct Options {
  uint64_t seed = 1, count = 100;
  double seconds = 0; // 0: limited by count only
  bool one = false;
  std::string platform = "Lockstep", only;
};

// In seconds. The limit is an alarm, not a watching thread. The platform must assume that a thread
// of the program may still write a value that a kernel waits for.
constexpr unsigned longest = 120;
volatile uint64_t seed_that_runs = 0;
void give_up(int) {
  char text[] = "seed                     did not end\n";
  char *at = text + 24;
  for (uint64_t rest = seed_that_runs; rest != 0; rest /= 10)
    *at-- = char('0' + rest % 10);
  (void)!write(STDOUT_FILENO, text, sizeof text - 1);
  _exit(3);
}

struct Heard {
  std::mutex mutex;
  std::string text;
  static void CL_CALLBACK receive(const char *sentence, const void *, size_t, void *self) {
    auto &heard = *static_cast<Heard *>(self);
    std::lock_guard lock(heard.mutex);
    heard.text += sentence;
    heard.text += '\n';
  }
  std::string take() {
    std::lock_guard lock(mutex);
    return std::exchange(text, {});
  }
  // Takes the messages as soon as they contain `words`, or after 10 s. A message may arrive after
  // the wait for the failed command returned.
  std::string take_with(const std::string &words) {
    std::string all = take();
    for (int i = 0; i < 10'000 && all.find(words) == std::string::npos; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      all += take();
    }
    return all;
  }
};

class Runner {
public:
  explicit Runner(const std::string &name) {
    std::vector<cl::Platform> platforms;
    cl::Platform::get(&platforms);
    for (const cl::Platform &platform : platforms)
      if (platform.getInfo<CL_PLATFORM_NAME>().find(name) != std::string::npos) {
        std::vector<cl::Device> devices;
        platform.getDevices(CL_DEVICE_TYPE_ALL, &devices);
        device_ = devices.at(0);
      }
    context_ = cl::Context(device_, nullptr, Heard::receive, &heard_);
    queue_ = cl::CommandQueue(context_, device_);
  }
  bool has_device() const { return device_() != nullptr; }

  // Returns what is wrong, or an empty string.
  std::string run(const Program &program) {
    cl::Program built(context_, program.source);
    if (built.build(device_, "-cl-std=CL3.0") != CL_SUCCESS)
      return "does not build: " + built.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device_);
    const uint32_t items = program.items();
    cl::Buffer counters = zeros(program.counters), data = zeros(program.data), sums = zeros(items);
    std::vector<cl_uint> host_memory(std::max(program.host_words, 1U));
    cl::Buffer host(context_, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
                    host_memory.size() * sizeof(cl_uint), host_memory.data());
    cl::Kernel main(built, "torture");
    main.setArg(0, counters);
    main.setArg(1, data);
    main.setArg(2, sums);
    main.setArg(3, host);
    heard_.take();
    cl::Event end;
    std::vector<cl::Event> others;
    if (program.main_is_last)
      others = launch_others(program, built, counters, data);
    queue_.enqueueNDRangeKernel(main, cl::NullRange, cl::NDRange(items), cl::NDRange(program.local),
                                nullptr, &end);
    if (!program.main_is_last)
      others = launch_others(program, built, counters, data);
    queue_.flush();
    if (program.host_words != 0)
      set_words(host_memory);
    queue_.finish();
    for (cl::CommandQueue &queue : more_)
      queue.finish();
    const auto status = end.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
    if (program.is_dead)
      return judge_dead(program, status);
    if (status != CL_COMPLETE)
      return "ended with " + std::to_string(status) + ": " + heard_.take_with("kernel '");
    for (const cl::Event &other : others)
      if (other.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE)
        return "another launch failed: " + heard_.take_with("kernel '");
    return compare(program, sums, data);
  }

private:
  // Launches the helper and the relays, each in a queue of its own.
  std::vector<cl::Event> launch_others(const Program &program, cl::Program &built,
                                       const cl::Buffer &counters, const cl::Buffer &data) {
    std::vector<cl::Event> events(program.relays + program.has_helper);
    while (more_.size() < events.size())
      more_.emplace_back(context_, device_);
    for (uint32_t i = 0; i < events.size(); ++i) {
      const bool is_helper = i == program.relays;
      cl::Kernel kernel(built, is_helper ? "helper" : "relay");
      kernel.setArg(0, counters);
      if (is_helper)
        kernel.setArg(1, data);
      else
        kernel.setArg(1, cl_uint(program.relay_flags + program.relays - 1 - i));
      more_[i].enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1), cl::NDRange(1), nullptr,
                                    &events[i]);
      more_[i].flush();
    }
    return events;
  }

  static void set_words(std::vector<cl_uint> &words) {
    for (cl_uint &word : words) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::atomic_ref(word).store(1, std::memory_order_release);
    }
  }

  cl::Buffer zeros(uint32_t count) {
    cl::Buffer buffer(context_, CL_MEM_READ_WRITE, count * sizeof(cl_uint));
    queue_.enqueueFillBuffer(buffer, cl_uint(0), 0, count * sizeof(cl_uint));
    queue_.finish();
    return buffer;
  }

  std::string judge_dead(const Program &program, cl_int status) {
    if (status >= 0)
      return "ended as if there were no trap";
    const std::string line = ":" + std::to_string(program.trap_line) + ":";
    const std::string dead = "kernel 'torture' is deadlocked", report = heard_.take_with(dead);
    if (report.find(dead) == std::string::npos)
      return "no report of a deadlock: " + report;
    if (report.find(line) == std::string::npos)
      return "the report does not name line " + line + " " + report;
    return {};
  }

  std::string compare(const Program &program, const cl::Buffer &sums, const cl::Buffer &data) {
    std::vector<cl_uint> got_sums(program.items()), got_data(program.data);
    queue_.enqueueReadBuffer(sums, CL_TRUE, 0, got_sums.size() * sizeof(cl_uint), got_sums.data());
    queue_.enqueueReadBuffer(data, CL_TRUE, 0, got_data.size() * sizeof(cl_uint), got_data.data());
    for (uint32_t i = 0; i < program.items(); ++i)
      if (got_sums[i] != program.expected_sums[i])
        return "sums[" + std::to_string(i) + "] is " + std::to_string(got_sums[i]) + ", not " +
               std::to_string(program.expected_sums[i]);
    for (auto [index, value] : program.expected_data)
      if (got_data[index] != value)
        return "d[" + std::to_string(index) + "] is " + std::to_string(got_data[index]) + ", not " +
               std::to_string(value);
    return {};
  }

  Heard heard_;
  cl::Device device_;
  cl::Context context_;
  cl::CommandQueue queue_;
  std::vector<cl::CommandQueue> more_;
};

Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--one")
      options.one = true;
    else if (name == "--kinds")
      std::fputs(kinds().c_str(), stdout), std::exit(0);
    else if (i + 1 == argc)
      std::fprintf(stderr, "%s: unknown option or no value\n", argv[i]), std::exit(2);
    else if (name == "--seed")
      options.seed = std::strtoull(argv[++i], nullptr, 0);
    else if (name == "--count")
      options.count = std::strtoull(argv[++i], nullptr, 0);
    else if (name == "--seconds")
      options.seconds = std::strtod(argv[++i], nullptr);
    else if (name == "--only")
      options.only = argv[++i];
    else if (name == "--platform")
      options.platform = argv[++i];
    else
      std::fprintf(stderr, "%s: unknown option\n", argv[i]), std::exit(2);
  }
  return options;
}

int run(const Options &options) {
  Runner runner(options.platform);
  if (!runner.has_device()) {
    std::fprintf(stderr, "no platform is named %s\n", options.platform.c_str());
    return 2;
  }
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  std::signal(SIGALRM, give_up);
  const auto begin = std::chrono::steady_clock::now();
  auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  uint64_t runs = 0, dead = 0, wrong = 0;
  for (uint64_t seed = options.seed;; ++seed) {
    const Program program = generate(seed, options.only);
    seed_that_runs = seed;
    alarm(longest);
    if (options.one)
      std::fputs(program.source.c_str(), stdout);
    if (const std::string what = runner.run(program); !what.empty()) {
      ++wrong;
      std::printf("seed %llu (%u groups of %u, trap: %s, line %u): %s\n", (unsigned long long)seed,
                  program.groups, program.local, program.is_dead ? program.trap.c_str() : "none",
                  program.trap_line, what.c_str());
      std::fflush(stdout);
    }
    ++runs;
    dead += program.is_dead;
    if (options.one || (options.seconds > 0 ? seconds() > options.seconds : runs == options.count))
      break;
  }
  std::printf("%llu kernels in %.1f s, %llu with a planted deadlock: %llu wrong\n",
              (unsigned long long)runs, seconds(), (unsigned long long)dead,
              (unsigned long long)wrong);
  return wrong ? 1 : 0;
}

} // namespace
} // namespace torture

int main(int argc, char **argv) {
  return torture::run(torture::parse(argc, argv));
}

// Runs random processes that fork, exit, fault, cancel and run short of threads, descriptors and
// memory, and judges each by how it ends (docs/process_life.md). A long run by hand:
//
//   OCL_ICD_VENDORS=build/release/vendors \
//     build/release/tests/process/stress --seed 1 --seconds 3600
//
// To repeat a failed seed: stress --seed N --count 1 --verbose
#include "run_case.h"
#include "stress_program.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace lockstep::test {
namespace {

struct Options {
  uint64_t seed = 1, count = 0; // count 0: limited by time only
  double seconds = 0, limit = 120;
  unsigned jobs = std::max(1u, std::thread::hardware_concurrency() / 2);
  bool is_verbose = false;
};

// Returns the environment of the process with this seed, with options for the sanitizers.
std::vector<std::string> environment_of(uint64_t seed) {
  std::minstd_rand random{unsigned(seed * 40503 + 7)};
  std::vector<std::string> all = {
      "TSAN_OPTIONS=die_after_fork=0:halt_on_error=1:exitcode=66",
      "ASAN_OPTIONS=detect_leaks=0:exitcode=66", // the library frees nothing at exit()
      "UBSAN_OPTIONS=halt_on_error=1:exitcode=66", "LOCKSTEP_DEADLOCK=wait"};
  const std::string folder = "/tmp/lockstep_stress." + std::to_string(getuid());
  all.push_back(random() % 4 ? "LOCKSTEP_CACHE_DIR=" + folder : "LOCKSTEP_CACHE=0");
  all.push_back("LOCKSTEP_THREADS=" + std::to_string(1 + random() % 4));
  if (random() % 5 == 0)
    all.push_back("LOCKSTEP_CHECK=" +
                  std::string(std::vector{"1", "commands", "memory"}[random() % 3]));
  if (random() % 8 == 0)
    all.push_back("LOCKSTEP_TRACE=/dev/null");
  if (random() % 8 == 0)
    all.push_back("LOCKSTEP_FORM=resumable");
  return all;
}

// The C library's own message: the first use of a library's thread-local variables on a thread
// allocates memory for them.
constexpr const char *no_memory_for_thread = "cannot allocate memory for thread-local data: ABORT";

// Returns what is wrong, or an empty string.
std::string judge(const Ended &ended) {
  if (ended.hung)
    return "hangs";
  if (ended.exit_code == 127 && ended.output.find(no_memory_for_thread) != ended.output.npos)
    return {};
  if (ended.signal != 0)
    return "ends with signal " + std::to_string(ended.signal);
  const std::size_t said = ended.output.rfind("ends ");
  if (said == ended.output.npos)
    return "ends with exit code " + std::to_string(ended.exit_code) + " of its own";
  if (const int code = std::atoi(ended.output.c_str() + said + 5); code != ended.exit_code)
    return "ends with exit code " + std::to_string(ended.exit_code) + ", not " +
           std::to_string(code);
  for (const char *what : {"WRONG", "terminate called", "Sanitizer", "runtime error"})
    if (ended.output.find(what) != ended.output.npos)
      return std::string("says ") + what;
  return {};
}

class Driver {
public:
  explicit Driver(const Options &options) : options_(options), next_(options.seed) {}

  int run() {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < options_.jobs; ++i)
      threads.emplace_back([this] { run_some(); });
    for (std::thread &thread : threads)
      thread.join();
    std::printf("%llu processes, %llu failed\n",
                static_cast<unsigned long long>(next_ - options_.seed),
                static_cast<unsigned long long>(failed_.load()));
    return failed_ != 0;
  }

private:
  bool has_time() const {
    return options_.count ||
           std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count() <
               options_.seconds;
  }
  void run_some() {
    while (has_time()) {
      const uint64_t seed = next_++;
      if (options_.count && seed >= options_.seed + options_.count) {
        --next_;
        return;
      }
      const Ended ended = run_case(std::to_string(seed), environment_of(seed), options_.limit);
      const std::string verdict = judge(ended);
      if (!verdict.empty()) {
        ++failed_;
        std::printf("seed %llu %s\n%s\n", static_cast<unsigned long long>(seed), verdict.c_str(),
                    ended.output.substr(0, 8000).c_str());
      } else if (options_.is_verbose) {
        std::printf("seed %llu\n%s\n", static_cast<unsigned long long>(seed), ended.output.c_str());
      }
      std::fflush(stdout);
    }
  }

  const Options options_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::atomic<uint64_t> next_, failed_{0};
};

Options read_options(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    const char *value = i + 1 < argc ? argv[i + 1] : "0";
    if (name == "--verbose") {
      options.is_verbose = true;
      continue;
    }
    ++i;
    if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10);
    else if (name == "--count")
      options.count = std::strtoull(value, nullptr, 10);
    else if (name == "--seconds")
      options.seconds = std::atof(value);
    else if (name == "--limit")
      options.limit = std::atof(value);
    else if (name == "--jobs")
      options.jobs = unsigned(std::max(1, std::atoi(value)));
    else {
      std::fprintf(stderr, "stress [--seed N] [--count N] [--seconds N] [--limit SECONDS] "
                           "[--jobs N] [--verbose]\n");
      std::exit(2);
    }
  }
  return options;
}

} // namespace
} // namespace lockstep::test

int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "case") == 0)
    lockstep::test::run_random_process(std::strtoull(argv[2], nullptr, 10));
  return lockstep::test::Driver(lockstep::test::read_options(argc, argv)).run();
}

#include "runs.h"

#include "runtime/check/report/findings.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace lockstep::fuzz {

int run_seeds(int argc, char **argv, uint64_t count, const OneRun &run) {
  uint64_t seed = 1;
  double seconds = 0;
  bool shows = false;
  for (int i = 1; i < argc; ++i)
    if (const std::string_view argument = argv[i]; argument == "--show")
      shows = true;
    else if (argument == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--count" && i + 1 < argc)
      count = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--seconds" && i + 1 < argc)
      seconds = std::strtod(argv[++i], nullptr);
    else {
      std::fprintf(stderr, "%s: '%s' is none of --seed N, --count N, --seconds N, --show\n",
                   argv[0], argv[i]);
      return 2;
    }
  if (!std::freopen("/dev/null", "w", stderr)) // hides the reports of races, which are expected
    return 2;
  uint64_t races = 0, different = 0, runs = 0;
  const auto begin = std::chrono::steady_clock::now();
  auto goes_on = [&] {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return seconds > 0 ? passed.count() < seconds : runs != count;
  };
  for (; goes_on(); ++seed, ++runs) {
    const Ended ended = run(seed, shows);
    if (!ended.agrees) {
      ++different;
      std::printf("seed %llu: the checker and the oracle differ\n",
                  static_cast<unsigned long long>(seed));
      std::fflush(stdout);
    }
    races += ended.has_race;
  }
  std::printf("%llu runs, %llu with a race, %llu differ\n", static_cast<unsigned long long>(runs),
              static_cast<unsigned long long>(races), static_cast<unsigned long long>(different));
  return different != 0 || races == 0 || races == runs;
}

uint64_t told() {
  const auto count = runtime::Findings::instance().count();
  return count.findings + count.repeated + count.notes;
}

} // namespace lockstep::fuzz

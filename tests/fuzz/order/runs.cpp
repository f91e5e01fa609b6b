#include "runs.h"

#include "runtime/check/findings.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace lockstep::fuzz {

int run_seeds(int argc, char **argv, uint64_t count, const OneRun &run) {
  uint64_t seed = 1;
  bool shows = false;
  for (int i = 1; i < argc; ++i)
    if (const std::string_view argument = argv[i]; argument == "--show")
      shows = true;
    else if (argument == "--seed" && i + 1 < argc)
      seed = std::strtoull(argv[++i], nullptr, 0);
    else if (argument == "--count" && i + 1 < argc)
      count = std::strtoull(argv[++i], nullptr, 0);
    else {
      std::fprintf(stderr, "%s: '%s' is none of --seed N, --count N, --show\n", argv[0], argv[i]);
      return 2;
    }
  if (!std::freopen("/dev/null", "w", stderr)) // reports of races, which are wanted
    return 2;
  uint64_t races = 0, different = 0;
  for (uint64_t end = seed + count; seed != end; ++seed) {
    const Ended ended = run(seed, shows);
    if (!ended.agrees) {
      ++different;
      std::printf("seed %llu: the checker and the oracle differ\n",
                  static_cast<unsigned long long>(seed));
    }
    races += ended.has_race;
  }
  std::printf("%llu runs, %llu with a race, %llu differ\n", static_cast<unsigned long long>(count),
              static_cast<unsigned long long>(races), static_cast<unsigned long long>(different));
  return different != 0 || races == 0 || races == count;
}

uint64_t told() {
  const auto count = runtime::Findings::instance().count();
  return count.findings + count.repeated + count.notes;
}

} // namespace lockstep::fuzz

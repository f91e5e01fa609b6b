#include "settings.h"

namespace lockstep::fuzz {

namespace {

#if defined(__x86_64__)
constexpr const char *processors[] = {"", "x86-64-v2", "x86-64-v3", "x86-64-v4"};

bool runs_here(const std::string &processor) {
  __builtin_cpu_init();
  if (processor == "x86-64-v3")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (processor == "x86-64-v4")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return true;
}
#else
constexpr const char *processors[] = {"", "cortex-a53", "neoverse-n1", "neoverse-v1"};

bool runs_here(const std::string &processor) {
  return processor == "cortex-a53"; // the others have instructions of later architectures
}
#endif

} // namespace

Settings settings_of(uint64_t seed) {
  static const char *const sizes[] = {"", "0", "2", "4", "8", "16", "32", "64"};
  // An odd factor, so that 128 consecutive runs get 128 different numbers, but adjacent ones differ
  // in all settings.
  uint64_t number = seed / seeds_of_setting * 45 % 128;
  auto take = [&](uint64_t count) {
    const uint64_t which = number % count;
    number /= count;
    return which;
  };
  Settings settings;
  const std::string processor = processors[take(4)], size = sizes[take(8)];
  if (!processor.empty() && runs_here(processor))
    settings.emplace_back("LOCKSTEP_CPU", processor);
  if (size == "0")
    settings.emplace_back("LOCKSTEP_LANES", "0");
  else if (!size.empty())
    settings.emplace_back("LOCKSTEP_SUB_GROUP_SIZE", size);
  if (take(2))
    settings.emplace_back("LOCKSTEP_FORM", "resumable");
  if (take(2))
    settings.emplace_back("LOCKSTEP_INLINE_LIMIT", "0");
  return settings;
}

std::string describe(const Settings &settings) {
  std::string text;
  for (const auto &[name, value] : settings)
    text += (text.empty() ? "" : " ") + name + "=" + value;
  return text.empty() ? "no settings" : text;
}

} // namespace lockstep::fuzz

#include "runtime/check/quick_check.h"

#include <bit>

namespace lockstep::runtime {

namespace {

// No branches: the compiler makes vectors of it.
[[gnu::always_inline]] inline bool pass(const QuickCheck &given, uint64_t *writes, uint64_t *sinces,
                                        uint64_t which, uint64_t word, uint64_t step) {
  const QuickCheck check = given;
  const unsigned count = 64u - unsigned(std::countl_zero(which));
  const uint64_t first = word & RecordWord::item_mask;
  uint64_t refused = 0;
  for (unsigned i = 0; i < count; ++i)
    refused |= uint64_t(!(int(check.passes(writes[i], first + i * step)) &
                          int(check.passes_since(sinces[i], first + i * step)))) &
               which >> i;
  if (refused & 1)
    return false;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_active = which >> i & 1;
    const uint64_t write = check.is_write ? word + i * step : writes[i],
                   since = check.is_write ? 0 : word + i * step;
    writes[i] = is_active ? write : writes[i];
    sinces[i] = is_active ? since : sinces[i];
  }
  return true;
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw")]] bool
pass_by_avx512(const QuickCheck &check, uint64_t *writes, uint64_t *sinces, uint64_t which,
               uint64_t word, uint64_t step) {
  return pass(check, writes, sinces, which, word, step);
}
[[gnu::target("avx2")]] bool pass_by_avx2(const QuickCheck &check, uint64_t *writes,
                                          uint64_t *sinces, uint64_t which, uint64_t word,
                                          uint64_t step) {
  return pass(check, writes, sinces, which, word, step);
}
#endif
bool pass_by_any(const QuickCheck &check, uint64_t *writes, uint64_t *sinces, uint64_t which,
                 uint64_t word, uint64_t step) {
  return pass(check, writes, sinces, which, word, step);
}

using Pass = bool (*)(const QuickCheck &, uint64_t *, uint64_t *, uint64_t, uint64_t, uint64_t);

Pass best() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw"))
    return pass_by_avx512;
  if (__builtin_cpu_supports("avx2"))
    return pass_by_avx2;
#endif
  return pass_by_any;
}

} // namespace

bool pass_words(const QuickCheck &check, uint64_t *writes, uint64_t *sinces, uint64_t which,
                uint64_t word, uint64_t step) {
  static const Pass pass_all = best();
  return pass_all(check, writes, sinces, which, word, step);
}

} // namespace lockstep::runtime

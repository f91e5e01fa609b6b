#include "runtime/check/quick_check.h"

#include <bit>

namespace lockstep::runtime {

namespace {

// No branches: the compiler makes vectors of it.
template <bool has_others>
[[gnu::always_inline]] inline bool pass_reads(const QuickCheck &check, const GranuleWords &words,
                                              uint64_t which, uint64_t word, uint64_t step) {
  const unsigned count = 64u - unsigned(std::countl_zero(which));
  const uint64_t first = word & RecordWord::item_mask;
  const auto [writes, sinces, others] = words;
  uint64_t refused = 0;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t item = first + i * step;
    bool passes = check.passes_since(sinces[i], item);
    if constexpr (has_others)
      passes = bool(int(passes) | int(check.passes_beside(sinces[i], others[i], item)) |
                    int(check.are_two(sinces[i], others[i])));
    refused |= uint64_t(!(int(passes) & int(check.passes(writes[i], item)))) & which >> i;
  }
  if (refused & 1)
    return false;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t item = first + i * step, now = word + i * step;
    const bool is_active = which >> i & 1;
    if constexpr (has_others) {
      const bool takes_since = check.passes_since(sinces[i], item),
                 takes_other =
                     bool(int(!takes_since) & int(check.passes_beside(sinces[i], others[i], item)));
      others[i] = int(is_active) & int(takes_other) ? now : others[i];
      sinces[i] = int(is_active) & int(takes_since) ? now : sinces[i];
    } else {
      sinces[i] = is_active ? now : sinces[i];
    }
  }
  return true;
}

template <bool has_others>
[[gnu::always_inline]] inline bool pass_writes(const QuickCheck &check, const GranuleWords &words,
                                               uint64_t which, uint64_t word, uint64_t step) {
  const unsigned count = 64u - unsigned(std::countl_zero(which));
  const uint64_t first = word & RecordWord::item_mask;
  const auto [writes, sinces, others] = words;
  uint64_t refused = 0;
  for (unsigned i = 0; i < count; ++i) {
    const uint64_t item = first + i * step;
    bool passes = bool(int(check.passes(writes[i], item)) & int(check.passes(sinces[i], item)));
    if constexpr (has_others)
      passes = bool(int(passes) & int(check.passes(others[i], item)));
    refused |= uint64_t(!passes) & which >> i;
  }
  if (refused & 1)
    return false;
  for (unsigned i = 0; i < count; ++i) {
    const bool is_active = which >> i & 1;
    writes[i] = is_active ? word + i * step : writes[i];
    sinces[i] = is_active ? 0 : sinces[i];
  }
  return true;
}

[[gnu::always_inline]] inline bool pass(const QuickCheck &given, const GranuleWords &words,
                                        uint64_t which, uint64_t word, uint64_t step) {
  const QuickCheck check = given;
  if (check.is_write)
    return words.others ? pass_writes<true>(check, words, which, word, step)
                        : pass_writes<false>(check, words, which, word, step);
  return words.others ? pass_reads<true>(check, words, which, word, step)
                      : pass_reads<false>(check, words, which, word, step);
}

#if defined(__x86_64__)
[[gnu::target("avx512f,avx512dq,avx512vl,avx512bw")]] bool
pass_by_avx512(const QuickCheck &check, const GranuleWords &words, uint64_t which, uint64_t word,
               uint64_t step) {
  return pass(check, words, which, word, step);
}
[[gnu::target("avx2")]] bool pass_by_avx2(const QuickCheck &check, const GranuleWords &words,
                                          uint64_t which, uint64_t word, uint64_t step) {
  return pass(check, words, which, word, step);
}
#endif
bool pass_by_any(const QuickCheck &check, const GranuleWords &words, uint64_t which, uint64_t word,
                 uint64_t step) {
  return pass(check, words, which, word, step);
}

using Pass = bool (*)(const QuickCheck &, const GranuleWords &, uint64_t, uint64_t, uint64_t);

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

bool pass_words(const QuickCheck &check, const GranuleWords &words, uint64_t which, uint64_t word,
                uint64_t step) {
  static const Pass pass_all = best();
  return pass_all(check, words, which, word, step);
}

} // namespace lockstep::runtime

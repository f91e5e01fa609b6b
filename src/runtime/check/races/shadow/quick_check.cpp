#include "runtime/check/races/shadow/quick_check.h"

#include <bit>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::runtime {

namespace {

// ---- one cell at a time

uint64_t pass_words_by_any(const QuickCheck &check, const GranuleWords &words, uint64_t which,
                           uint32_t word, uint32_t step, unsigned shared) {
  for (uint64_t left = which; left; left &= left - 1) {
    const auto i = unsigned(std::countr_zero(left));
    if (check.pass(words, i, word + (i >> shared) * step))
      which &= ~(uint64_t(1) << i);
  }
  return which;
}

uint32_t pass_places_by_any(const QuickCheck &check, const GranuleWords &words, uint32_t which,
                            const uint32_t *places, uint32_t word) {
  for (uint32_t left = which; left; left &= left - 1) {
    const auto i = unsigned(std::countr_zero(left));
    if (check.pass(words, places[i], word + i))
      which &= ~(1u << i);
  }
  return which;
}

// Branch-free: which cells are new is unpredictable.
void leave_atomic(uint32_t &since, uint32_t now) { // `since`: of its group, or of an earlier launch
  const uint32_t differs = since ^ now;
  const uint32_t both = since | ((differs & RecordWord::item_mask) ? RecordWord::several : 0);
  since = RecordWord::context(differs) == 0 ? both : now;
}

// ---- sixteen cells at a time

#if defined(__x86_64__)
#define LOCKSTEP_SIXTEEN [[gnu::target("avx512f,avx512cd,avx512vl,avx512dq,avx512bw")]]

LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline Sixteen words_of(__m512i vector) {
  return {__builtin_bit_cast(Sixteen::Vector, vector)};
}
LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline __m512i vector_of(const Sixteen &words) {
  return __builtin_bit_cast(__m512i, words.words);
}

struct RowOfSixteen { // consecutive cells
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static __m512i load(const uint32_t *from, __mmask16 which,
                                                              __m512i) {
    return _mm512_maskz_loadu_epi32(which, from);
  }
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static void store(uint32_t *to, __mmask16 which, __m512i,
                                                            __m512i words) {
    _mm512_mask_storeu_epi32(to, which, words);
  }
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static __mmask16 once(__mmask16 which, __m512i) {
    return which;
  }
};
struct ScatteredCells {
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static __m512i load(const uint32_t *from, __mmask16 which,
                                                              __m512i places) {
    return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), which, places, from, 4);
  }
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static void store(uint32_t *to, __mmask16 which,
                                                            __m512i places, __m512i words) {
    _mm512_mask_i32scatter_epi32(to, which, places, words, 4);
  }
  // If several lanes have the same cell, selects the first one.
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] static __mmask16 once(__mmask16 which, __m512i places) {
    return __mmask16(which & _mm512_testn_epi32_mask(_mm512_conflict_epi32(places),
                                                     _mm512_set1_epi32(int(which))));
  }
};

// Most often all lanes have one context, and a gather costs as much as the rest on some processors.
LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline __m512i epochs_of(const uint32_t *epochs,
                                                                 __mmask16 which, __m512i words) {
  const __m512i contexts = _mm512_srli_epi32(words, RecordWord::context_shift);
  const auto first = uint32_t(_mm512_cvtsi512_si32(_mm512_maskz_compress_epi32(which, contexts)));
  if (!_mm512_mask_cmpneq_epi32_mask(which, contexts, _mm512_set1_epi32(int(first))))
    return _mm512_set1_epi32(int(epochs[first]));
  return _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), which, contexts, epochs, 4);
}

// Returns the cells that pass. Unchanged words are not stored, so that `places` may have
// duplicates.
template <class Shape>
LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline __mmask16
pass_sixteen(const QuickCheck &check, const GranuleWords &words, __mmask16 which, __m512i places,
             __m512i now) {
  const __m512i none = _mm512_setzero_si512();
  const __m512i write = words.writes ? Shape::load(words.writes, which, places) : none,
                since = Shape::load(words.sinces, which, places),
                other = words.others ? Shape::load(words.others, which, places) : none;
  QuickCheck::Cells<Sixteen> cells{
      words_of(write),
      words_of(since),
      words_of(other),
      words_of(words.writes ? epochs_of(words.epochs, which, write) : none),
      words_of(epochs_of(words.epochs, which, since)),
      words_of(words.others ? epochs_of(words.epochs, which, other) : none)};
  auto done = __mmask16(check.decide(words, SixteenMask::of(which), words_of(now), cells).bits());
  const __m512i to_write = vector_of(cells.to_write), to_since = vector_of(cells.to_since),
                to_other = vector_of(cells.to_other);
  const __mmask16 since_changes = _mm512_mask_cmpneq_epi32_mask(done, to_since, since),
                  write_changes = _mm512_mask_cmpneq_epi32_mask(done, to_write, write),
                  other_changes = _mm512_mask_cmpneq_epi32_mask(done, to_other, other);
  if (since_changes | write_changes | other_changes) {
    const __mmask16 once = Shape::once(which, places);
    done &= once;
    Shape::store(words.sinces, since_changes & once, places, to_since);
    if (write_changes)
      Shape::store(words.writes, write_changes & once, places, to_write);
    if (other_changes)
      Shape::store(words.others, other_changes & once, places, to_other);
  }
  return done;
}

LOCKSTEP_SIXTEEN uint64_t pass_words_by_sixteen(const QuickCheck &check, const GranuleWords &words,
                                                uint64_t which, uint32_t word, uint32_t step,
                                                unsigned shared) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  uint64_t refused = 0;
  for (unsigned first = 0; first != 64 && which >> first; first += 16) {
    const auto some = __mmask16(which >> first);
    if (!some)
      continue;
    const __m512i number = _mm512_srl_epi32(_mm512_add_epi32(lanes, _mm512_set1_epi32(int(first))),
                                            _mm_cvtsi32_si128(int(shared)));
    const __m512i now =
        _mm512_add_epi32(_mm512_set1_epi32(int(word)), step ? number : _mm512_setzero_si512());
    const GranuleWords here{words.epochs, words.writes ? words.writes + first : nullptr,
                            words.sinces + first, words.others ? words.others + first : nullptr,
                            words.readers};
    const __mmask16 passed = pass_sixteen<RowOfSixteen>(check, here, some, lanes, now);
    refused |= uint64_t(__mmask16(some & ~passed)) << first;
  }
  return refused;
}

LOCKSTEP_SIXTEEN uint32_t pass_places_by_sixteen(const QuickCheck &check, const GranuleWords &words,
                                                 uint32_t which, const uint32_t *places,
                                                 uint32_t word) {
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  const __m512i at = _mm512_maskz_loadu_epi32(__mmask16(which), places);
  const __m512i now = _mm512_add_epi32(_mm512_set1_epi32(int(word)), lanes);
  return which & ~uint32_t(pass_sixteen<ScatteredCells>(check, words, __mmask16(which), at, now));
}

LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline __m512i every(uint32_t value) {
  return _mm512_set1_epi32(int(value));
}

struct EightAddresses {
  __m512i low, high;
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] explicit EightAddresses(const SixteenAddresses &given)
      : low(_mm512_maskz_loadu_epi64(__mmask8(given.lanes), given.addresses)),
        high(_mm512_maskz_loadu_epi64(__mmask8(given.lanes >> 8), given.addresses + 8)) {}
};

LOCKSTEP_SIXTEEN bool are_row_by_sixteen(const SixteenAddresses &given, uint64_t size) {
  const EightAddresses at(given);
  const auto lane = unsigned(std::countr_zero(given.lanes));
  const __m512i number = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
  const __m512i first =
      _mm512_add_epi64(_mm512_set1_epi64(int64_t(given.addresses[lane] - size * lane)),
                       _mm512_mullo_epi64(number, _mm512_set1_epi64(int64_t(size))));
  const __m512i second = _mm512_add_epi64(first, _mm512_set1_epi64(int64_t(8 * size)));
  return !_mm512_mask_cmpneq_epi64_mask(__mmask8(given.lanes), at.low, first) &&
         !_mm512_mask_cmpneq_epi64_mask(__mmask8(given.lanes >> 8), at.high, second);
}

LOCKSTEP_SIXTEEN uint32_t on_page_by_sixteen(const SixteenAddresses &given, uintptr_t first,
                                             unsigned granule, uint32_t *places, uintptr_t &low) {
  const EightAddresses at(given);
  const __m512i begin = _mm512_set1_epi64(int64_t(first)),
                bytes = _mm512_set1_epi64(int64_t(ShadowPage::bytes));
  const __m512i one = _mm512_sub_epi64(at.low, begin), other = _mm512_sub_epi64(at.high, begin);
  const __mmask8 low_lanes = _mm512_mask_cmplt_epu64_mask(__mmask8(given.lanes), one, bytes),
                 high_lanes =
                     _mm512_mask_cmplt_epu64_mask(__mmask8(given.lanes >> 8), other, bytes);
  const __m128i shift = _mm_cvtsi32_si128(std::countr_zero(granule));
  // One store, because a later load of both halves would wait for two stores.
  const __m256i low_places = _mm512_cvtepi64_epi32(_mm512_srl_epi64(one, shift)),
                high_places = _mm512_cvtepi64_epi32(_mm512_srl_epi64(other, shift));
  _mm512_storeu_epi32(places,
                      _mm512_inserti64x4(_mm512_castsi256_si512(low_places), high_places, 1));
  low = uintptr_t(_mm512_mask_reduce_or_epi64(low_lanes, one) |
                  _mm512_mask_reduce_or_epi64(high_lanes, other));
  return uint32_t(low_lanes) | uint32_t(high_lanes) << 8;
}

struct OffsetsOnPage {
  __m512i low, high;
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] OffsetsOnPage(const EightAddresses &at, uintptr_t first)
      : low(_mm512_sub_epi64(at.low, _mm512_set1_epi64(int64_t(first)))),
        high(_mm512_sub_epi64(at.high, _mm512_set1_epi64(int64_t(first)))) {}
  // The lanes on that page, aligned to cells.
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] __mmask16 lanes(uint32_t which, unsigned granule) const {
    const __m512i most = _mm512_set1_epi64(int64_t(ShadowPage::bytes - 1) & -int64_t(granule)),
                  all = _mm512_set1_epi64(-1);
    return __mmask16(
        which & (_mm512_testn_epi64_mask(_mm512_andnot_si512(most, low), all) |
                 uint32_t(_mm512_testn_epi64_mask(_mm512_andnot_si512(most, high), all)) << 8));
  }
  LOCKSTEP_SIXTEEN [[gnu::always_inline]] __m512i granules(unsigned granule) const {
    const __m128i shift = _mm_cvtsi32_si128(std::countr_zero(granule));
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi64_epi32(_mm512_srl_epi64(low, shift))),
        _mm512_cvtepi64_epi32(_mm512_srl_epi64(high, shift)), 1);
  }
};

// Indices relative to the words of the first page; the second page's words use the same base.
struct AddressesOnPages {
  __m512i at, now;
  __mmask16 on_first, on_second;
};

LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline AddressesOnPages
places_on_pages(const SixteenAddresses &given, const AtomicsOnPage &page,
                const AtomicsOnPage *second, int64_t distance, unsigned granule, uint32_t item) {
  const EightAddresses addresses(given);
  const __m512i items =
      _mm512_add_epi32(_mm512_set1_epi32(int(item)),
                       _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
  const OffsetsOnPage first(addresses, page.first);
  AddressesOnPages places{first.granules(granule),
                          _mm512_add_epi32(items, _mm512_set1_epi32(int(page.word))),
                          first.lanes(given.lanes, granule), 0};
  if (!second)
    return places;
  const OffsetsOnPage other(addresses, second->first);
  places.on_second = other.lanes(given.lanes, granule);
  places.at = _mm512_mask_add_epi32(places.at, places.on_second, other.granules(granule),
                                    _mm512_set1_epi32(int(distance)));
  places.now = _mm512_mask_add_epi32(places.now, places.on_second, items,
                                     _mm512_set1_epi32(int(second->word)));
  return places;
}

// The lanes with words of earlier launches. Requires other contexts than the current one. Usually
// contexts of earlier launches have lower numbers than those of this one.
LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline __mmask16
are_of_earlier_launches(const AtomicsOnPage &page, __mmask16 which, __m512i since,
                        uint32_t horizon) {
  const auto old =
      __mmask16(which & _mm512_cmplt_epu32_mask(
                            since, every(page.first_context_now << RecordWord::context_shift)));
  const auto rest = __mmask16(which & ~old);
  if (!rest)
    return old;
  const __m512i epochs = _mm512_mask_i32gather_epi32(
      _mm512_setzero_si512(), rest, _mm512_srli_epi32(since, RecordWord::context_shift),
      page.epochs, 4);
  return __mmask16(old | _mm512_mask_cmplt_epu32_mask(rest, epochs, every(horizon)));
}

LOCKSTEP_SIXTEEN [[gnu::always_inline]] inline uint32_t
leave_atomics_on(const SixteenAddresses &given, const AtomicsOnPage &page,
                 const AtomicsOnPage *second, int64_t distance, unsigned granule, uint32_t horizon,
                 uint32_t item) {
  uint32_t *const sinces = page.sinces;
  const auto [at, now, on_first, on_second] =
      places_on_pages(given, page, second, distance, granule, item);
  auto done = __mmask16(on_first | on_second);
  const __m512i since = ScatteredCells::load(sinces, done, at),
                differs = _mm512_xor_si512(since, now);
  const __mmask16 is_alike = _mm512_mask_cmplt_epu32_mask(done, differs,
                                                          every(1u << RecordWord::context_shift)),
                  is_other = _mm512_test_epi32_mask(differs, every(RecordWord::item_mask)),
                  is_one = _mm512_testn_epi32_mask(since, every(RecordWord::run_mask));
  done = is_alike;
  if (const auto unlike = __mmask16(on_first & ~is_alike))
    done |= are_of_earlier_launches(page, unlike, since, horizon);
  if (const auto unlike = __mmask16(on_second & ~is_alike))
    done |= are_of_earlier_launches(*second, unlike, since, horizon);
  const auto changes = __mmask16(done & ~(is_alike & ~(is_other & is_one)));
  if (!changes)
    return done;
  const __mmask16 once = ScatteredCells::once(done, at);
  const __m512i both = _mm512_or_si512(since, every(RecordWord::several));
  ScatteredCells::store(sinces, changes & once, at, _mm512_mask_mov_epi32(now, is_alike, both));
  for (auto again = uint32_t(done & ~once); again; again &= again - 1) {
    const auto lane = unsigned(std::countr_zero(again));
    const AtomicsOnPage &its = on_first >> lane & 1 ? page : *second;
    leave_atomic(its.sinces[(given.addresses[lane] - its.first) / granule], its.word + item + lane);
  }
  return done;
}

LOCKSTEP_SIXTEEN uint32_t leave_atomics_by_sixteen(const SixteenAddresses &given,
                                                   std::span<const AtomicsOnPage> pages,
                                                   unsigned granule, uint32_t horizon,
                                                   uint32_t item) {
  const AtomicsOnPage &page = pages.front();
  if (pages.size() == 1)
    return leave_atomics_on(given, page, nullptr, 0, granule, horizon, item);
  const AtomicsOnPage &second = pages.back();
  const int64_t distance =
      (std::bit_cast<int64_t>(second.sinces) - std::bit_cast<int64_t>(page.sinces)) /
      int64_t(sizeof(uint32_t));
  constexpr int64_t most = INT32_MAX - int64_t(ShadowPage::bytes);
  if (-most <= distance && distance <= most) // the common case
    return leave_atomics_on(given, page, &second, distance, granule, horizon, item);
  uint32_t done = 0;
  for (const AtomicsOnPage &each : pages)
    done |= leave_atomics_on(given, each, nullptr, 0, granule, horizon, item);
  return done;
}
#undef LOCKSTEP_SIXTEEN

bool has_sixteen() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512cd") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw");
}
#else
bool has_sixteen() {
  return false;
}
constexpr auto pass_words_by_sixteen = pass_words_by_any;
constexpr auto pass_places_by_sixteen = pass_places_by_any;
#endif

bool are_row_by_any(const SixteenAddresses &given, uint64_t size) {
  const auto first = unsigned(std::countr_zero(given.lanes));
  for (uint32_t left = given.lanes; left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    if (given.addresses[lane] != given.addresses[first] + size * (lane - first))
      return false;
  }
  return true;
}

uint32_t on_page_by_any(const SixteenAddresses &given, uintptr_t first, unsigned granule,
                        uint32_t *places, uintptr_t &low) {
  uint32_t lanes = 0;
  low = 0;
  for (uint32_t left = given.lanes; left; left &= left - 1) {
    const auto lane = unsigned(std::countr_zero(left));
    const uintptr_t offset = given.addresses[lane] - first;
    if (offset >= ShadowPage::bytes)
      continue;
    lanes |= 1u << lane;
    low |= offset;
    places[lane] = uint32_t(offset / granule);
  }
  return lanes;
}

uint32_t leave_atomics_by_any(const SixteenAddresses &given, std::span<const AtomicsOnPage> pages,
                              unsigned granule, uint32_t horizon, uint32_t item) {
  uint32_t done = 0;
  for (const AtomicsOnPage &page : pages)
    for (uint32_t left = given.lanes; left; left &= left - 1) {
      const auto lane = unsigned(std::countr_zero(left));
      const uintptr_t offset = given.addresses[lane] - page.first;
      if (offset >= ShadowPage::bytes || offset & (granule - 1))
        continue;
      uint32_t &since = page.sinces[offset / granule];
      if (const uint32_t context = RecordWord::context(since);
          context != RecordWord::context(page.word) && page.epochs[context] >= horizon)
        continue;
      leave_atomic(since, page.word + item + lane);
      done |= 1u << lane;
    }
  return done;
}

#if !defined(__x86_64__)
constexpr auto leave_atomics_by_sixteen = leave_atomics_by_any;
constexpr auto are_row_by_sixteen = are_row_by_any;
constexpr auto on_page_by_sixteen = on_page_by_any;
#endif

} // namespace

static bool by_sixteen = has_sixteen();

void check_lane_by_lane() {
  by_sixteen = false;
}

bool SixteenAddresses::are_row(uint64_t size) const {
  return by_sixteen ? are_row_by_sixteen(*this, size) : are_row_by_any(*this, size);
}

uint32_t SixteenAddresses::on_page(uintptr_t first, unsigned granule, uint32_t *places,
                                   uintptr_t &low) const {
  return by_sixteen ? on_page_by_sixteen(*this, first, granule, places, low)
                    : on_page_by_any(*this, first, granule, places, low);
}

uint32_t SixteenAddresses::leave_atomics(std::span<const AtomicsOnPage> pages, unsigned granule,
                                         uint32_t horizon, uint32_t item) const {
  return by_sixteen ? leave_atomics_by_sixteen(*this, pages, granule, horizon, item)
                    : leave_atomics_by_any(*this, pages, granule, horizon, item);
}

uint64_t pass_words(const QuickCheck &check, const GranuleWords &words, uint64_t which,
                    uint32_t word, uint32_t step, unsigned shared) {
  return by_sixteen ? pass_words_by_sixteen(check, words, which, word, step, shared)
                    : pass_words_by_any(check, words, which, word, step, shared);
}

uint32_t pass_places(const QuickCheck &check, const GranuleWords &words, uint32_t which,
                     const uint32_t *places, uint32_t word) {
  return by_sixteen ? pass_places_by_sixteen(check, words, which, places, word)
                    : pass_places_by_any(check, words, which, places, word);
}

} // namespace lockstep::runtime

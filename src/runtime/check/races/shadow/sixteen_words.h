// Sixteen words as one value with the operators of one word, so that quick_check.h has one source
// for one cell and for sixteen. It needs no instructions of its own: a function for AVX-512 that
// inlines these uses AVX-512.
#pragma once

#include <cstdint>

namespace lockstep::runtime {

// Lanes for which a comparison of Sixteen is true.
struct SixteenMask {
  using Vector = int32_t __attribute__((ext_vector_type(16)));
  using Bits = bool __attribute__((ext_vector_type(16)));
  Vector lanes{}; // 0 or -1

  static SixteenMask of(uint16_t bits) {
    return {__builtin_convertvector(__builtin_bit_cast(Bits, bits), Vector) != 0};
  }
  uint16_t bits() const {
    return __builtin_bit_cast(uint16_t, __builtin_convertvector(lanes, Bits));
  }
  SixteenMask operator!() const { return {~lanes}; }
  SixteenMask operator&(const SixteenMask &other) const { return {lanes & other.lanes}; }
  SixteenMask operator|(const SixteenMask &other) const { return {lanes | other.lanes}; }
};

// Whether it is true for a lane. Masks do not convert to bool: the opposite of !mask is "for all".
inline bool any(bool mask) {
  return mask;
}
inline bool any(const SixteenMask &mask) {
  return mask.bits() != 0;
}

struct Sixteen {
  using Vector = uint32_t __attribute__((ext_vector_type(16)));
  Vector words{};

  Sixteen() = default;
  Sixteen(const Vector &words) : words(words) {}
  Sixteen(uint32_t word) : words(word) {} // NOLINT: a word for all lanes

#define LOCKSTEP_OF_EACH(result, op)                                                               \
  friend result operator op(const Sixteen &one, const Sixteen &other) {                            \
    return {one.words op other.words};                                                             \
  }
  LOCKSTEP_OF_EACH(Sixteen, +)
  LOCKSTEP_OF_EACH(Sixteen, -)
  LOCKSTEP_OF_EACH(Sixteen, &)
  LOCKSTEP_OF_EACH(Sixteen, |)
  LOCKSTEP_OF_EACH(Sixteen, ^)
  LOCKSTEP_OF_EACH(Sixteen, >>)
  LOCKSTEP_OF_EACH(SixteenMask, <)
  LOCKSTEP_OF_EACH(SixteenMask, >=)
  LOCKSTEP_OF_EACH(SixteenMask, ==)
  LOCKSTEP_OF_EACH(SixteenMask, !=)
#undef LOCKSTEP_OF_EACH
};

inline uint32_t select(bool which, uint32_t one, uint32_t other) {
  return which ? one : other;
}
inline Sixteen select(const SixteenMask &which, const Sixteen &one, const Sixteen &other) {
  return {which.lanes ? one.words : other.words};
}
inline uint32_t first_word(uint32_t word) {
  return word;
}
inline uint32_t first_word(const Sixteen &sixteen) {
  return sixteen.words[0];
}

} // namespace lockstep::runtime

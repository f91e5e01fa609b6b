// Numbers below the smallest normal one, while kernels run.
//
// An instruction that makes or reads a subnormal number ends in microcode on most processors; prices of options, whose
// distributions have tails, took twice as long for them. A program that was built with -cl-denorms-are-zero (or -cl-fast-relaxed-math) does not need them: its kernels
// run with flush-to-zero and denormals-are-zero. The mode belongs to the thread, which runs other programs' kernels next, and
// may be the host's own; so it is set for each slice of a launch, outside of catch_faults, and set back however the slice ends.
//
// Half is not concerned: neither its arithmetic nor its conversions heed the mode.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace lockstep::runtime {

// What run() returns.
template <class Run> auto with_subnormals(bool are_wanted, Run run) {
#if defined(__x86_64__)
  if (!are_wanted) {
    constexpr unsigned flush_to_zero = 0x8000, denormals_are_zero = 0x40;
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | flush_to_zero | denormals_are_zero);
    auto result = run();
    _mm_setcsr(before);
    return result;
  }
#endif
  return run();
}

} // namespace lockstep::runtime

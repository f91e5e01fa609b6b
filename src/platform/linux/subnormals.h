// Sets the CPU's mode for subnormal numbers while kernels run.
//
// On most processors an instruction with a subnormal operand or result needs microcode; option
// pricing, whose distributions have tails, took twice as long because of it. A program that was
// built with -cl-denorms-are-zero (or -cl-fast-relaxed-math) does not need subnormals. Its kernels
// run with flush-to-zero and denormals-are-zero.
//
// The mode belongs to the thread, which may be the host's own and which runs other programs'
// kernels next. It is therefore set for each slice of a launch, outside catch_faults, and reset
// however the slice ends. Half precision is not affected: neither its arithmetic nor its
// conversions use the mode.
#pragma once

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <cstdint>
#endif

namespace lockstep::runtime {

// Returns the result of run().
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
#elif defined(__aarch64__)
  if (!are_wanted) {
    constexpr uint64_t flush_to_zero = uint64_t{1} << 24; // of FPCR: operands and results
    uint64_t before;
    asm volatile("mrs %0, fpcr" : "=r"(before));
    asm volatile("msr fpcr, %0" : : "r"(before | flush_to_zero) : "memory");
    auto result = run();
    asm volatile("msr fpcr, %0" : : "r"(before) : "memory");
    return result;
  }
#endif
  return run();
}

} // namespace lockstep::runtime

// What the kernel reports about AArch64 processors. LLVM reads /proc/cpuinfo, which an emulator or a
// container may not provide.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::runtime {

// LLVM's names of the instruction sets that this processor has and the kernel lets programs use.
// Empty on other architectures.
std::vector<const char *> reported_features();

// The length of SVE's registers in bits, for the calling thread. 0: there is no SVE.
uint32_t scalable_vector_bits();

} // namespace lockstep::runtime

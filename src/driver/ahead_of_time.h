// Machine code that is made before the program starts: `lockstep compile --processors` writes it
// into a program binary, and `lockstep++ --aot` into an executable (docs/guide/ahead-of-time.md).
//
// Requires: the default CodeOptions besides the target. Code for checks or for a debugger is always
// made by the process that runs it.
//
// Ensures: only the same build of Lockstep loads the code, on a processor that has all of its
// instructions. Without fitting code, launches compile the kernel.
#pragma once

#include "kernel_ir/kernel_module.h"
#include "support/result.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep::compiler {

struct AheadOfTimeRequest {
  // LLVM's names of processors of this machine's architecture, or "native". Not empty.
  std::vector<std::string> processors;
  // Besides the code for any local size. Empty: usual_local_sizes. A kernel that requires a local
  // size gets code for this size only.
  std::vector<std::array<uint32_t, 3>> local_sizes;
};
inline constexpr std::array<uint32_t, 3> usual_local_sizes[] = {
    {64, 1, 1}, {256, 1, 1}, {16, 16, 1}};

// Compiles all kernels of a program, and returns KernelModule::machine_code. `notes` receives a
// line for each kernel that gets no code, with the reason. ErrorKind::invalid_argument: LLVM does
// not know a processor, or the options of the process are not the default.
Result<std::string> compile_ahead_of_time(const KernelModule &program,
                                          const AheadOfTimeRequest &request,
                                          std::vector<std::string> &notes);

// LOCKSTEP_AOT: what a process does with such code.
//   - `ignore` (0): it compiles kernels.
//   - `use` (1, the default).
//   - `only`: a launch for which there is no code fails.
enum class AheadOfTimeUse { ignore, use, only };
AheadOfTimeUse ahead_of_time_use();

} // namespace lockstep::compiler

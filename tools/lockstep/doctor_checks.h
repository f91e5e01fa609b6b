// The checks of `lockstep doctor`. Each one tests one condition and says what to do about it.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

enum class Verdict { ok, note, warning, problem };

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string topic;
  std::string text;
  std::string advice; // what to do; may be empty
};

using Findings = std::vector<Finding>;

Findings check_loader();      // libOpenCL.so.1, and the .icd file that names Lockstep
Findings check_platform();    // the loader lists Lockstep; the versions match
Findings check_compiler();    // LLVM, libclc, the processor
Findings check_sycl();        // lockstep++, and what it needs
Findings check_devices();     // devices other than the CPU
Findings check_cache();       // is writable, or the reason why not
Findings check_environment(); // LOCKSTEP_ variables that are not read
Findings check_a_kernel();    // compiles and runs a kernel in its own process

} // namespace lockstep::cli

// The questions of `lockstep doctor`. Each finds one thing out and says what to do about it.
#pragma once

#include <string>
#include <vector>

namespace lockstep::cli {

enum class Verdict { ok, note, warning, problem };

struct Finding {
  Verdict verdict = Verdict::ok;
  std::string topic;
  std::string text;
  std::string advice; // what to do; empty if nothing
};

using Findings = std::vector<Finding>;

Findings check_loader();      // libOpenCL.so.1, and the .icd file that leads to Lockstep
Findings check_platform();    // the loader lists Lockstep; versions fit
Findings check_compiler();    // LLVM, libclc, the processor
Findings check_cache();       // can be written, or why not
Findings check_environment(); // LOCKSTEP_ variables that nothing reads
Findings check_a_kernel();    // compiles and runs one in a process of its own

} // namespace lockstep::cli

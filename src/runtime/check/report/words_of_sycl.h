// Wording of reports for SYCL programs: names of barriers, orders and scopes are those of SYCL.
// runtime/device/launch_names.h names kernels and memory.
#pragma once

#include <string>

namespace lockstep::runtime {

// Replaces OpenCL's words in a sentence: "memory_scope_device would do" becomes
// "memory_scope::device would do".
std::string in_words_of_sycl(std::string text);

} // namespace lockstep::runtime

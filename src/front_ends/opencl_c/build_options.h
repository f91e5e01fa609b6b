// Parses the options of clBuildProgram, clCompileProgram and clLinkProgram (OpenCL 3.0 API sections
// 5.8.6 and 5.8.7).
#pragma once

#include "support/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::compiler {

struct CompileOptions {
  std::vector<std::string> definitions;         // "NAME" or "NAME=text", in the order given
  std::vector<std::string> include_directories; // in the order given
  std::vector<std::string> clang_flags;         // options that clang knows by the same name
  unsigned language_version = 120;              // OpenCL C, as in __OPENCL_C_VERSION__
  unsigned cxx_version = 0; // C++ for OpenCL instead, as in __OPENCL_CPP_VERSION__; 0: no
  bool kernel_arg_info = false;
  bool no_warnings = false;
  bool warnings_are_errors = false;
  bool debug_info = false;
  bool optimize = true;
  bool strict_aliasing = false;
  bool denorms_are_zero = false;
  // Debug information embeds the source, for the checker's reports; not a program option.
  bool keeps_source = false;
  // What the device lacks (front_ends.h); not a program option.
  std::vector<std::string_view> absent_features;
};

struct LinkOptions {
  bool create_library = false;
  bool enable_link_options = false;
  bool denorms_are_zero = false;
  bool no_signed_zeros = false;
  bool unsafe_math = false;
  bool finite_math_only = false;
};

// What the options of clBuildProgram and clCompileProgram change in a program that was created from
// an intermediate language. The options of the preprocessor, of the language version and of warnings
// have no effect there.
struct IlOptions {
  LinkOptions maths; // they act as at linking
  bool optimize = true;
  bool debug_info = false;
  bool uniform_work_group_size = false;
};

// ErrorKind::invalid_argument: an unknown or malformed option; the message names it.
// ErrorKind::build_failure: a known option that this device does not support (a language version).
Result<CompileOptions> parse_compile_options(std::string_view options);
Result<LinkOptions> parse_link_options(std::string_view options);
Result<IlOptions> parse_il_options(std::string_view options);

// Splits at white space as a POSIX shell does: 'text', "text with \" and \\", \c outside of quotes.
Result<std::vector<std::string>> split_options(std::string_view options);

} // namespace lockstep::compiler

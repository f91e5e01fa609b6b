// The options of `lockstep run`, parsed and validated as far as possible without the kernel.
#pragma once

#include "tools/lockstep/argument.h"

#include <array>

namespace lockstep::cli {

struct Sizes {
  uint32_t dimensions = 0; // 0: not given
  std::array<size_t, 3> values{};
};

struct PrintRequest {
  std::string argument; // index or name
  std::optional<size_t> count;
};

struct RunRequest {
  std::string file;
  std::string kernel;
  std::string build_options;
  std::string platform = "Lockstep";
  std::string device = "0";
  Sizes global, local, offset;
  std::vector<Argument> arguments;
  std::vector<PrintRequest> prints;
  std::vector<Expectation> expectations;
  std::vector<std::pair<std::string, std::string>> saves; // argument, path
  size_t repeat = 1;
};

} // namespace lockstep::cli

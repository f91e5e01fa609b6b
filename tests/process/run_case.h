// Starts this program again, to do one thing that ends it, and looks how it has ended.
#pragma once

#include <string>
#include <vector>

namespace lockstep::test {

struct Ended {
  bool hung = false;  // it was ended by SIGKILL after the time limit
  int exit_code = -1; // -1: by a signal
  int signal = 0;
  std::string output; // stdout and stderr
};

// `environment`: "NAME=value", on top of this process's own.
Ended run_case(const std::string &name, const std::vector<std::string> &environment = {},
               double seconds = 60);

int count_of(const std::string &text, const std::string &part);

} // namespace lockstep::test

// Starts this program again to run one case that ends the process, and reports how it ended.
#pragma once

#include <string>
#include <vector>

namespace lockstep::test {

struct Ended {
  bool hung = false;  // SIGKILL ended it after the time limit
  int exit_code = -1; // -1: a signal ended it
  int signal = 0;
  std::string output; // from stdout and stderr
};

// `environment`: entries "NAME=value", added to this process's environment.
Ended run_case(const std::string &name, const std::vector<std::string> &environment = {},
               double seconds = 60);

int count_of(const std::string &text, const std::string &part);

} // namespace lockstep::test

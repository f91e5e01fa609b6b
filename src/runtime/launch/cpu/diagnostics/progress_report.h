// Reports what this process runs: launches whose groups may wait, with the state of each group, and
// the other commands that workers run. Used by `lockstep top`, SIGQUIT, and the warning about a
// launch without progress.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::runtime {

class ResumableRun;

// A command that is not resumable and that a worker runs.
struct RunningOperation {
  unsigned worker = 0;
  std::string name; // name of the kernel; empty: not a kernel
  uint64_t parts = 0, handed_out = 0;
  uint64_t nanoseconds = 0; // running time so far, a lower bound
};

struct LaunchProgress {
  std::string text; // some lines
  std::string json;
};

// Must not be called by a worker. Empty if the launch has ended.
LaunchProgress describe(ResumableRun &run);
// workers that run one command
LaunchProgress describe(const std::vector<RunningOperation> &operation);

std::string all_as_text(const std::vector<LaunchProgress> &launches);
std::string all_as_json(const std::vector<LaunchProgress> &launches);

} // namespace lockstep::runtime

// What this process does at the moment: launches whose groups may wait, with what each group does,
// and the other commands that workers have in their hands. For `lockstep top`, SIGQUIT, and the line
// about a launch that does not get on.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::runtime {

class ResumableRun;

// A command that is not resumable, as a worker runs it.
struct RunningOperation {
  unsigned worker = 0;
  std::string name; // of the kernel; empty: no kernel
  uint64_t parts = 0, handed_out = 0;
  uint64_t nanoseconds = 0; // it runs for at least so long
};

struct LaunchProgress {
  std::string text; // some lines
  std::string json;
};

// By a thread that is no worker. Nothing if the launch is over.
LaunchProgress describe(ResumableRun &run);
LaunchProgress describe(const std::vector<RunningOperation> &operation); // of one command

std::string all_as_text(const std::vector<LaunchProgress> &launches);
std::string all_as_json(const std::vector<LaunchProgress> &launches);

} // namespace lockstep::runtime

// Runs this program again as a child process, and notices if it hangs.
//
// A child that compiles for minutes is slow, and no failure of the platform. So the child reports
// when its kernel has been launched, by the line `runs`. From then on a hang is a child that uses
// much processor time (it spins) or none (it waits). Before, only the second is a hang. Wall time
// says nothing on a busy machine, where a child may wait for a processor.
#pragma once

#include "compare.h"

#include <functional>
#include <string>
#include <vector>

namespace lockstep::fuzz {

// In seconds, from one line that begins with '@' to the next one.
struct TimeLimits {
  double run = 60;    // processor time of a running kernel, or time in which no thread is runnable
  double build = 600; // processor time without a running kernel
};

// `line` receives each line of the child's output except `runs`, and returns false to end the
// child. Returns how the child ended: its exit code as a verdict, crash, hang, or slow if it
// reached the limit of a build.
Verdict run_child(const std::vector<std::string> &arguments, const TimeLimits &limits,
                  const std::function<bool(const std::string &)> &line, std::string *how = nullptr);

} // namespace lockstep::fuzz

// What a report says about the launch: its number in the process, its sizes, and the place in the
// program that has enqueued it.
//
// Requires: add() is called when the launch is prepared, by the thread that enqueues it, and
// remove() before its LaunchInfo ends.
//
// A table beside the launches, because only reports need it and LaunchInfo is read by compiled
// code.
#pragma once

#include "abi/launch_abi.h"
#include "runtime/check/report/call_site.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace lockstep::compiler {
struct KernelInfo;
}

namespace lockstep::runtime {

class LaunchOrigins {
public:
  static LaunchOrigins &instance();
  void add(const compiler::LaunchInfo &launch);
  void remove(const compiler::LaunchInfo &launch);
  // "launch 2: 4096 work-items in groups of 256, enqueued by 'main'"
  std::string text_of(const compiler::KernelInfo &kernel, const compiler::LaunchInfo &launch);

private:
  struct Origin {
    uint64_t number = 0;
    CallSite site;
  };
  std::mutex mutex_;
  uint64_t launches_ = 0;
  std::map<const compiler::LaunchInfo *, Origin> origins_;
};

} // namespace lockstep::runtime

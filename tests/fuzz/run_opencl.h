// Runs a program on an OpenCL platform, which it finds by name through the ordinary loader.
#pragma once

#include "generate.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lockstep::fuzz {

struct DeviceOutcome {
  std::vector<std::vector<uint8_t>> memory; // as in interpret.h
  std::vector<std::string> lines;           // printed by the kernel
  std::string problem;                      // the failed call, with its error code and build log
};

// The kernel's by-value arguments in order, after those in memory. Each is separate, or all are in
// one structure: members at multiples of their size, the end at a multiple of the largest.
std::vector<std::vector<uint8_t>> argument_list(const Program &program);

class OpenClDevice {
public:
  // Throws std::runtime_error if there is no such platform.
  explicit OpenClDevice(const std::string &platform_name);
  ~OpenClDevice();

  const Capabilities &capabilities() const;
  const std::string &name() const;
  // Calls `launched` when the kernel has been built and launched, while it may run.
  DeviceOutcome run(const Program &program, const std::string &source,
                    const std::function<void()> &launched);

private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

} // namespace lockstep::fuzz

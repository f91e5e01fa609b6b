// Runs a program on an OpenCL platform, found by name through the ordinary loader.
#pragma once

#include "generate.h"

#include <memory>
#include <string>
#include <vector>

namespace lockstep::fuzz {

struct DeviceOutcome {
  std::vector<std::vector<uint8_t>> memory; // as interpret.h
  std::vector<std::string> lines;           // printed
  std::string problem; // a call that failed, with its name, error code and build log
};

// The kernel's arguments by value, in order, after those in memory.
// Each by itself, or all in one structure: members at multiples of their size, the end at one of
// the largest.
std::vector<std::vector<uint8_t>> argument_list(const Program &program);

class OpenClDevice {
public:
  // Throws std::runtime_error if there is no such platform.
  explicit OpenClDevice(const std::string &platform_name);
  ~OpenClDevice();

  const Capabilities &capabilities() const;
  const std::string &name() const;
  DeviceOutcome run(const Program &program, const std::string &source);

private:
  struct Handles;
  std::unique_ptr<Handles> handles_;
};

} // namespace lockstep::fuzz

// What was found of devices other than the CPU, for `lockstep doctor`.
#pragma once

#include <string>
#include <vector>

namespace lockstep::runtime {

struct DeviceReport {
  enum class State { absent, usable, obstructed };
  State state = State::absent;
  std::string topic; // "NVIDIA"
  std::string text;
};

// Loads the driver of each kind of device, as a program does that queries the devices.
std::vector<DeviceReport> report_other_devices();

} // namespace lockstep::runtime

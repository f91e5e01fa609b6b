// The list of root devices of a library whose only device is an NVIDIA card on the fake driver.
// With LOCKSTEP_NVIDIA=1, the CPU comes before it. It replaces root_devices.cpp.
#include "runtime/device/device.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "support/environment.h"
#include "tests/nvidia/fake_device.h"

namespace lockstep::runtime {

const Device::Devices &root_devices() {
  static const auto &devices =
      *(environment("NVIDIA") == "1" ? new Device::Devices{CpuDevice::root(), test::fake_device()}
                                     : new Device::Devices{test::fake_device()});
  return devices;
}

const std::shared_ptr<Device> &first_root_device() {
  static const auto &first = *new std::shared_ptr<Device>(
      environment("NVIDIA") == "1" ? CpuDevice::root() : root_devices().front());
  return first;
}

bool may_list_cards() {
  return true;
}

bool has_driver_of_cards() {
  return true;
}

} // namespace lockstep::runtime

// The list of root devices of a library whose only device is an NVIDIA card on the fake driver.
// It replaces root_devices.cpp.
#include "runtime/device/device.h"
#include "tests/nvidia/fake_device.h"

namespace lockstep::runtime {

const Device::Devices &root_devices() {
  static const auto &devices = *new Device::Devices{test::fake_device()};
  return devices;
}

} // namespace lockstep::runtime

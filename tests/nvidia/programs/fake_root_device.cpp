// The list of root devices of a library whose only device is an NVIDIA card on the fake driver.
// With LOCKSTEP_NVIDIA=1, the CPU comes before it, and with FAKE_CUDA_DEVICES=2 there are two cards.
// It replaces root_devices.cpp.
#include "runtime/device/device.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "support/environment.h"
#include "tests/nvidia/fake_device.h"

#include <cstdlib>
#include <string>

namespace lockstep::runtime {

const Device::Devices &root_devices() {
  static const auto &devices = *[] {
    auto *all = new Device::Devices{test::fake_device()};
    if (environment("NVIDIA") == "1")
      all->insert(all->begin(), CpuDevice::root());
    if (const char *cards = std::getenv("FAKE_CUDA_DEVICES"); cards && cards == std::string("2"))
      all->push_back(test::second_fake_device());
    return all;
  }();
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

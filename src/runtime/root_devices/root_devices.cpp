// Defines the list of root devices. Only this folder names the concrete devices.
#include "platform/linux/leaked.h"
#include "runtime/device/device.h"
#include "runtime/launch/cpu/kernel/cpu_device.h"
#include "runtime/observers/observer.h"
#include "runtime/root_devices/nvidia_devices.h"
#include "runtime/trace/trace.h"
#include "support/environment.h"

namespace lockstep::runtime {

const Device::Devices &root_devices() {
  // A forked child keeps the devices of its parent, but starts its own trace and check.
  leaked<AfterFork::make_again>([] {
    start_trace_if_wanted();
    start_checker(CpuDevice::root()->memory());
    return true;
  });
  return leaked([] {
    Device::Devices devices = nvidia_devices(CpuDevice::root());
    // Tests on a card set "first", as they take the first device.
    const bool is_last = environment("NVIDIA") == "first";
    devices.insert(is_last ? devices.end() : devices.begin(), CpuDevice::root());
    return devices;
  });
}

} // namespace lockstep::runtime

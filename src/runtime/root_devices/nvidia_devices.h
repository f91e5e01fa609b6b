// The NVIDIA cards of this process as devices.
#pragma once

#include "runtime/device/device.h"

#include <memory>

namespace lockstep::runtime {

// Loads NVIDIA's driver. `host` runs commands that are not kernels.
Device::Devices nvidia_devices(const std::shared_ptr<Device> &host);

} // namespace lockstep::runtime

// Device variables of the program (sycl_ext_oneapi_device_global). A device that works on the host's
// memory uses the host object. A device with memory of its own has an instance there, which starts
// with the initial contents of the host object.
#pragma once

#include "runtime/device/device.h"
#include "runtime/memory/access.h"

#include <cstddef>
#include <string>

namespace lockstep::sycl_api {

struct DeviceVariable {
  std::string name; // in the device module
  std::byte *host;  // the contents of the host object
  std::size_t bytes;
};

// Called before kernels or copies can change the host object: keeps its initial contents, if a
// device has an instance of its own.
void keep_initial_contents(const DeviceVariable &variable);

// Throws errc::runtime if the device has no memory left.
const std::byte *address_on(const runtime::Device &device, const DeviceVariable &variable);

// The range, or the bytes of the device's instance if the range is in a device variable.
runtime::MemoryView view_on(const runtime::Device &device, const void *address, std::size_t bytes);

// The variable's image is unloaded.
void forget(const DeviceVariable &variable);

} // namespace lockstep::sycl_api

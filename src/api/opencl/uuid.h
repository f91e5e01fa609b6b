// Stable identifiers (cl_khr_device_uuid, sycl_ext_intel_device_info).
#pragma once

#include "runtime/device/device.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lockstep::opencl {

using Uuid = std::array<unsigned char, 16>;

// Hashes the text by FNV-1a in two lanes. Equal texts give equal identifiers on all machines.
inline Uuid uuid_of(std::string_view text) {
  Uuid uuid{};
  for (uint64_t lane = 0; lane < 2; ++lane) {
    uint64_t hash = 0xcbf29ce484222325ull ^ (lane * 0x9e3779b97f4a7c15ull);
    for (unsigned char c : text)
      hash = (hash ^ c) * 0x100000001b3ull;
    std::memcpy(uuid.data() + lane * 8, &hash, 8);
  }
  return uuid;
}

inline Uuid uuid_of_device(const runtime::DeviceDescription &device) {
  // Two cards of one name are two devices.
  return device.uuid ? *device.uuid : uuid_of("Lockstep device " + device.name);
}

} // namespace lockstep::opencl

// device_features.def as arrays, for the compiler's front end and for the device queries of the
// API.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace lockstep::compiler {

struct NameVersion {
  std::string_view name;
  uint32_t major = 0, minor = 0, patch = 0;
};

inline constexpr auto opencl_c_versions = std::to_array<NameVersion>({
#define OPENCL_C_VERSION(major, minor) {"OpenCL C", major, minor, 0},
#include "front_ends/common/device_features.def"
});

inline constexpr auto opencl_c_features = std::to_array<NameVersion>({
#define OPENCL_C_FEATURE(name, major, minor) {#name, major, minor, 0},
#include "front_ends/common/device_features.def"
});

// Extensions that define a macro in kernels.
inline constexpr auto language_extensions = std::to_array<NameVersion>({
#define LANGUAGE_EXTENSION(name, major, minor, patch) {#name, major, minor, patch},
#include "front_ends/common/device_features.def"
});

// Language extensions first, then those of the host API: the order of CL_DEVICE_EXTENSIONS.
inline constexpr auto device_extensions = std::to_array<NameVersion>({
#define LANGUAGE_EXTENSION(name, major, minor, patch) {#name, major, minor, patch},
#include "front_ends/common/device_features.def"
#define API_EXTENSION(name, major, minor, patch) {#name, major, minor, patch},
#include "front_ends/common/device_features.def"
});

// ---- SPIR-V ----

inline constexpr auto spirv_versions = std::to_array<NameVersion>({
#define SPIRV_VERSION(major, minor) {"SPIR-V", major, minor, 0},
#include "front_ends/common/device_features.def"
});

struct SpirvCapability {
  std::string_view name;
  uint32_t number = 0;
};

inline constexpr auto spirv_capabilities = std::to_array<SpirvCapability>({
#define SPIRV_CAPABILITY(name, number) {#name, number},
#include "front_ends/common/device_features.def"
});

inline constexpr auto spirv_extensions = std::to_array<const char *>({
#define SPIRV_EXTENSION(name) #name,
#include "front_ends/common/device_features.def"
});

inline constexpr auto spirv_instruction_sets = std::to_array<const char *>({
#define SPIRV_INSTRUCTION_SET(name) #name,
#include "front_ends/common/device_features.def"
});

} // namespace lockstep::compiler

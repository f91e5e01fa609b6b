// The device library's part for NVIDIA GPUs, compiled for nvptx64 by the build.
#pragma once

#include <string_view>

namespace lockstep::compiler {

// The functions of primitives (primitives.c).
std::string_view nvidia_primitives_bitcode();

} // namespace lockstep::compiler

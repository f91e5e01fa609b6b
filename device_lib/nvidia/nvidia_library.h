// The device library's part for NVIDIA GPUs.
#pragma once

#include <string_view>

namespace lockstep::compiler {

// The functions of primitives (primitives.c), for nvptx64.
std::string_view nvidia_primitives_bitcode();

// The scheduler of work-groups that may wait for each other (persistent_groups.c), for nvptx64.
std::string_view nvidia_persistent_groups_bitcode();

// Functions of maths (maths.cl), as kernel IR.
std::string_view nvidia_maths_bitcode();

// Operations of groups that are parts of sub-groups (parts_of_sub_groups.cl), as kernel IR.
std::string_view nvidia_parts_of_sub_groups_bitcode();

} // namespace lockstep::compiler

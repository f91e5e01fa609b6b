#include "device_lib/nvidia/nvidia_library.h"

extern "C" const char lockstep_nvidia_primitives_begin[], lockstep_nvidia_primitives_end[];
extern "C" const char lockstep_nvidia_persistent_groups_begin[],
    lockstep_nvidia_persistent_groups_end[];
extern "C" const char lockstep_nvidia_maths_begin[], lockstep_nvidia_maths_end[];
extern "C" const char lockstep_nvidia_parts_of_sub_groups_begin[],
    lockstep_nvidia_parts_of_sub_groups_end[];

namespace lockstep::compiler {

std::string_view nvidia_primitives_bitcode() {
  return {lockstep_nvidia_primitives_begin,
          static_cast<size_t>(lockstep_nvidia_primitives_end - lockstep_nvidia_primitives_begin)};
}

std::string_view nvidia_persistent_groups_bitcode() {
  return {lockstep_nvidia_persistent_groups_begin,
          static_cast<size_t>(lockstep_nvidia_persistent_groups_end -
                              lockstep_nvidia_persistent_groups_begin)};
}

std::string_view nvidia_maths_bitcode() {
  return {lockstep_nvidia_maths_begin,
          static_cast<size_t>(lockstep_nvidia_maths_end - lockstep_nvidia_maths_begin)};
}

std::string_view nvidia_parts_of_sub_groups_bitcode() {
  return {lockstep_nvidia_parts_of_sub_groups_begin,
          static_cast<size_t>(lockstep_nvidia_parts_of_sub_groups_end -
                              lockstep_nvidia_parts_of_sub_groups_begin)};
}

} // namespace lockstep::compiler

#include "device_lib/device_library.h"

#include <algorithm>
#include <vector>

extern "C" const char lockstep_device_library_begin[], lockstep_device_library_end[];
extern "C" const char lockstep_image_access_begin[], lockstep_image_access_end[];
extern "C" const char lockstep_builtin_names_begin[], lockstep_builtin_names_end[];

namespace lockstep::compiler {
namespace {

// The embedded text has one name a line, sorted by the build.
std::vector<std::string_view> read_names() {
  std::string_view text(lockstep_builtin_names_begin,
                        lockstep_builtin_names_end - lockstep_builtin_names_begin);
  std::vector<std::string_view> names;
  while (!text.empty()) {
    size_t end = text.find('\n');
    names.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end == text.npos ? text.size() : end + 1, text.size()));
  }
  return names;
}

} // namespace

std::string_view device_library_bitcode() {
  return {lockstep_device_library_begin,
          static_cast<size_t>(lockstep_device_library_end - lockstep_device_library_begin)};
}

std::string_view image_access_bitcode() {
  return {lockstep_image_access_begin,
          static_cast<size_t>(lockstep_image_access_end - lockstep_image_access_begin)};
}

bool is_builtin_function(std::string_view mangled_name) {
  static const std::vector<std::string_view> names = read_names();
  return std::ranges::binary_search(names, mangled_name);
}

} // namespace lockstep::compiler

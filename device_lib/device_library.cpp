#include "device_lib/device_library.h"

#include "platform/linux/leaked.h"

#include <algorithm>
#include <charconv>
#include <vector>

#define PART(source)                                                                               \
  extern "C" const char lockstep_part_##source##_begin[], lockstep_part_##source##_end[];
#include "device_library_parts.inc"
#undef PART
extern "C" const char lockstep_image_access_begin[], lockstep_image_access_end[];
extern "C" const char lockstep_gpu_image_access_begin[], lockstep_gpu_image_access_end[];
extern "C" const char lockstep_builtin_names_begin[], lockstep_builtin_names_end[];

namespace lockstep::compiler {
namespace {

std::string_view between(const char *begin, const char *end) {
  return {begin, static_cast<size_t>(end - begin)};
}

struct Builtin {
  std::string_view name;
  const DeviceLibraryPart *part = nullptr; // null: defined by libclc
};

const DeviceLibraryPart *numbered_part(std::string_view number) {
#define PART(source)                                                                               \
  {#source, between(lockstep_part_##source##_begin, lockstep_part_##source##_end)},
  const auto &parts = leaked([] {
    return std::vector<DeviceLibraryPart>{
#include "device_library_parts.inc"
    };
  });
#undef PART
  size_t index = 0;
  std::from_chars(number.data(), number.data() + number.size(), index);
  return &parts[index];
}

// The embedded text has one name per line, sorted by the build. The number of a part follows the
// name if the device library defines it.
std::vector<Builtin> read_builtins() {
  std::string_view text = between(lockstep_builtin_names_begin, lockstep_builtin_names_end);
  std::vector<Builtin> builtins;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const size_t blank = line.find(' ');
    builtins.push_back({line.substr(0, blank),
                        blank == line.npos ? nullptr : numbered_part(line.substr(blank + 1))});
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return builtins;
}

const Builtin *find_builtin(std::string_view name) {
  const std::vector<Builtin> &builtins = leaked([] { return read_builtins(); });
  const auto place = std::ranges::lower_bound(builtins, name, {}, &Builtin::name);
  return place != builtins.end() && place->name == name ? &*place : nullptr;
}

} // namespace

const DeviceLibraryPart *device_library_part(std::string_view mangled_name) {
  const Builtin *builtin = find_builtin(mangled_name);
  return builtin ? builtin->part : nullptr;
}

std::string_view image_access_bitcode() {
  return between(lockstep_image_access_begin, lockstep_image_access_end);
}

std::string_view gpu_image_access_bitcode() {
  return between(lockstep_gpu_image_access_begin, lockstep_gpu_image_access_end);
}

bool is_builtin_function(std::string_view mangled_name) {
  return find_builtin(mangled_name) != nullptr;
}

} // namespace lockstep::compiler

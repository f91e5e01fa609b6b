#include "runtime/check/host/accessing_code.h"

#include "platform/linux/leaked.h"
#include "symbolizer/host_code_location.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <dlfcn.h>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace lockstep::runtime {

namespace {

const void *module_of(const void *code, std::string *file = nullptr) {
  Dl_info module{};
  if (dladdr(code, &module) == 0)
    return nullptr;
  if (file)
    *file = module.dli_fname;
  return module.dli_fbase;
}

std::string text_of(const void *code) {
  std::string file;
  const void *begin = module_of(code, &file);
  return fmt::format("code at {:#x}{}{}",
                     reinterpret_cast<uintptr_t>(code) - reinterpret_cast<uintptr_t>(begin),
                     file.empty() ? "" : " of ", file);
}

// The first place in the program that has a line, which excludes the C library's memcpy. Otherwise
// the function's name or its address.
FindingLocation place_of(const char *what, const compiler::StackCopy &stack) {
  FindingLocation place;
  place.what = what;
  const void *const c_library =
      leaked([] { return std::array{module_of(reinterpret_cast<const void *>(&std::memcpy))}; })[0];
  constexpr std::size_t most_frames = 32;
  const std::vector<const void *> frames = compiler::walk(stack, most_frames);
  for (const void *frame : frames) {
    // The address of a caller is after its call instruction.
    const void *here = static_cast<const std::byte *>(frame) - (frame != frames.front());
    const auto found = compiler::location_of_host_code(here);
    if (place.who.empty() && module_of(here) != c_library)
      place.who = found.function.empty() ? text_of(here) : found.function;
    if (found.line == 0)
      continue;
    place.file = found.file;
    place.line = found.line;
    place.column = found.column;
    place.who = found.function;
    return place;
  }
  if (place.who.empty())
    place.who = text_of(frames.front());
  return place;
}

} // namespace

std::optional<FindingLocation> first_access(const char *what, const compiler::StackCopy &stack,
                                            const char *kind) {
  const uint64_t kind_key = std::hash<std::string>()(kind);
  if (!Findings::instance().is_first("code of the host", stack.pc, kind_key))
    return std::nullopt;
  FindingLocation place = place_of(what, stack);
  if (!Findings::instance().is_first(
          "host",
          std::hash<std::string>()(fmt::format("{}:{}:{}", place.file, place.line, place.who)),
          kind_key))
    return std::nullopt;
  return place;
}

} // namespace lockstep::runtime

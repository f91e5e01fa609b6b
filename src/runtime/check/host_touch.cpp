#include "runtime/check/host_touch.h"

#include "compiler/host_code_place.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <execinfo.h>
#include <fmt/format.h>
#include <functional>
#include <string>

namespace lockstep::runtime {

namespace {

// The first place of the program that has a line: not the C library's memcpy. The function's name, else.
FindingPlace place_of(const char *what, const void *code) {
  FindingPlace place;
  place.what = what;
  std::array<void *, 32> frames{};
  const int count = backtrace(frames.data(), int(frames.size()));
  const auto end = frames.begin() + std::max(count, 0);
  auto at = std::find(frames.begin(), end, code);
  if (at == end)
    frames[0] = const_cast<void *>(code);
  std::string outermost;
  for (auto frame = at == end ? frames.begin() : at;
       frame != (at == end ? frames.begin() + 1 : end); ++frame) {
    // A caller's address is behind its call.
    const auto found =
        compiler::place_of_host_code(static_cast<std::byte *>(*frame) - (*frame != code));
    if (outermost.empty() && !found.function.empty())
      outermost = found.function;
    if (found.line == 0)
      continue;
    place.file = found.file;
    place.line = found.line;
    place.column = found.column;
    place.who = found.function;
    return place;
  }
  place.who = outermost.empty() ? fmt::format("code at {}", code) : outermost;
  return place;
}

} // namespace

std::optional<FindingPlace> first_touch(const char *what, const void *code, const char *kind) {
  const uint64_t kind_key = std::hash<std::string>()(kind);
  if (!Findings::instance().is_first("code of the host", reinterpret_cast<uintptr_t>(code),
                                     kind_key))
    return std::nullopt;
  FindingPlace place = place_of(what, code);
  if (!Findings::instance().is_first(
          "host",
          std::hash<std::string>()(fmt::format("{}:{}:{}", place.file, place.line, place.who)),
          kind_key))
    return std::nullopt;
  return place;
}

} // namespace lockstep::runtime

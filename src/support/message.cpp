#include "support/message.h"

#include "support/ranks.h"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <string_view>

namespace lockstep {

void print_message(const char *format, ...) noexcept {
  const MessagePrefix prefix = message_prefix();
  std::array<char, 2048> line;
  std::va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(line.data(), line.size(), format, arguments);
  if (length >= 0 && std::size_t(length) < line.size()) {
    // One call, so that the lines of several threads and processes stay whole.
    std::fprintf(stderr, "%slockstep: %s\n", prefix.text.data(), line.data());
  } else {
    std::fprintf(stderr, "%slockstep: ", prefix.text.data());
    std::vfprintf(stderr, format, again);
    std::fputs("\n", stderr);
  }
  va_end(again);
  va_end(arguments);
}

std::string with_rank(std::string text) {
  const MessagePrefix prefix = message_prefix();
  const std::string_view before = prefix.text.data();
  if (before.empty())
    return text;
  for (std::size_t at = 0; at < text.size();) {
    if (std::string_view(text).substr(at).starts_with("lockstep")) {
      text.insert(at, before);
      at += before.size();
    }
    const std::size_t end = text.find('\n', at);
    at = end == text.npos ? text.size() : end + 1;
  }
  return text;
}

} // namespace lockstep

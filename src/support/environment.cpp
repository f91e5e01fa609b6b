#include "support/environment.h"

#include "support/message.h"

#include <charconv>
#include <cstdlib>
#include <cstring>

namespace lockstep {

std::optional<std::string> system_variable(const char *name) {
  const char *value = ::secure_getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return std::string(value);
}

std::optional<uint64_t> system_number(const char *name) {
  const char *value = ::secure_getenv(name);
  if (!value)
    return std::nullopt;
  uint64_t number = 0;
  const char *end = value + std::strlen(value);
  auto [after, error] = std::from_chars(value, end, number);
  return error == std::errc() && after == end ? std::optional(number) : std::nullopt;
}

std::optional<std::string> environment(const char *name) {
  return system_variable((std::string("LOCKSTEP_") + name).c_str());
}

std::optional<long long> environment_number(const char *name) {
  auto text = environment(name);
  if (!text)
    return std::nullopt;
  long long number = 0;
  auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  if (error == std::errc() && end == text->data() + text->size())
    return number;
  print_message("LOCKSTEP_%s is '%s', which is not a whole number; it is ignored", name,
                text->c_str());
  return std::nullopt;
}

} // namespace lockstep

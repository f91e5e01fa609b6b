#include "support/environment.h"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace lockstep {

std::optional<std::string> system_variable(const char *name) {
  const char *value = ::secure_getenv(name);
  if (!value || !*value)
    return std::nullopt;
  return std::string(value);
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
  fmt::print(stderr, "lockstep: LOCKSTEP_{} is '{}', which is not a whole number; it is ignored\n",
             name, *text);
  return std::nullopt;
}

} // namespace lockstep

#include "runtime/check/options/check_options.h"

#include "platform/linux/leaked.h"
#include "support/check_kinds.h"
#include "support/environment.h"
#include "support/message.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string_view>

namespace lockstep::runtime {

namespace {

// An absolute path, because the program may change its working directory later.
std::string place_of(const std::optional<std::string> &file) {
  std::error_code failed;
  const auto place = std::filesystem::absolute(file.value_or(""), failed);
  return !file || file->empty() ? "" : failed ? *file : place.string();
}

CheckOptions read_options() {
  CheckOptions options;
  const CheckKinds kinds = check_kinds();
  options.races = kinds.races;
  options.barriers = kinds.barriers;
  options.commands = kinds.commands;
  options.memory = kinds.memory;
  options.undefined = kinds.undefined;
  options.strictly = kinds.strictly;
  for (const std::string &word : kinds.unknown)
    print_message("LOCKSTEP_CHECK=%s: '%s' is none of races, barriers, commands, "
                  "memory, undefined, strict, 1, 0; ignored",
                  environment("CHECK").value_or("").c_str(), word.c_str());
  if (const auto names = environment("CHECK_NAMES")) {
    options.names_both = *names == "both";
    if (!options.names_both)
      print_message("LOCKSTEP_CHECK_NAMES=%s is not 'both'; ignored", names->c_str());
  }
  options.kernels = environment("CHECK_KERNEL").value_or("*");
  options.file = place_of(environment("CHECK_FILE"));
  options.findings = place_of(environment("CHECK_JSON"));
  options.again = environment("CHECK_AGAIN").value_or("");
  if (const auto mebibytes = environment_number("CHECK_MEMORY"); mebibytes && *mebibytes >= 0)
    options.most_memory = uint64_t(*mebibytes) << 20;
  if (const auto file = environment("CHECK_SUPPRESS")) {
    auto read = read_suppressions(*file);
    if (read)
      options.suppressions = std::move(*read);
    else
      print_message("LOCKSTEP_CHECK_SUPPRESS: %s; nothing is suppressed",
                    read.error().message.c_str());
  }
  return options;
}

} // namespace

const CheckOptions &check_options() {
  return leaked([] { return read_options(); });
}

} // namespace lockstep::runtime

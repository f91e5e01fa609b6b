#include "support/check_kinds.h"

#include "support/environment.h"

namespace lockstep {

CheckKinds check_kinds_of(std::string_view text) {
  CheckKinds kinds;
  for (std::string_view rest = text; !rest.empty();) {
    const auto comma = rest.find(',');
    const std::string_view kind = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    if (kind == "1")
      kinds.races = kinds.barriers = true;
    else if (kind == "races")
      kinds.races = true;
    else if (kind == "barriers")
      kinds.barriers = true;
    else if (kind == "commands")
      kinds.commands = true;
    else if (kind == "memory")
      kinds.memory = true;
    else if (kind == "strict")
      kinds.races = kinds.strictly = true;
    else if (kind == "undefined")
      kinds.undefined = true;
    else if (kind != "0")
      kinds.unknown.emplace_back(kind);
  }
  return kinds;
}

CheckKinds check_kinds() {
  return check_kinds_of(environment("CHECK").value_or("0"));
}

} // namespace lockstep

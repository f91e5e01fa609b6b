#include "platform/linux/privileges.h"

#include <fmt/format.h>
#include <sys/auxv.h>
#include <unistd.h>

namespace lockstep {

std::string privilege_problem() {
  if (::getauxval(AT_SECURE) != 0)
    return "the program has more rights than the user who started it (set-user-ID, set-group-ID, "
           "file capabilities or a security module)";
  uid_t user = 0, effective_user = 0, saved_user = 0;
  gid_t group = 0, effective_group = 0, saved_group = 0;
  ::getresuid(&user, &effective_user, &saved_user);
  ::getresgid(&group, &effective_group, &saved_group);
  if (user != effective_user || saved_user != effective_user)
    return fmt::format("the real, effective and saved user of the process differ ({}, {}, {})",
                       user, effective_user, saved_user);
  if (group != effective_group || saved_group != effective_group)
    return fmt::format("the real, effective and saved group of the process differ ({}, {}, {})",
                       group, effective_group, saved_group);
  return {};
}

} // namespace lockstep

// The folder through which programs that use Lockstep report their status. Each program has one
// socket there (src/runtime/launch/cpu/diagnostics/watch.cpp); `lockstep top` reads them.
#pragma once

#include <string>

namespace lockstep {

// $XDG_RUNTIME_DIR/lockstep, else /tmp/lockstep-<user>.
std::string status_folder();

// True if it is a folder of this user that no other user may enter.
bool is_safe_folder(const std::string &folder);

// Connects to a socket in the folder; -1 with errno on failure: ECONNREFUSED if the process that
// created the socket has ended.
int connect_to_status(const std::string &path);

} // namespace lockstep

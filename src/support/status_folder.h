// Where programs that use Lockstep can be asked what they do: a folder with one socket for each
// (src/runtime/launch/cpu/watch.cpp), which `lockstep top` reads.
#pragma once

#include <string>

namespace lockstep {

// $XDG_RUNTIME_DIR/lockstep, else /tmp/lockstep-<user>.
std::string status_folder();

// It is a folder of this user that nobody else may enter.
bool is_safe_folder(const std::string &folder);

// Connects to a socket in it; -1 with errno: ECONNREFUSED if whoever made it is gone.
int connect_to_status(const std::string &path);

} // namespace lockstep

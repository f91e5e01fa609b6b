// The socket through which `lockstep top` queries this process: a file in a folder that only this
// user may enter (platform/linux/status_folder.h). Each client receives one line of JSON.
#pragma once

#include <string>

namespace lockstep::runtime {

// Opens a listening socket; -1 if that fails. Removes socket files of processes that have ended.
// The file is removed at the process's normal end.
int listen_for_top();

// Sends `line` to all clients. False: some must wait, because the system has no file descriptor for
// them now.
bool answer_top(int listening, const std::string &line);
bool has_requests(int listening);

} // namespace lockstep::runtime

// The socket through which `lockstep top` asks this process what it does: a file in a folder that
// only this user may enter (support/status_folder.h). Who connects gets one line of JSON.
#pragma once

#include <string>

namespace lockstep::runtime {

// A listening socket; -1 if there can be none. Removes those of processes that are gone. The file is
// removed when the process ends in an orderly way.
int listen_for_top();

// Serves all who have connected. False: some have to wait, as the system gives no descriptor for them now.
bool answer_top(int listening, const std::string &line);
bool has_questions(int listening);

} // namespace lockstep::runtime

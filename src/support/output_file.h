// Files that the environment names for traces, findings and other reports.
//
// A file is made for its user alone (mode 0600). If there is one already, it keeps its mode, and must
// not be a symbolic link, have a second name, or belong to another user than this one or root: a file
// that somebody else has put into a shared folder is neither filled nor emptied. Pipes and devices may
// be named. /dev/stdout, /dev/stderr and /dev/fd/N are the open files of the process, and go on where
// these are.
#pragma once

#include "support/descriptor.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace lockstep {

enum class OutputMode { append, replace };

// The error says why, and not the name.
Result<Descriptor> open_output(const std::string &path, OutputMode mode);

// Appends to the file that LOCKSTEP_<variable> names. A failure is reported on stderr once for each
// variable.
void append_output(const char *variable, const std::string &path, std::string_view text);

} // namespace lockstep

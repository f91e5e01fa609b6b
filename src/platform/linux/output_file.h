// Opens files that the environment names for traces, findings and other reports.
//
// A new file is accessible to its user only (mode 0600). An existing file keeps its mode. It must
// not be a symbolic link, have a second name, or belong to a user other than this one or root. A
// file that another user has placed in a shared folder is therefore neither written nor truncated.
// Pipes and devices are allowed. /dev/stdout, /dev/stderr and /dev/fd/N are the open files of the
// process; output continues at their position.
#pragma once

#include "platform/linux/descriptor.h"
#include "support/result.h"

#include <string>
#include <string_view>

namespace lockstep {

enum class OutputMode { append, replace };

// The error contains the reason, but not the path.
Result<Descriptor> open_output(const std::string &path, OutputMode mode);

// Writes all of the text.
Result<void> write_all(int file, std::string_view text);

// Appends to the file that LOCKSTEP_<variable> names. Reports a failure on stderr, once for each
// variable.
void append_output(const char *variable, const std::string &path, std::string_view text);

} // namespace lockstep

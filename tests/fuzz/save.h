// Saves a program as files: its source, the content of its buffers before and after the launch, and
// a script "run". The script runs it with the command line tool ($LOCKSTEP, else `lockstep`), which
// can also print it after each stage of the compiler. The tool cannot make pipes, so for a program
// with pipes only the source is written.
#pragma once

#include "program.h"

namespace lockstep::fuzz {

void save(const Program &program, const std::string &folder);

} // namespace lockstep::fuzz

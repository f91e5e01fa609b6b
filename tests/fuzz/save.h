// A program as files: its source, what its buffers hold before and should hold afterwards, and a script "run" that runs
// it by the command line tool ($LOCKSTEP, else `lockstep`), which can also show it after each stage of the compiler.
// That tool makes no pipes, so of a program that has some only the source is written.
#pragma once

#include "program.h"

namespace lockstep::fuzz {

void save(const Program &program, const std::string &folder);

} // namespace lockstep::fuzz

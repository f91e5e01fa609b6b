// Remarks for people: what the compiler did with a kernel. Combines the remarks of the passes and
// of the code generator. `lockstep compile --remarks` prints them; for programs, LOCKSTEP_REMARKS
// does.
//
// A remark is one line: "[<file>:<line>:<column>: ]<topic>: <text>". The first remark describes the
// whole kernel.
#pragma once

#include "driver/compile.h"

#include <string>
#include <vector>

namespace lockstep::compiler {

struct WorkGroupResult;

// Equal remarks (of instructions at one source location) become one with a count.
std::vector<std::string> kernel_remarks(const std::string &kernel,
                                        const Specialization &specialization,
                                        const WorkGroupResult &result,
                                        const std::vector<std::string> &from_code_generator);

// LOCKSTEP_REMARKS unset or 0: reports nothing; 1: writes to stderr; any other value: appends to
// the file of that name.
void report_remarks(const std::vector<std::string> &remarks);

} // namespace lockstep::compiler

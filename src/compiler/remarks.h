// What the compiler did with a kernel, for people: put together from what the passes and the code
// generator said, printed by `lockstep compile --remarks` and, for programs, by LOCKSTEP_REMARKS.
//
// A remark is one line: "[<file>:<line>:<column>: ]<topic>: <text>". The first is about the kernel
// as a whole.
#pragma once

#include "compiler/compile.h"

#include <string>
#include <vector>

namespace lockstep::compiler {

struct WorkGroupResult;

// Equal remarks (of instructions on one place of the source) become one that says how often.
std::vector<std::string> kernel_remarks(const std::string &kernel,
                                        const Specialisation &specialisation,
                                        const WorkGroupResult &result,
                                        const std::vector<std::string> &from_code_generator);

// LOCKSTEP_REMARKS: unset or 0, nothing; 1, on stderr; anything else is the name of a file to which
// they are appended.
void report_remarks(const std::vector<std::string> &remarks);

} // namespace lockstep::compiler

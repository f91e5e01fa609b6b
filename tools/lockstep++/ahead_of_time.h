// --aot: compiles the kernels of a device image to machine code.
//
// liblockstep.so has the compiler, and is loaded for it: machine code belongs to one build of that
// library (src/driver/ahead_of_time.h).
#pragma once

#include "tools/lockstep++/device_pass.h"

namespace lockstep::driver {

// Sets `machine_code` if the user wants it. Prints a note for each kernel that the program still
// has to compile. Returns false after an error, which has been printed.
bool compile_ahead_of_time(const Installation &installation, const UserOptions &user,
                           DeviceCode &code);

} // namespace lockstep::driver

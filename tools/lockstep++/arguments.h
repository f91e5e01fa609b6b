// Translates the user's options to arguments of clang's driver for the two sides of a source.
//
// The host side gets all options of the user, as C++ with SYCL's host rules. The device side
// compiles one source to bitcode. It gets only the options that affect the meaning of the source:
// definitions, include folders, the language version. It does not get output options or processor
// options.
#pragma once

#include "tools/lockstep++/foreign_options.h"
#include "tools/lockstep++/installation.h"

#include <string>

namespace lockstep::driver {

Arguments host_arguments(const Installation &installation, const UserOptions &user);
Arguments device_arguments(const Installation &installation, const UserOptions &user,
                           const std::string &source);

} // namespace lockstep::driver

// What the user gave, as arguments of clang's driver for the two sides of a source.
//
// The host side is everything the user asked for, as C++ with SYCL's host rules. The device side compiles one source of
// it to bitcode, with those of the user's options that say what the source means (definitions, include folders, the
// version of the language) and none that say what to make of it or for which processor.
#pragma once

#include "tools/lockstep++/foreign_options.h"
#include "tools/lockstep++/installation.h"

#include <string>

namespace lockstep::driver {

Arguments host_arguments(const Installation &installation, const UserOptions &user);
Arguments device_arguments(const Installation &installation, const UserOptions &user,
                           const std::string &source);

} // namespace lockstep::driver

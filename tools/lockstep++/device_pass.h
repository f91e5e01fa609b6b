// The device side of a source: its kernels and what they call, as kernel IR (docs/kernel_ir.md) in bitcode.
#pragma once

#include "tools/lockstep++/arguments.h"

#include <optional>
#include <string>

namespace lockstep::driver {

// None: the source has errors on this side, which have been told.
std::optional<std::string> compile_for_device(const Installation &installation,
                                              const Arguments &user, const std::string &source);

} // namespace lockstep::driver

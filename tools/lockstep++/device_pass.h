// The device side of a source: its kernels and what they call, as kernel IR (docs/kernel_ir.md) in bitcode.
#pragma once

#include "tools/lockstep++/arguments.h"
#include "tools/lockstep++/device_globals.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::driver {

struct DeviceCode {
  std::string bitcode;
  // What the library must know before it reads bitcode, a line each: "kernel NAME", "aspects KERNEL NUMBER...", "sub_group
  // KERNEL SIZE", "work_group KERNEL SIZE SIZE SIZE" (the contiguous dimension first), "accessor KERNEL KIND OFFSET"
  // (accessor_places.h), "title KERNEL TEXT", "range KERNEL" and "member KERNEL OFFSET BYTES ELEMENT KIND NAME" (kernel_titles.h), "external NAME" (a function for kernels of other sources), "needs NAME" (such a function of
  // another source), "constant FUNCTION VARIABLE" (a specialization constant that the kernel or external function uses),
  // "global VARIABLE" (a variable of the device, in the order of `globals`), "uses KERNEL VARIABLE" (such a variable).
  std::string description;
  std::vector<std::string> needs;
  std::vector<DeviceGlobal> globals;
};

// None: the source has errors on this side, which have been told.
std::optional<DeviceCode> compile_for_device(const Installation &installation,
                                             const UserOptions &user, const std::string &source);

} // namespace lockstep::driver

// Compiles the device side of a source, its kernels and their callees, to kernel IR
// (docs/kernel_ir.md) in bitcode.
//
// A description has these lines:
//   kernel NAME
//   aspects KERNEL NUMBER...
//   sub_group KERNEL SIZE
//   work_group KERNEL SIZE SIZE SIZE  the contiguous dimension first
//   accessor KERNEL KIND OFFSET       see accessor_places.h
//   title KERNEL TEXT                 see kernel_titles.h, also for the next two
//   range KERNEL
//   member KERNEL OFFSET BYTES ELEMENT KIND NAME
//   external NAME                     a function for kernels of other sources
//   needs NAME                        an external function of another source
//   constant FUNCTION VARIABLE        a specialization constant that the function or kernel uses
//   global VARIABLE BYTES             a device global, in the order of `globals`
//   uses KERNEL VARIABLE              a device global that the kernel uses
#pragma once

#include "tools/lockstep++/arguments.h"
#include "tools/lockstep++/device_globals.h"

#include <optional>
#include <string>
#include <vector>

namespace lockstep::driver {

struct DeviceCode {
  std::string bitcode;
  // Data that the library needs before it reads the bitcode: lines of the head of this file.
  std::string description;
  std::string machine_code; // of its kernels (ahead_of_time.h); empty: none
  std::vector<std::string> needs;
  std::vector<DeviceGlobal> globals;
};

// Returns none if the source has errors on this side; they have been reported.
std::optional<DeviceCode> compile_for_device(const Installation &installation,
                                             const UserOptions &user, const std::string &source);

} // namespace lockstep::driver

// The interface of a program on a device: what a build makes of a KernelModule for one device. It
// owns the program-scope variables, so their values persist between launches.
#pragma once

#include "runtime/device/kernel.h"

#include <memory>

namespace lockstep::runtime {

// Made by Device::make_program. Valid for that device and its sub-devices.
class Program {
public:
  Program() = default;
  virtual ~Program() = default;
  Program(const Program &) = delete;
  Program &operator=(const Program &) = delete;

  // `info` is one of the module's kernels or blocks. It keeps the module alive (use an alias of the
  // module's shared_ptr). The kernel keeps what it needs of the program.
  virtual std::shared_ptr<Kernel> make_kernel(std::shared_ptr<const compiler::KernelInfo> info) = 0;
};

} // namespace lockstep::runtime

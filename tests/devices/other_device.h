// The device beside the CPU of two_devices_test.cpp, which is linked with one implementation for
// each device.
#pragma once

#include "runtime/device/device.h"

#include <cstddef>
#include <memory>

namespace lockstep::test {

// Never destroyed, like other devices.
const std::shared_ptr<runtime::Device> &other_device();

struct OtherCounts {
  std::size_t written = 0, read_back = 0; // bytes since reset_other_counts()
  std::size_t allocations = 0;            // copies of buffers that exist
  unsigned launches = 0;
};
OtherCounts other_counts();
void reset_other_counts();

void let_transfers_fail(bool fail);
extern const char *const transfer_failure; // part of the message

} // namespace lockstep::test

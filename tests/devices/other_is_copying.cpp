#include "copying_device.h"
#include "other_device.h"

namespace lockstep::test {

static const std::shared_ptr<CopyingDevice> &copying() {
  static const auto &device = *new std::shared_ptr<CopyingDevice>(new CopyingDevice);
  return device;
}

const std::shared_ptr<runtime::Device> &other_device() {
  static const auto &device = *new std::shared_ptr<runtime::Device>(copying());
  return device;
}

OtherCounts other_counts() {
  const CopyingMemory &memory = *copying()->own_memory();
  return {memory.written, memory.read_back, memory.allocations(), copying()->launches};
}

void reset_other_counts() {
  copying()->own_memory()->written = copying()->own_memory()->read_back = 0;
}

void let_transfers_fail(bool fail) {
  copying()->own_memory()->fails = fail;
}

const char *const transfer_failure = "the wire is cut";

} // namespace lockstep::test

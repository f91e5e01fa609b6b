// The NVIDIA device on the fake driver as the second device of tests/devices/two_devices_test.cpp.
#include "tests/devices/other_device.h"
#include "tests/nvidia/fake_cuda/fake_cuda.h"
#include "tests/nvidia/fake_device.h"

namespace lockstep::test {

const std::shared_ptr<runtime::Device> &other_device() {
  static const auto &device = *new std::shared_ptr<runtime::Device>(fake_device());
  return device;
}

OtherCounts other_counts() {
  const fake_cuda::Controls &fake = fake_cuda::controls();
  return {fake.bytes_to_device, fake.bytes_to_host, fake.allocations, unsigned(fake.launches)};
}

void reset_other_counts() {
  fake_cuda::controls().bytes_to_device = fake_cuda::controls().bytes_to_host = 0;
}

void let_transfers_fail(bool fail) {
  fake_cuda::controls().copy_status = fail ? runtime::cuda::out_of_memory : runtime::cuda::success;
}

const char *const transfer_failure = "CUDA_ERROR_OUT_OF_MEMORY";

} // namespace lockstep::test

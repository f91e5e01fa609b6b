// An NVIDIA device on the fake driver. Its kernels are compiled to PTX, and the fake driver reads
// their parameters there. The fake card runs the CPU's code of the same kernel with the parameters
// that it gets.
#pragma once

#include "runtime/launch/nvidia/nvidia_device.h"

#include "abi/nvidia_group_pool.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::test {

// Never destroyed, like other devices.
const std::shared_ptr<runtime::NvidiaDevice> &fake_device();
const std::shared_ptr<runtime::NvidiaDevice> &second_fake_device(); // another card

// The address of the program-scope variables and their three words, as the last launch saw them.
std::vector<uint64_t> variables_of_last_launch();

// The pools of launches whose groups may wait, as these launches found them.
std::vector<lockstep_group_pool> take_group_pools();

// If not empty, the next launch whose groups may wait runs nothing. It stands still until the host
// tells it to leave, and then these are its groups that wait.
void set_deadlock(std::vector<lockstep_wait> waits);

} // namespace lockstep::test

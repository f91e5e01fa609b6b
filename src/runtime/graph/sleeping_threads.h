// Do threads of this process sleep until another one of it wakes them?
//
// The kernel tells of each thread in which system call it is (/proc/self/task/<id>/syscall). One
// that waits on a futex of this process, without a time limit, goes on only when a thread of this
// process wakes it. If each thread is found so in two looks, and did not run in between, then all
// slept at the same time, and none will wake another.
#pragma once

#include <vector>

namespace lockstep::runtime {

// All threads of the process but these. False also if the system does not say.
bool all_sleep(const std::vector<int> &but_these);

} // namespace lockstep::runtime
